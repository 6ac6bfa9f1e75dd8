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
