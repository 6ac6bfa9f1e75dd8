import LullCore

/// An entity as a cache file stores it: the content as bytes of a certain kind, and the metadata.
struct StoredEntity {
  enum Kind: Int64 {
    case bytes = 0
    case text = 1
    case json = 2
    /// Text, stored as the bytes from which it was decoded. (TXT-14)
    case received = 3
    /// A JSON list that was received as several values, although the content type did not say so.
    /// (JSN-92)
    case values = 4
  }

  var kind: Kind
  var content: [UInt8]
  /// The headers as `name: value` lines.
  var headers: [UInt8]
  /// The charset; nil if the headers contain it.
  var charset: String?
  var timestamp: Double
  var status: Int?
  /// The URL after redirects; nil if no redirect led to another URL.
  var finalURL: String?
  var elapsed: Double?

  /// Whether a file can store the entity. (CACHE-28)
  static func accepts(_ entity: Entity) -> Bool {
    switch entity.content {
    case .bytes, .text, .json: entity.validatorsHold && !entity.forbidsStoring
    case .value, .foreign: false
    }
  }

  /// Whether a timestamp is plausible: not before 1970 and not tens of thousands of years in the
  /// future.
  static func isTime(_ timestamp: Double) -> Bool { (0..<1e12).contains(timestamp) }

  static func isDuration(_ seconds: Double) -> Bool { seconds >= 0 && seconds.isFinite }

  /// The latest valid timestamp. An entry with a later timestamp is treated as dated 1970: the
  /// clock of its writer was wrong, so its age is unknown. The minute tolerates small differences
  /// between clocks.
  static func lastTime(_ now: Double) -> Double { now + 60 }

  /// Returns nil for an entity that cannot be stored.
  init?(_ entity: Entity, at place: CacheKey) {
    guard StoredEntity.accepts(entity), StoredEntity.isTime(entity.timestamp) else { return nil }
    switch entity.content {
    case .bytes(let bytes): (kind, content) = (.bytes, bytes)
    case .text(let text):
      (kind, content) = StoredEntity.received(entity, text) ?? (.text, Array(text.utf8))
    case .json(let document):
      var text: [UInt8] = []
      document.root.encode(into: &text, pretty: false)
      (kind, content) = (document.hasLines && !entity.hasJSONLines ? .values : .json, text)
    case .value, .foreign: return nil
    }
    var lines: [UInt8] = []
    let ofConnection = entity.headers.namesOfConnection
    entity.headers.forEachLine { name, value in
      // Credentials must not be stored, and headers of one connection are no longer valid.
      let text = String(escaping: name)
      guard !CredentialName.names(text), !ofConnection.contains(text) else { return }
      lines += name
      lines.append(UInt8(ascii: ":"))
      lines += value
      lines.append(10)
    }
    headers = lines
    charset = entity.charset == ContentType.charset(of: entity.contentType) ? nil : entity.charset
    timestamp = entity.timestamp
    status = entity.exchange?.status
    finalURL = entity.exchange?.url.flatMap { StoredEntity.finalURL($0, of: place) }
    elapsed = entity.exchange?.elapsed.flatMap { StoredEntity.isDuration($0) ? $0 : nil }
  }

  /// Returns the URL after redirects, without its query, which may contain credentials. Returns nil
  /// if there was no redirect.
  private static func finalURL(_ text: String, of place: CacheKey) -> String? {
    let text = LogText.withoutUser(text)
    guard text != place.url else { return nil }
    let bare = String(text.prefix { $0 != "?" && $0 != "#" })
    return bare == place.url.prefix { $0 != "?" && $0 != "#" } ? nil : bare
  }

  /// The approximate size in the file.
  var size: Int { content.count + headers.count + 256 }

  func checksum(at place: CacheKey, _ variant: [UInt8]) -> Int64 {
    content.withUnsafeBufferPointer {
      StoredEntity.checksum(at: place, variant, kind: kind, headers: headers, content: $0)
    }
  }

  static func checksum(
    at place: CacheKey, _ variant: [UInt8], kind: Kind, headers: [UInt8],
    content: UnsafeBufferPointer<UInt8>
  ) -> Int64 {
    var sum = CacheChecksum()
    sum.add(place.address)
    sum.add(place.stage)
    sum.add(String(place.version))
    sum.add(place.identity)
    sum.add(variant)
    sum.add(headers)
    sum.add(String(kind.rawValue))
    sum.add(content)
    return sum.signed
  }

  static func headers(of lines: [UInt8]) -> Headers {
    var headers = Headers()
    lines.withUnsafeBufferPointer { lines in
      for line in lines.split(separator: 10) {
        _ = headers.appendReceivedLine(UnsafeBufferPointer(rebasing: line))
      }
    }
    return headers
  }

  /// Returns the bytes from which the text was decoded, and their kind. Returns nil if these bytes
  /// are the text in UTF-8, or if they can no longer be decoded to the same text.
  private static func received(_ entity: Entity, _ text: String) -> (Kind, [UInt8])? {
    guard let bytes = entity.receivedBytes, !bytes.elementsEqual(text.utf8) else { return nil }
    // A 304 response may have changed the content type since the text was decoded.
    var again = entity
    guard bytes.withUnsafeBufferPointer({ again.decodeText($0) }),
      case .text(let found) = again.content, found.utf8.elementsEqual(text.utf8)
    else { return nil }
    return (.received, bytes)
  }

  /// Sets the content of an entity whose headers are already set. JSON is parsed again. Returns
  /// false if the content is invalid.
  static func read(
    _ kind: Kind, _ bytes: UnsafeBufferPointer<UInt8>, into entity: inout Entity
  ) -> Bool {
    let content: Content?
    switch kind {
    case .bytes: content = .bytes(Array(bytes))
    case .text: content = String(validating: bytes, as: UTF8.self).map { .text($0) }
    case .received:
      // The headers of a 304 response may name a charset that these bytes are not in.
      content = entity.decodeText(bytes) ? entity.content : .bytes(Array(bytes))
    case .json, .values:
      let document =
        kind == .values || entity.hasJSONLines
        ? try? JSONDocument(lines: bytes) : try? JSONDocument(parsing: bytes)
      content = document.map { .json($0) }
    }
    guard let content else { return false }
    entity.content = content
    return true
  }
}
