import LullSystem

extension RequestError {
  /// An error made here and now, to be thrown by a mutation, a decorator or a transformer, or to be
  /// delivered by `failedRequest(returning:)`: its timestamp is the current time. (ERR-14)
  public init(
    userMessage: String, httpStatusCode: Int? = nil, entity: Entity? = nil,
    cause: RequestError.Cause? = nil
  ) {
    self.init(
      userMessage: userMessage, httpStatusCode: httpStatusCode, entity: entity, cause: cause,
      timestamp: SystemClock.now)
  }
}
