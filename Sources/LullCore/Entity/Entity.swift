import LullSystem

/// Content with its metadata: headers, type, validators and age. This is a value type. (ENT-01)
public struct Entity: Sendable {
  // The fields are behind one reference, since an entity is passed on often and changed rarely.
  private var box: Box

  // The fields are passed one by one, since a copy of all of them together is expensive.
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
    // Holds at most one error. An array takes less memory than an optional.
    let partialErrors: [any Error & Sendable]

    init(
      _ content: Content, _ held: HeldBytes?, _ headers: Headers, _ timestamp: Double,
      _ exchange: Exchange?, _ validatorsHold: Bool, _ charset: String?,
      _ isOutdated: Bool = false, _ textSource: TextSource? = nil,
      _ partialErrors: [any Error & Sendable] = []
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
      self.partialErrors = partialErrors
    }
  }

  /// Makes an entity that does not come from an exchange, for example for `overrideLocalData`.
  /// `contentType` sets the Content-Type header.
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

  /// The content, as far as the pipeline has transformed it. Lua: `entity.content`.
  public var content: Content {
    get { box.content }
    set {
      let old = box
      box = Box(
        newValue, HeldBytes.of(newValue), old.headers, old.timestamp, old.exchange,
        old.validatorsHold, old.charset, old.isOutdated,
        newValue.isSameText(as: old.content) ? old.textSource : nil, old.partialErrors)
    }
  }

  // Properties of the content, without copying it.
  package var size: Int { box.content.size }
  package var isEmptyBytes: Bool { box.content.isEmptyBytes }
  var isEmptyText: Bool { box.content.isEmptyText }
  package var foreignID: Int64? {
    if case .foreign(let foreign) = box.content { foreign.id } else { nil }
  }

  /// The headers of the response. An entity is a value: changing its headers doesn't affect the
  /// resource from which it was read. Lua: `entity.headers`.
  public var headers: Headers {
    get { box.headers }
    set {
      let old = box
      box = Box(
        old.content, old.held, newValue, old.timestamp, old.exchange, old.validatorsHold,
        old.charset, old.isOutdated, old.textSource, old.partialErrors)
    }
  }

  /// The time from which the age of the entity is counted, in seconds since 1970. It determines
  /// whether the entity is stale.
  public var timestamp: Double {
    get { box.timestamp }
    set {
      let old = box
      box = Box(
        old.content, old.held, old.headers, newValue, old.exchange, old.validatorsHold,
        old.charset, old.isOutdated && newValue <= old.timestamp, old.textSource,
        old.partialErrors)
    }
  }

  /// The HTTP exchange from which the entity comes; nil for entities made locally.
  public var exchange: Exchange? {
    get { box.exchange }
    set {
      let old = box
      box = Box(
        old.content, old.held, old.headers, old.timestamp, newValue, old.validatorsHold,
        old.charset, old.isOutdated, old.textSource, old.partialErrors)
    }
  }

  /// Whether the validators in the headers still belong to the content (OVR-10).
  package var validatorsHold: Bool {
    get { box.validatorsHold }
    set {
      let old = box
      box = Box(
        old.content, old.held, old.headers, old.timestamp, old.exchange, newValue, old.charset,
        old.isOutdated, old.textSource, old.partialErrors)
    }
  }

  /// Whether a cache considers the entity stale regardless of its age, because the entity was
  /// invalidated or because a write was made after it was stored. Setting a later timestamp resets
  /// this property. (AGE-07, INV-59)
  package var isOutdated: Bool {
    get { box.isOutdated }
    set {
      guard newValue != box.isOutdated else { return }
      let old = box
      box = Box(
        old.content, old.held, old.headers, old.timestamp, old.exchange, old.validatorsHold,
        old.charset, newValue, old.textSource, old.partialErrors)
    }
  }

  /// Whether the response has data and an error. (GQL-31)
  package var isPartial: Bool { !box.partialErrors.isEmpty }

  /// The error of a response that also has data. Holds at most one error.
  var partialErrors: [any Error & Sendable] {
    get { box.partialErrors }
    set {
      let old = box
      box = Box(
        old.content, old.held, old.headers, old.timestamp, old.exchange, old.validatorsHold,
        old.charset, old.isOutdated, old.textSource, newValue)
    }
  }

  /// How the text was decoded. Reset when the content is replaced. (TXT-14)
  var textSource: TextSource? {
    get { box.textSource }
    set {
      let old = box
      box = Box(
        old.content, old.held, old.headers, old.timestamp, old.exchange, old.validatorsHold,
        old.charset, old.isOutdated, newValue)
    }
  }

  /// The Content-Type header with its parameters; `application/octet-stream` if there is no such
  /// header. (ENT-02, ENT-03)
  public var contentType: String { headers["content-type"] ?? "application/octet-stream" }

  /// The charset that was set explicitly; otherwise the charset parameter of the content type.
  /// (ENT-04 to ENT-06)
  public var charset: String? {
    get { box.charset ?? ContentType.charset(of: contentType) }
    set {
      let old = box
      box = Box(
        old.content, old.held, old.headers, old.timestamp, old.exchange, old.validatorsHold,
        newValue, old.isOutdated, old.textSource, old.partialErrors)
    }
  }

  /// The name of the charset as received, in bytes that need not be valid text.
  package var charsetName: ByteString? {
    if let charset = box.charset { return ByteString(charset) }
    return headers.bytes("content-type")?.withUnsafeBufferPointer { bytes in
      ContentType.charset(in: bytes).map { ByteString($0) }
    }
  }

  /// The server's identifier of this version of the content; nil if the server sent none. Lua:
  /// `entity.etag`.
  public var etag: String? { headers["etag"] }

  /// Returns the value of a header, by name in any letter case. For `set-cookie`, returns the first
  /// value.
  public func header(forKey key: String) -> String? { headers[key] }

  /// Whether this entity is an unchanged copy of `other`.
  package func isSame(as other: Entity) -> Bool { box === other.box }
}
/// The HTTP exchange that produced an entity or an error.
public struct Exchange: Sendable, Equatable {
  /// The status of the response that delivered the content. A later 304 response doesn't change it.
  public var status: Int
  /// The final URL, after redirects.
  public var url: String?
  /// Seconds from sending the request to the last byte of the response.
  public var elapsed: Double?
  /// The durations of the exchange's phases; nil unless the request's options enable timings.
  public var timings: TransferTimings?
  /// Whether the request or the response contained `Cache-Control: no-store`. Later changes of the
  /// headers don't affect this property.
  package var forbidsStoring = false
  /// The request headers on which the response depends, with secrets masked; nil for a response
  /// without `Vary`.
  package var variant: Variant?

  package init(_ response: __shared HTTPResponse) {
    status = response.status
    url = response.url
    elapsed = response.elapsed
    timings = response.timings
  }
}

extension Entity {
  /// Makes an entity whose timestamp is the current time. (ENT-11, ENT-12)
  ///
  /// `contentType` replaces a Content-Type header in `headers`.
  public init(
    content: Content, contentType: String? = nil, charset: String? = nil,
    headers: Headers = Headers()
  ) {
    self.init(
      content: content, contentType: contentType, charset: charset, headers: headers,
      timestamp: SystemClock.now)
  }

  /// Sets the timestamp to the current time. (ENT-13) Lua: `entity:touch()`.
  public mutating func touch() { timestamp = SystemClock.now }

  /// Returns the entity with its content as the requested type; nil if the content can't be cast.
  /// (ENT-14)
  ///
  /// For possible casts, see `Content.cast(to:)`.
  public func withContentRetyped<Value: Sendable>(as type: Value.Type = Value.self) -> Entity? {
    guard let value = content.cast(to: type) else { return nil }
    var entity = self
    entity.content = Content(value)
    return entity
  }
}
