internal import CSimdjson

/// The elements of an array, in order. Three words, as the decoder.
struct TapeArray: UnkeyedDecodingContainer {
  let reader: TapeReader
  private var next: UInt32
  private let end: UInt32
  private var position: UInt32 = 0
  private let depth: UInt32

  init(_ reader: TapeReader, _ place: Int, _ depth: Int) throws {
    guard reader.type(at: place) == CSJ_ARRAY else {
      throw reader.mismatch([Any].self, "an array", at: place)
    }
    self.reader = reader
    // Places of containers have 32 bits on the tape.
    next = UInt32(csj_first(reader.view, place))
    end = UInt32(csj_end(reader.view, place))
    self.depth = UInt32(depth)
  }

  /// The closing word has it.
  private var array: Int { Int(UInt32(truncatingIfNeeded: reader.view.tape[Int(end)])) }

  var codingPath: [any CodingKey] { reader.path(to: array) }
  var count: Int? { csj_count(reader.view, array) }
  var isAtEnd: Bool { next >= end }
  var currentIndex: Int { Int(position) }

  /// What `read` makes of the next element, which stays the next one if that fails.
  private mutating func take<Value>(
    _ type: any Any.Type, _ read: (_ place: Int, _ depth: Int) throws -> Value
  ) throws -> Value {
    guard next < end else { throw reader.isOver(type, in: array, at: Int(position)) }
    let value = try read(Int(next), Int(depth) + 1)
    advance()
    return value
  }

  private mutating func advance() {
    next = UInt32(truncatingIfNeeded: csj_after(reader.view, Int(next)))
    position += 1
  }

  mutating func decodeNil() throws -> Bool {
    guard next < end else { throw reader.isOver(Any?.self, in: array, at: Int(position)) }
    guard reader.isNull(at: Int(next)) else { return false }
    return try take(Any?.self) { _, _ in true }
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard next < end else { throw reader.isOver(type, in: array, at: Int(position)) }
    let value = try reader.value(type, at: Int(next), depth: Int(depth) + 1)
    advance()
    return value
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    try take(type) { [reader] place, _ in try reader.integer(type, at: place) }
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    try take(type) { [reader] place, _ in try reader.integer(type, at: place) }
  }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    try take([String: Any].self) { [reader] in
      KeyedDecodingContainer(try TapeObject<Key>(reader, $0, $1))
    }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try take([Any].self) { [reader] in try TapeArray(reader, $0, $1) }
  }

  mutating func superDecoder() throws -> any Decoder {
    try take((any Decoder).self) { [reader] in TapeDecoder(reader: reader, place: $0, depth: $1) }
  }
}
