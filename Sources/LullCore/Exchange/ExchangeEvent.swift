/// One request that has ended, for logs, metrics and traces: see `onExchange`.
///
/// A value for any thread, without credentials. Times are seconds, sizes are bytes.
public struct ExchangeEvent: Sendable, Equatable {
  /// Where the answer came from.
  public enum Source: String, Sendable {
    /// The server, or nothing: the request failed.
    case network
    /// A cache, or what another process has loaded meanwhile: nothing was sent.
    case cache
  }

  /// The name of the service, if it has one.
  public let service: String?
  /// What was asked for.
  public let method: RequestMethod
  /// Where, as it was sent, with secrets and credentials masked.
  public let url: String
  /// The status that the server answered with, such as 304; nil without an answer.
  public let status: Int?
  /// How often it was sent: 0 if it never was, 2 with one retry.
  public let attempts: Int
  /// Where the answer came from.
  public let source: Source
  /// The size of the request's body; nil without one, or if it is not known before it is read.
  public let requestBytes: Int?
  /// The size of the answer's body, decoded; 0 without one, and where it went to a file or a reader.
  public let responseBytes: Int
  /// When it ended; Unix epoch seconds.
  public let timestamp: Double
  /// From its start to its end, with waits for limits and retries; nil if nobody listened when it began.
  public let elapsed: Double?
  /// The parts of the last attempt; nil unless `TransferOptions.recordsTimings` is set.
  public let timings: TransferTimings?
  /// The kind of the error's cause, such as `timeout`, or `status` for an error of the server without one; nil of a
  /// success.
  public let errorKind: String?

  /// How often it was sent again.
  public var retries: Int { max(0, attempts - 1) }
}

extension ExchangeEvent: CustomStringConvertible {
  /// On one line: `GET https://api.test/a → 200, 17 bytes, 2 attempts, 0.12 s`.
  public var description: String {
    var text = "\(method) \(url)"
    if let status { text += " → \(status)" }
    if source == .cache { text += ", from a cache" }
    if let errorKind { text += ", \(errorKind)" }
    text += ", \(responseBytes) bytes"
    if attempts != 1 { text += ", \(attempts) attempts" }
    if let elapsed { text += ", \(LogText.seconds(elapsed))" }
    return text
  }
}
