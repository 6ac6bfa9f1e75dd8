extension Request: CustomStringConvertible {
  /// What it asks for, without credentials, and how far it is, on one line:
  /// `GET https://api.test/a: in progress`.
  public final var description: String {
    switch state {
    case .notStarted: "\(displayName): not started"
    case .inProgress: "\(displayName): in progress"
    case .completed: "\(displayName): \(response?.description ?? "completed")"
    }
  }
}

extension Request {
  /// That it was cancelled, as an error.
  package final func cancellation() -> RequestError {
    var error = RequestError.cancelled(at: pump.clock.now)
    error.method = method
    error.url = url
    error.attempts = cancelledAttempts
    return error
  }
}
