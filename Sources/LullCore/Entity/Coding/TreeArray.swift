/// Fills an array.
struct TreeArray: UnkeyedEncodingContainer {
  private let encoder: TreeEncoder
  private let array: EncodedArray
  private let step: EncodingStep?

  init(_ encoder: TreeEncoder, _ array: EncodedArray, at step: EncodingStep?) {
    self.encoder = encoder
    self.array = array
    self.step = step
  }

  var codingPath: [any CodingKey] { EncodingStep.path(to: step) }
  var count: Int { array.elements.count }

  private var next: EncodingStep { EncodingStep(PlaceKey(count), in: step) }

  func encodeNil() { array.elements.append(.null) }

  func encode<Value: Encodable>(_ value: Value) throws {
    array.elements.append(try encoder.encoded(value, at: next))
  }

  func encode(_ value: Int128) throws {
    array.elements.append(try encoder.encoded(value, at: next))
  }
  func encode(_ value: UInt128) throws {
    array.elements.append(try encoder.encoded(value, at: next))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    let nested = EncodedObject(keyedBy: type)
    let step = next
    array.elements.append(.object(nested))
    return KeyedEncodingContainer(TreeObject<Nested>(encoder, nested, at: step))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let nested = EncodedArray()
    let step = next
    array.elements.append(.array(nested))
    return TreeArray(encoder, nested, at: step)
  }

  func superEncoder() -> any Encoder {
    let inner = TreeEncoder(encoder.session, at: next)
    array.elements.append(.encoder(inner))
    return inner
  }
}
