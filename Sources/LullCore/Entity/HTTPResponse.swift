/// The final response of an exchange, without its body.
public struct HTTPResponse: Sendable, Equatable {
  /// The status code, three digits such as 200.
  public var status: Int
  /// The headers of the final response. Headers of redirects are not included.
  public var headers: Headers
  /// The URL after redirects; nil for responses that did not come from a URL.
  public var url: String?
  /// Seconds from sending the request to the last byte of the response.
  public var elapsed: Double?
  /// The durations of the exchange's phases; nil unless the request's options enable timings.
  public var timings: TransferTimings?

  /// Makes a response, for example for custom networking in tests.
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

/// The durations of the phases of an exchange, in seconds. They are recorded only if the request's
/// options enable timings.
///
/// The phases from `dns` to `firstByte` belong to the last hop, and `total` covers all hops. Phases
/// don't overlap, but parts of `total` belong to no phase, such as earlier hops and receiving the
/// body. Lua: `response.timings`.
public final class TransferTimings: Sendable, Equatable {
  /// Seconds for resolving the host name; 0 on a reused connection.
  public let dns: Double
  /// Seconds for establishing the connection; 0 on a reused connection.
  public let connect: Double
  /// Seconds for the TLS handshake, including the tunnel through a proxy; 0 on a reused connection
  /// or without TLS.
  public let tls: Double
  /// Seconds from sending the request to the first byte of the response.
  public let firstByte: Double
  /// Seconds from leaving the queue of waiting requests to the last byte of the body, including
  /// redirects.
  public let total: Double
  /// Whether the connection of the last hop was reused.
  public let isReused: Bool
  /// The HTTP version, `1.0`, `1.1`, `2` or `3`; nil if unknown.
  public let httpVersion: String?
  /// The address and port of the peer, which is the proxy if there is one.
  public let remoteAddress: String?
  /// The number of redirects followed before the response.
  public let redirectCount: Int

  /// Makes timings, for custom networking in tests. The timings of a real exchange are measured.
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
