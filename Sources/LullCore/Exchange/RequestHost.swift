/// What a script's host hears of requests, whoever makes them, and of content made by scripts.
package protocol RequestHost: AnyObject {
  /// A request has begun, or has ended before it could; it is over with the request's `onSettled`.
  func requestStarted(_ request: Request)
  /// Keeps what the response holds of the script's until the request has settled.
  func hold(_ response: Response, for request: Request)
  /// Keeps what the entity holds of the script's until the result is called; nil if it holds nothing.
  func hold(_ entity: Entity) -> (() -> Void)?
  /// The same of a response.
  func hold(_ response: Response) -> (() -> Void)?
}

extension RequestHost {
  package func hold(_ response: Response, for request: Request) {}
  package func hold(_ entity: Entity) -> (() -> Void)? { nil }
  package func hold(_ response: Response) -> (() -> Void)? { nil }
}
