/// A request whose work is done by a `RequestDelegate`. It does not start automatically. (DEL-01)
public final class CustomRequest: Request {
  private let delegate: any RequestDelegate
  /// A weak reference: only the delegate retains the handler. After the delegate has released the
  /// handler, no response can be reported any more. (DEL-02)
  private weak var handler: RequestCompletionHandler?

  package init(delegate: any RequestDelegate, pump: Pump) {
    self.delegate = delegate
    super.init(pump: pump)
    pump.host?.requestMade(self, by: delegate)
  }

  override package var displayName: String { delegate.requestDescription }

  override public func repeated() -> Request {
    let request = CustomRequest(delegate: delegate.repeated(), pump: pump)
    request.attempt = attempt + 1
    return request
  }

  override package func begin() {
    let handler = RequestCompletionHandler(self)
    self.handler = handler
    delegate.startUnderlyingOperation(passingResponseTo: handler)
  }

  override package func stopWork() {
    handler?.isCancelled = true
    handler?.release()
    handler = nil
    delegate.cancelUnderlyingOperation()
  }

  fileprivate func report(_ response: Response) {
    handler = nil
    complete(with: response)
  }

  override package var currentProgress: Double {
    let progress = delegate.computeProgress()
    return progress > 0 ? min(progress, 1) : 0
  }

  override package var progressReportingInterval: Double { delegate.progressReportingInterval }
}

/// The handler to which a `RequestDelegate` reports its response.
///
/// The handler retains the request until the response is reported. A delegate that will never
/// report a response has to release the handler. Home thread only.
public final class RequestCompletionHandler {
  private var request: CustomRequest?
  private let log: Log
  private let name: String
  fileprivate var isCancelled = false

  fileprivate init(_ request: CustomRequest) {
    self.request = request
    log = request.pump.log
    name = request.displayName
  }

  /// Completes the request with a response. If the request has a response already, the call is
  /// ignored and logged: as a warning, or as a detail if the request was cancelled. (DEL-04,
  /// DEL-05)
  public func broadcastResponse(_ response: Response) {
    guard let request else {
      let category: Log.Category = isCancelled ? .networkDetails : .network
      log(
        category,
        isCancelled
          ? "\(name): a response after its cancellation was ignored"
          : "warning: \(name): a second response was ignored")
      return
    }
    self.request = nil
    request.report(response)
  }

  /// The request, if it is still waiting for a response; otherwise nil.
  package var pendingRequest: Request? { request }

  /// Whether a response would be ignored. True after a response was reported or the request was
  /// cancelled.
  public var willIgnore: Bool { request == nil }

  fileprivate func release() { request = nil }
}

/// The logic of a custom request. `Resource.prepareRequest(using:)` creates the request. (DEL-01 to
/// DEL-10)
///
/// Its methods are called on the home thread. The custom request manages hooks and states. It uses
/// only the first response that the delegate reports, and ignores responses after a cancellation.
public protocol RequestDelegate: AnyObject {
  /// Starts the work. Called at most once (DEL-06). Pass the response to `handler`, at once or
  /// later, on the home thread. The response is not transformed (DEL-03).
  func startUnderlyingOperation(passingResponseTo handler: RequestCompletionHandler)

  /// Stops the work, because the request was cancelled. Responses that are reported afterwards are
  /// ignored. (DEL-07)
  func cancelUnderlyingOperation()

  /// Returns the delegate for a repetition of the request. The default returns the same object.
  /// (DEL-09)
  func repeated() -> any RequestDelegate

  /// Returns the progress, from 0 to 1. The default returns 0. Called only while progress is
  /// observed, and not after completion. (DEL-08)
  func computeProgress() -> Double

  /// The time between two calls of `computeProgress()`, in seconds; 0.05 by default.
  var progressReportingInterval: Double { get }

  /// The name of the request in messages.
  var requestDescription: String { get }
}

extension RequestDelegate {
  public func cancelUnderlyingOperation() {}
  public func repeated() -> any RequestDelegate { self }
  public func computeProgress() -> Double { 0 }
  public var progressReportingInterval: Double { 0.05 }
  public var requestDescription: String { "custom request" }
}

/// A request that is completed from the start with a given response. It uses neither network nor
/// pipeline. (HW-01 to HW-06)
public final class FixedRequest: Request {
  private let failing: Resource?
  private let targetMethod: RequestMethod?

  package init(
    _ response: Response, pump: Pump, resource: Resource? = nil,
    method: RequestMethod? = nil
  ) {
    failing = resource
    targetMethod = method
    super.init(pump: pump, completedWith: response)
  }

  override public var resource: Resource? { failing }
  override public var method: RequestMethod? { targetMethod }
  override public var url: String? { failing?.url.text }
  override package var displayName: String {
    failing == nil ? "hard-wired request" : super.displayName
  }
}
