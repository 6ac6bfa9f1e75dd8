import LullCore

/// How the bytes of one place look on the server: sealed with a secret, or with a sum. What has been changed, or
/// belongs to another place, is nothing.
struct SharedEntityForm: Sendable {
  /// That of the sum, other than a seal's.
  private static let summed: UInt8 = 0x53

  let place: SharedCachePlace
  let seal: Seal?

  /// nil without a library for ciphers.
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

  /// By the mark a body belongs to one head.
  private func name(ofBody variant: String, _ mark: [UInt8]) -> String {
    "\(place.key)\n\(variant)\nbody \(Hexadecimal.text(mark))"
  }

  /// What the server knows a variant by.
  func variantName(_ digest: [UInt8]) -> String? {
    guard !digest.isEmpty else { return "-" }
    return Digest.sha256.of("\(place.digest)\n\(Hexadecimal.text(digest))")
      .map { Hexadecimal.text($0.prefix(16)) }
  }

  // MARK: Making

  /// nil of what cannot be kept, or cannot be sealed.
  func packed(_ entity: Entity, at place: CachePlace) -> SharedEntityPack? {
    guard let stored = StoredEntity(entity, at: place), let digest = CacheVariant.of(entity),
      let variant = variantName(digest)
    else { return nil }
    let head = SharedEntityHead(stored, variant: digest)
    guard let body = wrap(stored.content, name(ofBody: variant, head.mark)),
      let wrappedHead = packed(head, variant)
    else { return nil }
    return SharedEntityPack(
      variant: variant, timestamp: stored.timestamp, head: wrappedHead, body: body)
  }

  func packed(_ head: SharedEntityHead, _ variant: String) -> [UInt8]? {
    wrap(head.bytes, name(ofHead: variant))
  }

  // MARK: Reading

  /// The head of what is wanted; nil if it is not, or makes no sense.
  func head(_ wrapped: [UInt8], _ variant: String, _ wanted: CacheVariant) -> SharedEntityHead? {
    guard let bytes = unwrap(wrapped, name(ofHead: variant)),
      let head = SharedEntityHead(bytes), variantName(head.variant) == variant,
      wanted.isOne(head.variant, headers: head.headers)
    else { return nil }
    return head
  }

  /// nil if it makes no sense.
  func entity(
    _ head: SharedEntityHead, _ body: [UInt8], _ variant: String, at place: CachePlace,
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

/// An entity as it is sent to the server.
struct SharedEntityPack: Sendable {
  let variant: String
  let timestamp: Double
  let head: [UInt8]
  let body: [UInt8]

  /// What it takes there, roughly.
  var size: Int { head.count + body.count + 256 }
}
