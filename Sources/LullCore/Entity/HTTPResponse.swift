/// The final response of an exchange, without its body.
public struct HTTPResponse: Sendable, Equatable {
  /// Three digits, such as 200.
  public var status: Int
  /// Of the last response, not of the redirects before it.
  public var headers: Headers
  /// The URL that answered, after redirects; nil for responses that came from no URL.
  public var url: String?
  /// Seconds from sending to the last byte.
  public var elapsed: Double?
  /// nil unless the request's options asked for them.
  public var timings: TransferTimings?

  /// A response from anywhere, such as a network made for tests.
  public init(
    status: Int, headers: Headers = Headers(), url: String? = nil, elapsed: Double? = nil,
    timings: TransferTimings? = nil
  ) {
    self.status = status
    self.headers = headers
    self.url = url
    self.elapsed = elapsed
    self.timings = timings
  }
}
