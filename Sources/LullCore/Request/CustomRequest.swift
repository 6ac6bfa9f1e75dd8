/// A request whose work a `RequestDelegate` does. Not started by itself. (DEL-01)
public final class CustomRequest: Request {
  private let delegate: any RequestDelegate
  /// Not held: a delegate that lets go of it has ended what can be reported. (DEL-02)
  private weak var handler: RequestCompletionHandler?

  package init(delegate: any RequestDelegate, pump: Pump) {
    self.delegate = delegate
    super.init(pump: pump)
    pump.requestHost?.requestMade(self, by: delegate)
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

/// Where a `RequestDelegate` reports its one response.
///
/// It holds the request until the report; a delegate that will never report lets go of it. Home
/// thread only.
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

  /// Completes the request. A second report is ignored, with a warning in the log, or only a detail
  /// if the request was cancelled. (DEL-04, DEL-05)
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

  /// The request, while a report would complete it.
  package var pendingRequest: Request? { request }

  /// Whether a report would be ignored: false before the first, true after it or a cancellation.
  public var willIgnore: Bool { request == nil }

  fileprivate func release() { request = nil }
}
