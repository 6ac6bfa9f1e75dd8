/// Why no usable response arrived.
public struct TransportError: Error, Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    case network
    case timeout
    case tls
    case dns
    case connection
    case truncatedBody = "truncated_body"
    case malformedResponse = "malformed_response"
    case bodyTooLarge = "body_too_large"
    case tooManyRedirects = "too_many_redirects"
    case redirectRefused = "redirect_refused"
    case invalidURL = "invalid_url"
    case cancelled = "request_cancelled"
    case scriptError = "script_error"
    /// A secret would have been sent to an origin it is not bound to.
    case secretOrigin = "secret_origin"
    /// A secret's source is missing, or failed.
    case secretUnavailable = "secret_unavailable"
    /// No token was to be had.
    case authFailed = "auth_failed"
    /// A file that was to be sent is missing or cannot be read, or one that was to come cannot be written.
    case fileUnavailable = "file_unavailable"
    /// A file that was to be sent is not what it was when the request was made.
    case fileChanged = "file_changed"
    /// The answer has no end to wait for: it is read with `events()`.
    case eventStream = "event_stream"
    /// What was to be read as a stream is none.
    case notAStream = "not_a_stream"
    /// The service is offline, and no cache has it.
    case offline
  }

  public var kind: Kind
  /// One sentence for the user, naming host or limit where it helps.
  public var message: String
  /// Of an error in a script that stood in for the network.
  package var traceback: String?
  /// What that has raised.
  package var value: RaisedValue?
  /// Whether trying again is known to be of no use.
  package var isFinal = false

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// One that trying again cannot change.
  package static func final(_ kind: Kind, _ message: String) -> TransportError {
    var error = TransportError(kind, message)
    error.isFinal = true
    return error
  }

  /// The answer to a load, or to another GET for the whole of it.
  package static let eventStream = TransportError.final(
    .eventStream,
    "the answer is an event stream, which has no end to wait for: read it with events(), in the "
      + "shell with -o -")

  static func offline(_ message: String) -> TransportError { TransportError(.offline, message) }
}
