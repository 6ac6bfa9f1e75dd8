/// Why no usable response arrived.
public struct TransportError: Error, Sendable, Equatable {
  /// The kind of the error, named as in Lua's `err.cause.kind`.
  public enum Kind: String, Sendable, CaseIterable {
    /// Any other network failure, such as a broken connection.
    case network
    /// A time limit was exceeded.
    case timeout
    /// The certificate isn't trusted, or the client and the server have no cipher in common.
    case tls
    /// The name of the host or proxy can't be resolved.
    case dns
    /// No server listens at the address, or the address can't be reached.
    case connection
    /// The body of the response ended too early, before its announced end.
    case truncatedBody = "truncated_body"
    /// The response isn't valid HTTP, or its encoding is invalid.
    case malformedResponse = "malformed_response"
    /// The response body is larger than `TransferLimits.maxBodySize`.
    case bodyTooLarge = "body_too_large"
    /// There were more redirects than the options allow.
    case tooManyRedirects = "too_many_redirects"
    /// A redirect leads to another origin, which the options forbid.
    case redirectRefused = "redirect_refused"
    /// The URL can't be requested.
    case invalidURL = "invalid_url"
    /// The request was cancelled.
    case cancelled = "request_cancelled"
    /// A script function that replaces the network has failed.
    case scriptError = "script_error"
    /// A secret would have been sent to an origin to which it isn't bound.
    case secretOrigin = "secret_origin"
    /// The source of a secret is missing, or reading it failed.
    case secretUnavailable = "secret_unavailable"
    /// No access token could be obtained.
    case authFailed = "auth_failed"
    /// A file to upload is missing or can't be read, or a download can't be written.
    case fileUnavailable = "file_unavailable"
    /// A file to upload has changed since the request was made.
    case fileChanged = "file_changed"
    /// The response is an endless stream. Read it with `events()`.
    case eventStream = "event_stream"
    /// The response isn't a stream, although one was requested.
    case notAStream = "not_a_stream"
    /// The service is offline, and no cache has the data.
    case offline
    /// A write to an environment that requires confirmation, which was not confirmed.
    case unconfirmed
  }

  /// The kind of the error, for decisions in programs.
  public var kind: Kind
  /// A sentence for the user. It names the host or the limit where that is helpful.
  public var message: String
  /// The traceback of an error in a script that replaces the network.
  package var traceback: String?
  /// The value that the script raised, if a script replaces the network.
  package var value: RaisedValue?
  /// Whether a retry is known to be useless.
  package var isFinal = false
  /// Whether nothing of the request reached the server, as far as is known.
  package var isUnsent = false
  /// Whether the error comes from a script error that has already been reported.
  package var isReported = false

  /// Makes an error, for custom networking. `message` is shown to the user.
  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// Whether two errors have the same kind, message, traceback and script value. Other properties
  /// are not compared, so that a program can make an error for comparison.
  public static func == (left: TransportError, right: TransportError) -> Bool {
    left.kind == right.kind && left.message == right.message
      && left.traceback == right.traceback && left.value == right.value
  }

  /// Makes an error for which a retry is known to be useless.
  package static func final(_ kind: Kind, _ message: String) -> TransportError {
    var error = TransportError(kind, message)
    error.isFinal = true
    return error
  }

  /// The error of a request that reads the whole response, such as a load, if the response is an
  /// event stream.
  package static let eventStream = TransportError.final(
    .eventStream,
    "the response is an event stream, which does not end: read it with events(), or with "
      + "--stream in the shell")

  static func offline(_ message: String) -> TransportError { TransportError(.offline, message) }
}

extension TransportError: CustomStringConvertible {
  /// The same text as `message`. (SWF-160)
  public var description: String { message }
}
