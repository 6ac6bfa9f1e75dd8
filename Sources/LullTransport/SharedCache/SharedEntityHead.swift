import LullCore

/// What is known of an entity beside its content, as bytes: it can be changed without that.
struct SharedEntityHead: Equatable, Sendable {
  private static let form: UInt8 = 1
  private static let markBytes = 16

  var kind: StoredEntity.Kind
  var timestamp: Double
  var status: Int?
  var elapsed: Double?
  /// `name: value` lines.
  var headers: [UInt8]
  var charset: String?
  var finalURL: String?
  /// A digest of what of the request it depends on.
  var variant: [UInt8]
  /// What the body is known by that belongs to it.
  var mark: [UInt8]

  init(_ stored: StoredEntity, variant: [UInt8]) {
    kind = stored.kind
    timestamp = stored.timestamp
    status = stored.status
    elapsed = stored.elapsed
    headers = stored.headers
    charset = stored.charset
    finalURL = stored.finalURL
    self.variant = variant
    var generator = SystemRandomNumberGenerator()
    mark = (0..<SharedEntityHead.markBytes).map { _ in
      UInt8.random(in: 0...255, using: &generator)
    }
  }

  /// nil of bytes that are none.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(rest: bytes[...])
    guard reader.byte() == SharedEntityHead.form,
      let kind = reader.byte().flatMap({ StoredEntity.Kind(rawValue: Int64($0)) }),
      let timestamp = reader.word().map({ Double(bitPattern: $0) }),
      StoredEntity.isTime(timestamp),
      let status = reader.optional({ $0.word() }),
      let elapsed = reader.optional({ $0.word() }),
      let headers = reader.bytes(),
      let charset = reader.optional({ $0.text() }),
      let finalURL = reader.optional({ $0.text() }),
      let variant = reader.bytes(), let mark = reader.bytes(),
      mark.count == SharedEntityHead.markBytes, reader.rest.isEmpty,
      status.map({ $0 < 1000 }) ?? true,
      elapsed.map({ StoredEntity.isDuration(Double(bitPattern: $0)) }) ?? true
    else { return nil }
    self.kind = kind
    self.timestamp = timestamp
    self.status = status.map { Int($0) }
    self.elapsed = elapsed.map { Double(bitPattern: $0) }
    self.headers = headers
    self.charset = charset
    self.finalURL = finalURL
    self.variant = variant
    self.mark = mark
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = [SharedEntityHead.form, UInt8(truncatingIfNeeded: kind.rawValue)]
    func add(_ word: UInt64) { withUnsafeBytes(of: word.littleEndian) { bytes += $0 } }
    func add(_ part: some Collection<UInt8>) {
      add(UInt64(part.count))
      bytes += part
    }
    func addIfAny<Part>(_ part: Part?, _ body: (Part) -> Void) {
      bytes.append(part == nil ? 0 : 1)
      if let part { body(part) }
    }
    add(timestamp.bitPattern)
    addIfAny(status) { add(UInt64(clamping: $0)) }
    addIfAny(elapsed) { add($0.bitPattern) }
    add(headers)
    addIfAny(charset) { add($0.utf8) }
    addIfAny(finalURL) { add($0.utf8) }
    add(variant)
    add(mark)
    return bytes
  }

  /// Without its content.
  func entity(at place: CachePlace, _ wanted: CacheVariant) -> Entity {
    var entity = Entity(
      content: .bytes([]), charset: charset, headers: StoredEntity.headers(of: headers),
      timestamp: timestamp)
    if let status {
      entity.exchange = Exchange(
        HTTPResponse(status: status, url: finalURL ?? place.url, elapsed: elapsed))
      let variant = wanted.variant(of: entity.headers)
      entity.exchange?.variant = variant
    }
    return entity
  }

  enum Change {
    /// It is another one.
    case none
    /// The content stays.
    case changed(SharedEntityHead)
    /// It must not be kept.
    case unfit
  }

  /// With what is known of the entity anew.
  ///
  /// - Parameter change: whether the entity, without its content, is one to be changed.
  func changed(
    at place: CachePlace, _ wanted: CacheVariant, _ change: (inout Entity) -> Bool
  ) -> Change {
    var entity = entity(at: place, wanted)
    guard change(&entity) else { return .none }
    guard let stored = StoredEntity(entity, at: place), let variant = CacheVariant.of(entity),
      variant == self.variant
    else { return .unfit }
    var head = SharedEntityHead(stored, variant: variant)
    head.kind = kind
    head.mark = mark
    return .changed(head)
  }

  /// What is left of hostile bytes.
  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func word() -> UInt64? {
      guard rest.count >= 8 else { return nil }
      let word = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      rest = rest.dropFirst(8)
      return word
    }

    mutating func bytes() -> [UInt8]? {
      guard let count = word().flatMap({ Int(exactly: $0) }), count <= rest.count else {
        return nil
      }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }

    mutating func text() -> String? { bytes().flatMap { String(validating: $0, as: UTF8.self) } }

    /// nil if it makes no sense; a nil inside: there is none.
    mutating func optional<Part>(_ read: (inout Reader) -> Part?) -> Part?? {
      switch byte() {
      case 0: return .some(nil)
      case 1: return read(&self).map { .some($0) }
      default: return nil
      }
    }
  }
}
