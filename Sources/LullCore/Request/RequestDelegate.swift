/// The logic of a request of your own; `Resource.prepareRequest(using:)` makes the request. (DEL-01
/// to DEL-10)
///
/// Called on the home thread. The request takes care of hooks, states and "exactly once": a delegate
/// may report twice, late, or never.
public protocol RequestDelegate: AnyObject {
  /// Begins; called at most once (DEL-06). The response is passed to `handler`, now or later, on the
  /// home thread, and is not transformed (DEL-03).
  func startUnderlyingOperation(passingResponseTo handler: RequestCompletionHandler)

  /// The request was cancelled; what is reported from now on is ignored. (DEL-07)
  func cancelUnderlyingOperation()

  /// The delegate of a repeated request. (DEL-09) By default the same object.
  func repeated() -> any RequestDelegate

  /// 0 to 1, asked for while somebody listens. By default 0 until completion. (DEL-08)
  func computeProgress() -> Double

  /// Seconds between two questions for progress.
  var progressReportingInterval: Double { get }

  /// What the request is called in messages.
  var requestDescription: String { get }
}

extension RequestDelegate {
  public func cancelUnderlyingOperation() {}
  public func repeated() -> any RequestDelegate { self }
  public func computeProgress() -> Double { 0 }
  public var progressReportingInterval: Double { 0.05 }
  public var requestDescription: String { "custom request" }
}
