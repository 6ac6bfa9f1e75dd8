internal import CSimdjson

/// The decoder of one value of a document. Three words, so that no memory is asked for to hand it on.
struct TapeDecoder: Decoder, SingleValueDecodingContainer {
  let reader: TapeReader
  let place: Int
  let depth: Int

  var codingPath: [any CodingKey] { reader.path(to: place) }
  var userInfo: [CodingUserInfoKey: Any] { reader.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try TapeObject<Key>(reader, place, depth))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try TapeArray(reader, place, depth)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  // MARK: Of a single value

  func decodeNil() -> Bool { reader.isNull(at: place) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try reader.value(type, at: place, depth: depth + 1)
  }

  func decode(_ type: Int128.Type) throws -> Int128 { try reader.integer(type, at: place) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try reader.integer(type, at: place) }
}
