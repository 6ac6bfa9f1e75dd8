/// A failure as the user meets it: one sentence, and what is known besides.
///
/// Errors are state and hook arguments, never thrown across the API. What went wrong inside is
/// `cause`; a plain HTTP error status has none (ERR-10). The timestamp is fixed at creation and
/// drives `retryTime` (ERR-14).
public struct RequestError: Error, Sendable, CustomStringConvertible {
  /// One sentence for people, without codes. (ERR-02) Lua: `err.user_message`.
  public var userMessage: String
  /// What the server answered; nil if it did not. Lua: `err.http_status`.
  public var httpStatusCode: Int?
  /// The body that came with the error, transformed as far as the pipeline got.
  public var entity: Entity?
  /// What went wrong inside; nil of a plain error status. Lua: `err.cause`.
  public var cause: RequestError.Cause?
  /// Seconds since 1970. Lua: `err.timestamp`.
  public let timestamp: Double
  /// What was asked for; nil for errors made by hand.
  public package(set) var method: RequestMethod?
  /// Where it was asked for, as it was sent; may hold credentials, which `description` masks.
  public package(set) var url: String?
  /// The how manyth repetition of the request failed.
  package var attempt = 1
  /// The times the request was sent, as far as policies have kept count.
  public package(set) var attempts: [RequestAttempt] = []
  /// The HTTP side of it; nil where nothing was exchanged.
  public var exchange: Exchange?

  /// An error of the program's own, such as for `failedRequest` or a transformer.
  public init(
    userMessage: String, httpStatusCode: Int? = nil, entity: Entity? = nil,
    cause: RequestError.Cause? = nil, timestamp: Double
  ) {
    self.userMessage = userMessage
    self.httpStatusCode = httpStatusCode
    self.entity = entity
    self.cause = cause
    self.timestamp = timestamp
  }

  /// An error from a response or the lack of one; the message is the first of: the cause's
  /// description, the status phrase, "Request failed". (ERR-02)
  package init(
    httpStatusCode: Int?, entity: Entity?, cause: RequestError.Cause?, timestamp: Double
  ) {
    let phrase = httpStatusCode.map { StatusPhrase.text(for: $0) }
    self.init(
      userMessage: cause?.userMessage ?? phrase ?? "Request failed",
      httpStatusCode: httpStatusCode, entity: entity, cause: cause, timestamp: timestamp)
  }

  package static func cancelled(at now: Double) -> RequestError {
    RequestError(httpStatusCode: nil, entity: nil, cause: .requestCancelled, timestamp: now)
  }

  /// The same failure met again: its age counts from `now`. (ERR-14)
  package func dated(_ now: Double) -> RequestError {
    var error = RequestError(
      userMessage: userMessage, httpStatusCode: httpStatusCode, entity: entity, cause: cause,
      timestamp: now)
    error.method = method
    error.url = url
    error.attempt = attempt
    error.attempts = attempts
    error.exchange = exchange
    return error
  }

  /// Whether the server has refused the request and named Digest as a way to authenticate. (RFC 7616)
  package var asksForDigest: Bool {
    guard httpStatusCode == 401, let entity else { return false }
    return entity.headers.values("www-authenticate").contains { value in
      value.split(separator: ",").contains { challenge in
        challenge.trimmingBlanks.lowercased().hasPrefix("digest ")
      }
    }
  }
}
