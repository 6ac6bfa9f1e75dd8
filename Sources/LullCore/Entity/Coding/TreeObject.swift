/// Fills an object, in the order in which members are encoded; of repeated keys the last counts.
struct TreeObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let encoder: TreeEncoder
  private let object: EncodedObject
  private let step: EncodingStep?

  init(_ encoder: TreeEncoder, _ object: EncodedObject, at step: EncodingStep?) {
    self.encoder = encoder
    self.object = object
    self.step = step
  }

  var codingPath: [any CodingKey] { EncodingStep.path(to: step) }

  private func set(_ value: EncodedValue, _ key: any CodingKey) {
    object.members.append(EncodedObject.Member(key: key.stringValue, value: value))
  }

  func encodeNil(forKey key: Key) { set(.null, key) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    set(try encoder.encoded(value, at: EncodingStep(key, in: step)), key)
  }

  func encode(_ value: Int128, forKey key: Key) throws {
    set(try encoder.encoded(value, at: EncodingStep(key, in: step)), key)
  }

  func encode(_ value: UInt128, forKey key: Key) throws {
    set(try encoder.encoded(value, at: EncodingStep(key, in: step)), key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    let nested = EncodedObject(keyedBy: type)
    set(.object(nested), key)
    return KeyedEncodingContainer(
      TreeObject<Nested>(encoder, nested, at: EncodingStep(key, in: step)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let nested = EncodedArray()
    set(.array(nested), key)
    return TreeArray(encoder, nested, at: EncodingStep(key, in: step))
  }

  func superEncoder() -> any Encoder { superEncoder(PlaceKey("super")) }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key) }

  private func superEncoder(_ key: any CodingKey) -> any Encoder {
    let inner = TreeEncoder(encoder.session, at: EncodingStep(key, in: step))
    set(.encoder(inner), key)
    return inner
  }
}
