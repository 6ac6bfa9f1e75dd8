internal import CSimdjson

/// The members of an object, by key; of repeated keys the last counts. (JSN-13)
struct TapeObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let reader: TapeReader
  private let object: Int
  private let depth: Int
  private let isIndexed: Bool

  @inline(__always)
  init(_ reader: TapeReader, _ place: Int, _ depth: Int) throws {
    guard reader.type(at: place) == CSJ_OBJECT else {
      throw reader.mismatch([String: Any].self, "an object", at: place)
    }
    self.reader = reader
    object = place
    self.depth = depth
    isIndexed = reader.enter(place, depth: depth)
  }

  var codingPath: [any CodingKey] { reader.path(to: object) }

  /// Those that `Key` knows, in their order.
  var allKeys: [Key] {
    JSONElement.pairs(reader.view, object).compactMap {
      Key(stringValue: reader.text(at: Int($0.key)))
    }
  }

  /// The place of the value, 0 if there is none.
  @inline(__always)
  private func find(_ key: Key) -> Int {
    reader.member(key, of: object, depth: depth, isIndexed: isIndexed)
  }

  @inline(__always)
  private func place(of key: Key) throws -> Int {
    let place = find(key)
    guard place != 0 else { throw reader.missing(key, in: object) }
    return place
  }

  func contains(_ key: Key) -> Bool { find(key) != 0 }

  func decodeNil(forKey key: Key) throws -> Bool { reader.isNull(at: try place(of: key)) }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try reader.value(type, at: try place(of: key), depth: depth + 1)
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try reader.integer(type, at: try place(of: key))
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try reader.integer(type, at: try place(of: key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(try TapeObject<Nested>(reader, try place(of: key), depth + 1))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try TapeArray(reader, try place(of: key), depth + 1)
  }

  func superDecoder() throws -> any Decoder {
    let name = PlaceKey("super")
    let place = reader.member(
      named: name.stringValue, of: object, depth: depth, isIndexed: isIndexed)
    guard place != 0 else { throw reader.missing(name, in: object) }
    return TapeDecoder(reader: reader, place: place, depth: depth + 1)
  }

  func superDecoder(forKey key: Key) throws -> any Decoder {
    TapeDecoder(reader: reader, place: try place(of: key), depth: depth + 1)
  }
}

// One lookup in place of the three that the standard library makes do with. Each is written out, since it
// takes no generic function for these.
extension TapeObject {
  /// The place of a value that is not null, 0 if there is none.
  @inline(__always)
  private func present(_ key: Key) -> Int {
    let place = find(key)
    return place == 0 || reader.isNull(at: place) ? 0 : place
  }

  @inline(__always)
  private func integer<Value: FixedWidthInteger & Decodable>(_ key: Key) throws -> Value? {
    let place = present(key)
    return place == 0 ? nil : try reader.integer(Value.self, at: place)
  }

  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    let place = present(key)
    return place == 0 ? nil : try reader.value(type, at: place, depth: depth + 1)
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    let place = present(key)
    return place == 0 ? nil : try reader.bool(at: place)
  }

  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    let place = present(key)
    return place == 0 ? nil : try reader.string(at: place)
  }

  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    let place = present(key)
    return place == 0 ? nil : try reader.double(at: place)
  }

  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    let place = present(key)
    return place == 0 ? nil : try reader.float(at: place)
  }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try integer(key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try integer(key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try integer(key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try integer(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try integer(key) }
  func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try integer(key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try integer(key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try integer(key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try integer(key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try integer(key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try integer(key) }
  func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
    try integer(key)
  }
}
