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

/// How long the parts of an exchange took, in seconds; recorded only if its options ask for it.
///
/// Connecting and waiting are those of the last hop, the total is that of all. Nothing on the way
/// is counted twice, but parts of `total` belong to no phase: earlier hops, receiving the body.
/// Lua: `response.timings`.
public final class TransferTimings: Sendable, Equatable {
  /// Looking up the host's address; 0 on a connection that was there already.
  public let dns: Double
  /// Connecting to it; 0 as above.
  public let connect: Double
  /// Securing the connection, a proxy's tunnel included; 0 as above, and without TLS.
  public let tls: Double
  /// From the moment the request goes out to the first byte of the answer.
  public let firstByte: Double
  /// From leaving the waiting queue to the last byte of the body, redirects included.
  public let total: Double
  /// Whether the connection of the last hop had been used before.
  public let isReused: Bool
  /// `1.0`, `1.1`, `2` or `3`; nil if that is not known.
  public let httpVersion: String?
  /// Address and port at the other end of the connection, a proxy's if there is one.
  public let remoteAddress: String?
  /// How many redirects were followed before the answer.
  public let redirectCount: Int

  /// Times in seconds, for a network made for tests; those of an exchange are measured.
  public init(
    dns: Double = 0, connect: Double = 0, tls: Double = 0, firstByte: Double = 0, total: Double,
    isReused: Bool = false, httpVersion: String? = nil, remoteAddress: String? = nil,
    redirectCount: Int = 0
  ) {
    self.dns = dns
    self.connect = connect
    self.tls = tls
    self.firstByte = firstByte
    self.total = total
    self.isReused = isReused
    self.httpVersion = httpVersion
    self.remoteAddress = remoteAddress
    self.redirectCount = redirectCount
  }

  public static func == (one: TransferTimings, other: TransferTimings) -> Bool {
    one === other
      || one.dns == other.dns && one.connect == other.connect && one.tls == other.tls
        && one.firstByte == other.firstByte && one.total == other.total
        && one.isReused == other.isReused && one.httpVersion == other.httpVersion
        && one.remoteAddress == other.remoteAddress && one.redirectCount == other.redirectCount
  }
}
