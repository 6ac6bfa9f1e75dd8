/// Content with what is known about it: headers, type, validators, age. A value. (ENT-01)
public struct Entity: Sendable {
  // Behind one reference: an entity is handed on often and changed seldom.
  private var box: Box

  private struct Values {
    var content: Content
    var held: HeldBytes?
    var headers: Headers
    var timestamp: Double
    var exchange: Exchange?
    var validatorsHold = true
    var charset: String?
  }

  private final class Box: Sendable {
    let values: Values

    init(_ values: Values) {
      self.values = values
    }
  }

  public init(
    content: Content, contentType: String? = nil, charset: String? = nil,
    headers: Headers = Headers(), timestamp: Double
  ) {
    self.init(
      content: content, contentType: contentType, charset: charset, headers: headers,
      timestamp: timestamp, exchange: nil)
  }

  package init(
    content: Content, contentType: String? = nil, charset: String? = nil, headers: Headers,
    timestamp: Double, exchange: Exchange?
  ) {
    var headers = headers
    if let contentType { headers["content-type"] = contentType }
    box = Box(
      Values(
        content: content, held: HeldBytes.of(content), headers: headers, timestamp: timestamp,
        exchange: exchange, charset: charset))
  }

  private mutating func change(_ change: (inout Values) -> Void) {
    var values = box.values
    change(&values)
    box = Box(values)
  }

  public var content: Content {
    get { box.values.content }
    set {
      change {
        $0.content = newValue
        $0.held = HeldBytes.of(newValue)
      }
    }
  }

  public var headers: Headers {
    get { box.values.headers }
    set { change { $0.headers = newValue } }
  }

  /// Unix epoch seconds; decides staleness.
  public var timestamp: Double {
    get { box.values.timestamp }
    set { change { $0.timestamp = newValue } }
  }

  /// Where it came from; nil for entities made locally.
  public var exchange: Exchange? {
    get { box.values.exchange }
    set { change { $0.exchange = newValue } }
  }

  /// Whether the headers' validators still describe the content (OVR-10).
  package var validatorsHold: Bool {
    get { box.values.validatorsHold }
    set { change { $0.validatorsHold = newValue } }
  }

  /// The Content-Type header with its parameters, `application/octet-stream` if there is none.
  /// (ENT-02, ENT-03)
  public var contentType: String { headers["content-type"] ?? "application/octet-stream" }

  /// The charset parameter of the content type, unless one was set. (ENT-04 to ENT-06)
  public var charset: String? {
    get { box.values.charset ?? ContentType.charset(of: contentType) }
    set { change { $0.charset = newValue } }
  }

  /// The same as it was sent, which need not be text.
  package var charsetName: ByteString? {
    if let charset = box.values.charset { return ByteString(charset) }
    return headers.bytes("content-type")?.withUnsafeBufferPointer { bytes in
      ContentType.charset(in: bytes).map { ByteString($0) }
    }
  }

  public var etag: String? { headers["etag"] }

  /// A header by name in any letter case; of `set-cookie` the first.
  public func header(_ name: String) -> String? { headers[name] }

  /// Whether it is a copy of the other that nobody has changed.
  package func isSame(as other: Entity) -> Bool { box === other.box }

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
  /// Whether request or response said `Cache-Control: no-store`, whatever becomes of the headers.
  package var forbidsStoring = false
  /// What of the request it depends on, as far as anybody is to know; nil of an answer without `Vary`.
  package var variant: Variant?

  package init(_ response: __shared HTTPResponse) {
    status = response.status
    url = response.url
    elapsed = response.elapsed
    timings = response.timings
  }
}
