import LullCore

/// The format of an entity's bytes on the server. The bytes are sealed with a secret, or contain a
/// checksum. Bytes that were changed or belong to another entity are rejected.
struct SharedEntityForm: Sendable {
  /// The version byte of the format with a checksum. It differs from the version byte of a seal.
  private static let summed: UInt8 = 0x53

  let place: SharedCacheKey
  let seal: Seal?

  /// Seals the bytes, or adds a checksum. Returns nil without a library for ciphers.
  private func wrap(_ bytes: [UInt8], _ name: String) -> [UInt8]? {
    if let seal { return seal.seal(bytes, as: name) }
    var wrapped = [SharedEntityForm.summed]
    wrapped.reserveCapacity(bytes.count + 9)
    withUnsafeBytes(of: sum(bytes[...], name).littleEndian) { wrapped += $0 }
    wrapped += bytes
    return wrapped
  }

  private func unwrap(_ wrapped: [UInt8], _ name: String) -> [UInt8]? {
    if let seal { return seal.open(wrapped, as: name) }
    guard wrapped.count >= 9, wrapped[0] == SharedEntityForm.summed else { return nil }
    let bytes = wrapped[9...]
    let given = wrapped[1..<9].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return given == sum(bytes, name) ? Array(bytes) : nil
  }

  private func sum(_ bytes: ArraySlice<UInt8>, _ name: String) -> UInt64 {
    var sum = CacheChecksum()
    sum.add(name)
    bytes.withUnsafeBufferPointer { sum.add($0) }
    return sum.value
  }

  private func name(ofHead variant: String) -> String { "\(place.key)\n\(variant)\nhead" }

  /// Returns the name under which a body is sealed. The name contains the mark of a head, so that
  /// the body is only valid with that head.
  private func name(ofBody variant: String, _ mark: [UInt8]) -> String {
    "\(place.key)\n\(variant)\nbody \(Hexadecimal.text(mark))"
  }

  /// Returns the name of a variant on the server, or nil without a library for digests.
  func variantName(_ digest: [UInt8]) -> String? {
    guard !digest.isEmpty else { return "-" }
    return Digest.sha256.of("\(place.digest)\n\(Hexadecimal.text(digest))")
      .map { Hexadecimal.text($0.prefix(16)) }
  }

  // MARK: Writing

  /// Converts an entity to the format for the server. Returns nil if the entity cannot be stored or
  /// sealed.
  func packed(_ entity: Entity, at place: CacheKey) -> SharedEntityPack? {
    guard let stored = StoredEntity(entity, at: place), let digest = CacheVariant.of(entity),
      let variant = variantName(digest)
    else { return nil }
    let head = SharedEntityHead(stored, variant: digest)
    guard let body = wrap(stored.content, name(ofBody: variant, head.mark)),
      let wrappedHead = packed(head, variant)
    else { return nil }
    return SharedEntityPack(
      variant: variant, timestamp: stored.timestamp,
      sentTime: stored.timestamp - (stored.elapsed ?? 0), head: wrappedHead, body: body)
  }

  func packed(_ head: SharedEntityHead, _ variant: String) -> [UInt8]? {
    wrap(head.bytes, name(ofHead: variant))
  }

  // MARK: Reading

  /// Returns the head if it is valid and belongs to the wanted variant; otherwise nil.
  func head(_ wrapped: [UInt8], _ variant: String, _ wanted: CacheVariant) -> SharedEntityHead? {
    guard let bytes = unwrap(wrapped, name(ofHead: variant)),
      let head = SharedEntityHead(bytes), variantName(head.variant) == variant,
      wanted.isOne(head.variant, headers: head.headers)
    else { return nil }
    return head
  }

  /// Returns the entity with this head and body, or nil if the body is invalid.
  func entity(
    _ head: SharedEntityHead, _ body: [UInt8], _ variant: String, at place: CacheKey,
    _ wanted: CacheVariant
  ) -> Entity? {
    guard let content = unwrap(body, name(ofBody: variant, head.mark)) else { return nil }
    var entity = head.entity(at: place, wanted)
    let isRead = content.withUnsafeBufferPointer {
      StoredEntity.read(head.kind, $0, into: &entity)
    }
    return isRead ? entity : nil
  }
}

/// An entity in the format that is sent to the server.
struct SharedEntityPack: Sendable {
  let variant: String
  let timestamp: Double
  /// When the request was sent.
  let sentTime: Double
  let head: [UInt8]
  let body: [UInt8]

  /// The approximate size on the server.
  var size: Int { head.count + body.count + 256 }
}

/// The metadata of an entity as bytes. The metadata can be changed without the content.
struct SharedEntityHead: Equatable, Sendable {
  private static let form: UInt8 = 1
  private static let markBytes = 16

  var kind: StoredEntity.Kind
  var timestamp: Double
  var status: Int?
  var elapsed: Double?
  /// The headers as `name: value` lines.
  var headers: [UInt8]
  var charset: String?
  var finalURL: String?
  /// A digest of the request headers that the response depends on.
  var variant: [UInt8]
  /// Identifies the body that belongs to the head.
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

  /// Returns nil for invalid bytes.
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

  /// Returns the entity without its content.
  func entity(at place: CacheKey, _ wanted: CacheVariant) -> Entity {
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
    /// The change does not concern this entity.
    case none
    /// The head has changed, and the content is the same.
    case changed(SharedEntityHead)
    /// The changed entity must not be stored.
    case unfit
  }

  /// Returns the head with changed metadata.
  ///
  /// - Parameter change: Changes the entity, which is passed without its content. Returns whether
  ///   the change concerns this entity.
  func changed(
    at place: CacheKey, _ wanted: CacheVariant, _ change: (inout Entity) -> Bool
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

  /// Reads untrusted bytes.
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

    /// Reads a value that may be missing. Returns nil for invalid bytes, and an inner nil if the
    /// value is missing.
    mutating func optional<Part>(_ read: (inout Reader) -> Part?) -> Part?? {
      switch byte() {
      case 0: return .some(nil)
      case 1: return read(&self).map { .some($0) }
      default: return nil
      }
    }
  }
}

/// Performs operations on entities of the server. The operations on the same entry run in order,
/// and the number of concurrent operations is limited. Home thread only.
final class SharedEntityQueue {
  /// A function that performs an operation and then calls its argument once, immediately or later.
  typealias Operation = (_ done: @escaping () -> Void) -> Void

  private struct Waiting {
    let pump: ObjectIdentifier
    let name: String
    let byteCount: Int
    let operation: Operation
  }

  private struct Busy {
    let pump: ObjectIdentifier
    let byteCount: Int
    let number: Int
  }

  /// The maximum number of concurrent operations, and of bytes that they send.
  private static let mostAtOnce = 8
  private static let mostBytesAtOnce = 4 << 20

  /// Running operations, keyed by the name of the entry.
  private var busy: [String: Busy] = [:]
  private var count = 0
  private var bytesUnderWay = 0
  /// Waiting operations of busy entries, keyed by the name of the entry.
  private var held: [String: [Waiting]] = [:]
  /// Operations whose entry is not busy. The operation to run next is at the end.
  private var ready: [Waiting] = []
  private var arriving: [Waiting] = []
  private var isRunning = false
  private let large = CacheOperations()
  /// The last pump that was asked to notify this queue when the pump ends.
  private weak var told: Pump?

  /// Performs an operation after the earlier operations on the entry with that name.
  ///
  /// - Parameter pump: The pump that drives the operation. When the pump closes, waiting operations
  ///   are dropped, and running operations never end.
  func perform(
    _ name: String, on pump: Pump, byteCount: Int = 0, _ operation: @escaping Operation
  ) {
    guard !pump.isClosed else { return }
    if told !== pump {
      told = pump
      pump.tellOfEnd(self)
    }
    arriving.append(
      Waiting(
        pump: ObjectIdentifier(pump), name: name, byteCount: byteCount, operation: operation))
    run()
  }

  /// Performs an operation with a large reply, after the earlier operations of this kind on any
  /// entry.
  func performAlone(on pump: Pump, _ operation: @escaping Operation) {
    large.perform(on: pump, operation)
  }

  private func next() -> Waiting? {
    if ready.isEmpty {
      ready = arriving.reversed()
      arriving = []
    }
    return ready.popLast()
  }

  private func run() {
    guard !isRunning else { return }
    isRunning = true
    defer { isRunning = false }
    while busy.count < SharedEntityQueue.mostAtOnce, let waiting = next() {
      guard busy[waiting.name] == nil else {
        held[waiting.name, default: []].append(waiting)
        continue
      }
      guard
        bytesUnderWay == 0
          || bytesUnderWay + waiting.byteCount <= SharedEntityQueue.mostBytesAtOnce
      else {
        ready.append(waiting)
        return
      }
      begin(waiting)
    }
  }

  private func begin(_ waiting: Waiting) {
    count += 1
    let number = count
    busy[waiting.name] = Busy(pump: waiting.pump, byteCount: waiting.byteCount, number: number)
    bytesUnderWay += waiting.byteCount
    waiting.operation { [self] in
      guard busy[waiting.name]?.number == number else { return }
      free(waiting.name)
      run()
    }
  }

  private func free(_ name: String) {
    guard let ended = busy.removeValue(forKey: name) else { return }
    bytesUnderWay -= ended.byteCount
    // These operations arrived before those that were not considered yet.
    if let others = held.removeValue(forKey: name) { ready += others.reversed() }
  }
}

extension SharedEntityQueue: PumpQueue {
  func pumpHasClosed(_ pump: Pump) {
    let closed = ObjectIdentifier(pump)
    ready.removeAll { $0.pump == closed }
    arriving.removeAll { $0.pump == closed }
    held = held.mapValues { $0.filter { $0.pump != closed } }
    for name in busy.filter({ $0.value.pump == closed }).keys { free(name) }
    run()
  }
}
