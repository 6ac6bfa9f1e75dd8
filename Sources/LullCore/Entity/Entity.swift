/// Content with what is known about it: headers, type, validators, age. A value. (ENT-01)
public struct Entity: Sendable {
  public var content: Content {
    didSet { held = HeldBytes(of: content) }
  }
  public var headers: Headers
  /// Unix epoch seconds; decides staleness.
  public var timestamp: Double
  /// Where it came from; nil for entities made locally.
  public var exchange: Exchange?
  /// Whether the headers' validators still describe the content (OVR-10).
  package var validatorsHold = true
  private var charsetOverride: String?
  private var held: HeldBytes?

  public init(
    content: Content, contentType: String? = nil, charset: String? = nil,
    headers: Headers = Headers(), timestamp: Double
  ) {
    self.content = content
    held = HeldBytes(of: content)
    self.headers = headers
    self.timestamp = timestamp
    charsetOverride = charset
    if let contentType { self.headers["content-type"] = contentType }
  }

  /// The Content-Type header with its parameters, `application/octet-stream` if there is none.
  /// (ENT-02, ENT-03)
  public var contentType: String { headers["content-type"] ?? "application/octet-stream" }

  /// The charset parameter of the content type, unless one was set. (ENT-04 to ENT-06)
  public var charset: String? {
    get { charsetOverride ?? ContentType.charset(of: contentType) }
    set { charsetOverride = newValue }
  }

  public var etag: String? { headers["etag"] }

  /// A header by name in any letter case; of `set-cookie` the first.
  public func header(_ name: String) -> String? { headers[name] }

  public mutating func touch(now: Double) { timestamp = now }
}

/// The HTTP side of an entity or error.
public struct Exchange: Sendable, Equatable {
  public var status: Int
  /// Final, after redirects.
  public var url: String?
  /// Seconds.
  public var elapsed: Double?
  /// nil unless the request's options asked for them.
  public var timings: TransferTimings?

  package init(_ response: HTTPResponse) {
    status = response.status
    url = response.url
    elapsed = response.elapsed
    timings = response.timings
  }
}
