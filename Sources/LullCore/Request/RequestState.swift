/// How far a request is. Lua: `request.state`, by the raw values.
public enum RequestState: String, Sendable {
  /// Made, and not begun: decorators may still pass on another one in its place.
  case notStarted = "not_started"
  /// From `start()` on; a chain: from when its wrapped request has been started.
  case inProgress = "in_progress"
  /// Has its response, a cancellation among them; its hooks may still have to be called.
  case completed
}
