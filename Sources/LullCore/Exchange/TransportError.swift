/// Why no usable response arrived.
public struct TransportError: Error, Sendable, Equatable {
  /// What went wrong, in the words that Lua has for it in `err.cause.kind`.
  public enum Kind: String, Sendable, CaseIterable {
    /// What is none of the others, such as a connection that broke.
    case network
    /// One of the limits of time was reached.
    case timeout
    /// There is no trust, or no agreement on a cipher.
    case tls
    /// The name of the host, or of the proxy, is not known.
    case dns
    /// Nobody listens there, or the way there is blocked.
    case connection
    /// The answer ended before what it had announced.
    case truncatedBody = "truncated_body"
    /// What came is not HTTP, or is not coded as it says.
    case malformedResponse = "malformed_response"
    /// The body is longer than `TransferLimits.maxBodySize`.
    case bodyTooLarge = "body_too_large"
    /// There were more than the options allow.
    case tooManyRedirects = "too_many_redirects"
    /// A redirect leads to another origin, and the options forbid that.
    case redirectRefused = "redirect_refused"
    /// The URL cannot be asked.
    case invalidURL = "invalid_url"
    /// Somebody has cancelled the request.
    case cancelled = "request_cancelled"
    /// A function of a script, in place of the network, has failed.
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
    /// A write to an environment that wants a word for it, which nobody has given.
    case unconfirmed
  }

  /// For programs to decide by.
  public var kind: Kind
  /// One sentence for the user, naming host or limit where it helps.
  public var message: String
  /// Of an error in a script that stood in for the network.
  package var traceback: String?
  /// What that has raised.
  package var value: RaisedValue?
  /// Whether trying again is known to be of no use.
  package var isFinal = false
  /// Whether nothing of the request can have reached the server, as far as that is known.
  package var isUnsent = false
  /// Whether an error of a script is behind it, which was reported where it was raised.
  package var isReported = false

  /// What a network of one's own fails with; `message` is shown to people.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// Whether two are of one kind and say the same: a program can make one to compare with.
  public static func == (left: TransportError, right: TransportError) -> Bool {
    left.kind == right.kind && left.message == right.message
      && left.traceback == right.traceback && left.value == right.value
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
      + "shell with --stream")

  static func offline(_ message: String) -> TransportError { TransportError(.offline, message) }
}

extension TransportError: CustomStringConvertible {
  /// The message. (SWF-160)
  public var description: String { message }
}
