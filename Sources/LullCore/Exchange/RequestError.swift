/// A failure as the user meets it: one sentence, and what is known besides.
///
/// Errors are state and hook arguments, never thrown across the API. What went wrong inside is
/// `cause`; a plain HTTP error status has none (ERR-10). The timestamp is fixed at creation and
/// drives `retryTime` (ERR-14).
public struct RequestError: Error, Sendable {
  public var userMessage: String
  public var httpStatus: Int?
  /// The body that came with the error, transformed as far as the pipeline got.
  public var entity: Entity?
  public var cause: RequestErrorCause?
  public let timestamp: Double
  /// What was asked, for messages; nil for errors made by hand.
  package var method: String?
  package var url: String?
  /// The how manyth repetition of the request failed.
  package var attempt = 1
  /// The times the request was sent, as far as policies have kept count.
  public package(set) var attempts: [RequestAttempt] = []
  public var exchange: Exchange?

  public init(
    userMessage: String, httpStatus: Int? = nil, entity: Entity? = nil,
    cause: RequestErrorCause? = nil, timestamp: Double
  ) {
    self.userMessage = userMessage
    self.httpStatus = httpStatus
    self.entity = entity
    self.cause = cause
    self.timestamp = timestamp
  }

  /// An error from a response or the lack of one; the message is the first of: the cause's
  /// description, the status phrase, "Request failed". (ERR-02)
  package init(
    httpStatus: Int?, entity: Entity?, cause: RequestErrorCause?, timestamp: Double
  ) {
    let phrase = httpStatus.map { StatusPhrase.text(for: $0) }
    self.init(
      userMessage: cause?.userMessage ?? phrase ?? "Request failed",
      httpStatus: httpStatus, entity: entity, cause: cause, timestamp: timestamp)
  }

  package static func cancelled(at now: Double) -> RequestError {
    RequestError(httpStatus: nil, entity: nil, cause: .requestCancelled, timestamp: now)
  }

  /// The same failure met again: its age counts from `now`. (ERR-14)
  package func dated(_ now: Double) -> RequestError {
    var error = RequestError(
      userMessage: userMessage, httpStatus: httpStatus, entity: entity, cause: cause,
      timestamp: now)
    error.method = method
    error.url = url
    error.attempt = attempt
    error.attempts = attempts
    error.exchange = exchange
    return error
  }

  /// The message with method, URL and status, as `tostring` shows it.
  package var longDescription: String {
    var text = userMessage
    if case .invalidURL(let source?) = cause {
      return "\(text): '\(CredentialMask.malformedURL(source))'"
    }
    var details = ""
    if let method, let url { details = "\(method) \(LogText.url(url))" }
    if let httpStatus { details += details.isEmpty ? "status \(httpStatus)" : " → \(httpStatus)" }
    if attempts.count > 1 {
      details += (details.isEmpty ? "" : ", ") + "after \(attempts.count) attempts"
    }
    if !details.isEmpty { text += " (\(details))" }
    if case .script(let script) = cause { text += ": \(script.message)" }
    return text
  }
}
