import LullSystem

/// Content with what is known about it: headers, type, validators, age. A value. (ENT-01)
public struct Entity: Sendable {
  // Behind one reference: an entity is handed on often and changed seldom.
  private var box: Box

  // Its fields are given one by one, since all together are large to copy.
  private final class Box: Sendable {
    let content: Content
    let held: HeldBytes?
    let headers: Headers
    let timestamp: Double
    let exchange: Exchange?
    let validatorsHold: Bool
    let charset: String?
    let isOutdated: Bool
    let textSource: TextSource?

    init(
      _ content: Content, _ held: HeldBytes?, _ headers: Headers, _ timestamp: Double,
      _ exchange: Exchange?, _ validatorsHold: Bool, _ charset: String?,
      _ isOutdated: Bool = false, _ textSource: TextSource? = nil
    ) {
      self.content = content
      self.held = held
      self.headers = headers
      self.timestamp = timestamp
      self.exchange = exchange
      self.validatorsHold = validatorsHold
      self.charset = charset
      self.isOutdated = isOutdated
      self.textSource = textSource
    }
  }

  /// One made by the program, of no exchange, such as for `overrideLocalData`; `contentType` sets
  /// that header.
  ///
  /// Lua: `lull.entity{…}`.
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
    box = Box(content, HeldBytes.of(content), headers, timestamp, exchange, true, charset)
  }

  /// What transformers have made of the body so far. Lua: `entity.content`.
  public var content: Content {
    get { box.content }
    set {
      let old = box
      box = Box(
        newValue, HeldBytes.of(newValue), old.headers, old.timestamp, old.exchange,
        old.validatorsHold, old.charset, old.isOutdated,
        newValue.isSameText(as: old.content) ? old.textSource : nil)
    }
  }

  // What is asked of the content without making a copy of it.
  package var size: Int { box.content.size }
  package var isEmptyBytes: Bool { box.content.isEmptyBytes }
  var isEmptyText: Bool { box.content.isEmptyText }
  package var foreignID: Int64? {
    if case .foreign(let foreign) = box.content { foreign.id } else { nil }
  }

  /// Of the response; changing them changes nothing of the resource that has it. Lua:
  /// `entity.headers`.
  public var headers: Headers {
    get { box.headers }
    set {
      let old = box
      box = Box(
        old.content, old.held, newValue, old.timestamp, old.exchange, old.validatorsHold,
        old.charset, old.isOutdated, old.textSource)
    }
  }

  /// Unix epoch seconds; decides staleness.
  public var timestamp: Double {
    get { box.timestamp }
    set {
      let old = box
      box = Box(
        old.content, old.held, old.headers, newValue, old.exchange, old.validatorsHold,
        old.charset, old.isOutdated && newValue <= old.timestamp, old.textSource)
    }
  }

  /// Where it came from; nil for entities made locally.
  public var exchange: Exchange? {
    get { box.exchange }
    set {
      let old = box
      box = Box(
        old.content, old.held, old.headers, old.timestamp, newValue, old.validatorsHold,
        old.charset, old.isOutdated, old.textSource)
    }
  }

  /// Whether the headers' validators still describe the content (OVR-10).
  package var validatorsHold: Bool {
    get { box.validatorsHold }
    set {
      let old = box
      box = Box(
        old.content, old.held, old.headers, old.timestamp, old.exchange, newValue, old.charset,
        old.isOutdated, old.textSource)
    }
  }

  /// Whether a cache has found it stale whatever its age: it was invalidated, or a write has been made since.
  /// With a later timestamp it is not any more. (AGE-07, INV-59)
  package var isOutdated: Bool {
    get { box.isOutdated }
    set {
      guard newValue != box.isOutdated else { return }
      let old = box
      box = Box(
        old.content, old.held, old.headers, old.timestamp, old.exchange, old.validatorsHold,
        old.charset, newValue, old.textSource)
    }
  }

  /// How the text was decoded, until other content takes its place. (TXT-14)
  var textSource: TextSource? {
    get { box.textSource }
    set {
      let old = box
      box = Box(
        old.content, old.held, old.headers, old.timestamp, old.exchange, old.validatorsHold,
        old.charset, old.isOutdated, newValue)
    }
  }

  /// The Content-Type header with its parameters, `application/octet-stream` if there is none.
  /// (ENT-02, ENT-03)
  public var contentType: String { headers["content-type"] ?? "application/octet-stream" }

  /// The charset parameter of the content type, unless one was set. (ENT-04 to ENT-06)
  public var charset: String? {
    get { box.charset ?? ContentType.charset(of: contentType) }
    set {
      let old = box
      box = Box(
        old.content, old.held, old.headers, old.timestamp, old.exchange, old.validatorsHold,
        newValue, old.isOutdated, old.textSource)
    }
  }

  /// The same as sent, which need not be text.
  package var charsetName: ByteString? {
    if let charset = box.charset { return ByteString(charset) }
    return headers.bytes("content-type")?.withUnsafeBufferPointer { bytes in
      ContentType.charset(in: bytes).map { ByteString($0) }
    }
  }

  /// What the server calls this state of the content; nil if it has not said. Lua: `entity.etag`.
  public var etag: String? { headers["etag"] }

  /// A header by name in any letter case; of `set-cookie` the first.
  public func header(forKey key: String) -> String? { headers[key] }

  /// Whether it is a copy of the other that nobody has changed.
  package func isSame(as other: Entity) -> Bool { box === other.box }
}
/// The HTTP side of an entity or error.
public struct Exchange: Sendable, Equatable {
  /// The one that the content came with, which a 304 later leaves as it is.
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

extension Entity {
  /// An entity made here and now: its timestamp is the current time. (ENT-11, ENT-12)
  ///
  /// A content type given becomes its Content-Type header, over one among `headers`.
  public init(
    content: Content, contentType: String? = nil, charset: String? = nil,
    headers: Headers = Headers()
  ) {
    self.init(
      content: content, contentType: contentType, charset: charset, headers: headers,
      timestamp: SystemClock.now)
  }

  /// Makes it as of now. (ENT-13) Lua: `entity:touch()`.
  public mutating func touch() { timestamp = SystemClock.now }

  /// The same metadata with the content as a value of that type; nil if it cannot be one. (ENT-14)
  ///
  /// What can be cast: `Content.cast(to:)`.
  public func withContentRetyped<Value: Sendable>(as type: Value.Type = Value.self) -> Entity? {
    guard let value = content.cast(to: type) else { return nil }
    var entity = self
    entity.content = Content(value)
    return entity
  }
}
