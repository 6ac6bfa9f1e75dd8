internal import CSimdjson

/// A keyed decoding container: the members of an object on the tape. If a key is repeated, the last
/// value is used. (JSN-13)
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

  /// The keys of the object that `Key` can represent, in the order of the document.
  var allKeys: [Key] {
    JSONElement.pairs(reader.view, object).compactMap {
      Key(stringValue: reader.text(at: Int($0.key)))
    }
  }

  /// The tape position of the key's value; 0 if the object does not have the key.
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

// Each of these functions looks up the key once; the default implementations of the standard
// library look it up three times. There is one function for each type, since the protocol has no
// generic requirement for them.
extension TapeObject {
  /// The tape position of the key's value; 0 if the value is null or there is no such key.
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

/// An unkeyed decoding container: the elements of an array on the tape, in order. This struct is
/// three words large, like `TapeDecoder`.
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
    // The tape stores the positions of containers in 32 bits.
    next = UInt32(csj_first(reader.view, place))
    end = UInt32(csj_end(reader.view, place))
    self.depth = UInt32(depth)
  }

  /// The tape position of the array. It is read from the closing word of the array.
  private var array: Int { Int(UInt32(truncatingIfNeeded: reader.view.tape[Int(end)])) }

  var codingPath: [any CodingKey] { reader.path(to: array) }
  var count: Int? { csj_count(reader.view, array) }
  var isAtEnd: Bool { next >= end }
  var currentIndex: Int { Int(position) }

  /// Calls `read` with the next element and returns the result. If `read` throws an error, the
  /// container does not advance: the next call reads the same element.
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

/// An array type that decodes many elements without a container. It reserves memory for all
/// elements first.
protocol LongArray {
  static func decoded(by reader: TapeReader, at place: Int, depth: Int) throws -> Self
}

extension Array: LongArray where Element: Decodable {
  static func decoded(by reader: TapeReader, at place: Int, depth: Int) throws -> [Element] {
    let view = reader.view
    var elements: [Element] = []
    // The limit matters for large elements, for which far more memory than needed could be
    // reserved.
    let most = reader.root.document.memory / Swift.max(1, MemoryLayout<Element>.stride)
    elements.reserveCapacity(Swift.min(csj_count(view, place), most))
    let end = csj_end(view, place)
    var next = csj_first(view, place)
    while next < end {
      elements.append(try reader.value(Element.self, at: next, depth: depth + 1))
      next = csj_after(view, next)
    }
    return elements
  }
}

extension TapeReader {
  /// Whether the value at `place` is an array long enough for `longArray`. For shorter arrays,
  /// finding the element type costs more than it saves.
  @inline(__always)
  func isLongArray(at place: Int) -> Bool {
    type(at: place) == CSJ_ARRAY && csj_count(view, place) >= 64
  }

  /// Decodes a long array of the document. If `type` is not an array type, the type decodes itself
  /// as usual.
  @inline(never)
  func longArray<Value: Decodable>(_ type: Value.Type, at place: Int, depth: Int) throws -> Value {
    if let array = type as? any LongArray.Type,
      let elements = try array.decoded(by: self, at: place, depth: depth) as? Value
    {
      return elements
    }
    return try Value(from: TapeDecoder(reader: self, place: place, depth: depth))
  }
}
