internal import CSimdjson

/// The decoder of one value of a document. It is three words large, so that passing it to other
/// functions allocates no memory.
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

/// The state that all decoders share during one call of `JSONElement.decoded`: the tape, and the
/// positions at which key lookups ended.
///
/// Used on one thread.
final class TapeReader {
  let root: JSONElement
  let userInfo: [CodingUserInfoKey: any Sendable]
  // The view is owned by the document, which `root` keeps alive.
  let view: csj_view
  private let document: OpaquePointer
  /// For each depth, the layout of the object that was entered last at that depth.
  private let layouts: UnsafeMutablePointer<csj_layout>
  /// The parents of all values on the tape. Computed when a coding path is needed, for an error or
  /// for the program.
  private(set) lazy var places = TapePlaces(of: self)

  /// The number of layouts, which is a power of two. Deeper levels share layouts.
  private static let layoutCount = 8

  init(_ root: JSONElement, userInfo: [CodingUserInfoKey: any Sendable]) {
    self.root = root
    self.userInfo = userInfo
    view = root.document.view
    document = root.document.pointer
    layouts = .allocate(capacity: TapeReader.layoutCount)
    layouts.initialize(repeating: csj_layout(), count: TapeReader.layoutCount)
  }

  deinit { layouts.deallocate() }

  func type(at place: Int) -> csj_type { csj_type_at(view, place) }

  private func layout(_ depth: Int) -> UnsafeMutablePointer<csj_layout> {
    layouts + depth & (TapeReader.layoutCount - 1)
  }

  /// Prepares lookups in an object. Returns whether these lookups must use the object's index,
  /// because the object is large or repeats keys. (JSN-13)
  func enter(_ object: Int, depth: Int) -> Bool { csj_enter(layout(depth), view, object) != 0 }

  /// The tape position of the value of `key` in an object for which `enter` has been called; 0 if
  /// the object has no such key.
  @inline(__always)
  func member<Key: CodingKey>(_ key: Key, of object: Int, depth: Int, isIndexed: Bool) -> Int {
    // Nearly all keys are enumerations of fewer than 256 cases: a single byte that identifies the
    // case.
    guard MemoryLayout<Key>.size == 1, !isIndexed else {
      return member(named: key.stringValue, of: object, depth: depth, isIndexed: isIndexed)
    }
    // The size was checked above.
    let number = Int(unsafeBitCast(key, to: UInt8.self))
    let type = unsafeBitCast(Key.self as Any.Type, to: UnsafeRawPointer.self)
    var place = 0
    if csj_find_number(layout(depth), object, type, number, &place) != 0 { return place }
    place = member(named: key.stringValue, of: object, depth: depth, isIndexed: false)
    csj_learn_number(layout(depth), object, type, number, place)
    return place
  }

  /// The tape position of the value whose key has the text `name`; 0 if the object has no such key.
  func member(named name: String, of object: Int, depth: Int, isIndexed: Bool) -> Int {
    var name = name
    // The bytes are only read during the call.
    return name.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { key in
        isIndexed
          ? csj_member(document, object, key.baseAddress, key.count)
          : csj_find(layout(depth), view, object, key.baseAddress, key.count)
      }
    }
  }

  /// The text of the string or key at the tape position `place`.
  func text(at place: Int) -> String {
    String(decoding: JSONElement.bytes(view, place), as: UTF8.self)
  }

  // MARK: Values

  /// Decodes the value at the tape position `place`. Types outside the standard library decode
  /// themselves.
  func value<Value: Decodable>(_ type: Value.Type, at place: Int, depth: Int) throws -> Value {
    // Each cast is to the identical type.
    if type == String.self { return unsafeBitCast(try string(at: place), to: type) }
    if type == Int.self { return unsafeBitCast(try integer(Int.self, at: place), to: type) }
    if type == Double.self { return unsafeBitCast(try double(at: place), to: type) }
    if type == Bool.self { return unsafeBitCast(try bool(at: place), to: type) }
    if type == Float.self { return unsafeBitCast(try float(at: place), to: type) }
    if type == Int64.self { return unsafeBitCast(try integer(Int64.self, at: place), to: type) }
    if type == Int32.self { return unsafeBitCast(try integer(Int32.self, at: place), to: type) }
    if type == Int16.self { return unsafeBitCast(try integer(Int16.self, at: place), to: type) }
    if type == Int8.self { return unsafeBitCast(try integer(Int8.self, at: place), to: type) }
    if type == UInt.self { return unsafeBitCast(try integer(UInt.self, at: place), to: type) }
    if type == UInt64.self { return unsafeBitCast(try integer(UInt64.self, at: place), to: type) }
    if type == UInt32.self { return unsafeBitCast(try integer(UInt32.self, at: place), to: type) }
    if type == UInt16.self { return unsafeBitCast(try integer(UInt16.self, at: place), to: type) }
    if type == UInt8.self { return unsafeBitCast(try integer(UInt8.self, at: place), to: type) }
    return try model(type, at: place, depth: depth)
  }

  private func model<Value: Decodable>(
    _ type: Value.Type, at place: Int, depth: Int
  ) throws -> Value {
    guard depth < TapeReader.mostLevels else { throw nestsTooDeeply(at: place) }
    guard depth < ThreadStack.fewLevels || stack.hasRoom else { throw takesTooMuchStack(at: place) }
    // These casts are also to the identical type.
    if type == [String].self { return unsafeBitCast(try strings(of: place), to: type) }
    if type == JSONValue.self { return unsafeBitCast(element(at: place).plainValue, to: type) }
    if let kind = FoundationType(type) { return try foundation(kind, type, at: place) }
    if isLongArray(at: place) { return try longArray(type, at: place, depth: depth) }
    return try Value(from: TapeDecoder(reader: self, place: place, depth: depth))
  }

  /// The largest number of nested decoders. This is the depth limit of JSON plus some levels, since
  /// a type may make further decoders for the same value.
  static let mostLevels = Int(CSJ_MAX_DEPTH) + 24

  /// The stack of the decoding thread.
  private lazy var stack = ThreadStack()

  func element(at place: Int) -> JSONElement { JSONElement(document: root.document, index: place) }

  private func strings(of place: Int) throws -> [String] {
    guard type(at: place) == CSJ_ARRAY else {
      throw mismatch([String].self, "an array", at: place)
    }
    var strings: [String] = []
    strings.reserveCapacity(csj_count(view, place))
    let end = csj_end(view, place)
    var next = csj_first(view, place)
    while next < end {
      strings.append(try string(at: next))
      next = csj_after(view, next)
    }
    return strings
  }

  func isNull(at place: Int) -> Bool { type(at: place) == CSJ_NULL }

  func bool(at place: Int) throws -> Bool {
    switch type(at: place) {
    case CSJ_TRUE: return true
    case CSJ_FALSE: return false
    default: throw mismatch(Bool.self, "true or false", at: place)
    }
  }

  func string(at place: Int) throws -> String {
    guard type(at: place) == CSJ_STRING else { throw mismatch(String.self, "a string", at: place) }
    return text(at: place)
  }

  func double(at place: Int) throws -> Double {
    switch type(at: place) {
    case CSJ_DOUBLE:
      let number = csj_double_at(view, place)
      guard number.isFinite else { throw doesNotFit(digits(at: place), Double.self, at: place) }
      return number
    case CSJ_INT: return Double(csj_int_at(view, place))
    default: throw mismatch(Double.self, "a number", at: place)
    }
  }

  func float(at place: Int) throws -> Float {
    guard let number = element(at: place).double else {
      throw mismatch(Float.self, "a number", at: place)
    }
    let value = Float(number)
    guard value.isFinite else { throw doesNotFit(digits(at: place), Float.self, at: place) }
    return value
  }

  /// The digits of a number: as written in the document if the document keeps them, otherwise in
  /// Swift's format.
  func digits(at place: Int) -> String {
    switch type(at: place) {
    case CSJ_INT: "\(csj_int_at(view, place))"
    default: element(at: place).digits ?? "\(csj_double_at(view, place))"
    }
  }

  func integer<Value: FixedWidthInteger & Decodable>(
    _ type: Value.Type, at place: Int
  ) throws -> Value {
    switch self.type(at: place) {
    case CSJ_INT:
      let number = csj_int_at(view, place)
      let value = Value(truncatingIfNeeded: number)
      if value == number { return value }
      throw doesNotFit("\(number)", type, at: place)
    case CSJ_DOUBLE:
      var whole: UInt64 = 0
      if csj_is_unsigned(view, place, &whole) != 0 {
        if let value = Value(exactly: whole) { return value }
        throw doesNotFit("\(whole)", type, at: place)
      }
      let number = csj_double_at(view, place)
      // Numbers beyond 64 bits have been rounded, so they are refused.
      if number.magnitude < 0x1p64, let value = Value(exactly: number) { return value }
      guard number.rounded(.towardZero) == number else {
        throw mismatch(type, "a whole number", "the number \(number)", at: place)
      }
      throw doesNotFit(
        number.isFinite ? "\(number)" : digits(at: place), type, at: place)
    default: throw mismatch(type, "a whole number", at: place)
    }
  }
}

/// The parent of each value in a document, for coding paths.
///
/// Decoding itself doesn't track paths. When a path is needed for the first time, usually for an
/// error, the whole tape is scanned. The result of the scan is kept, because a type that tries
/// several formats causes an error for each of them.
final class TapePlaces {
  private unowned let reader: TapeReader
  private let start: Int
  /// For each tape position, relative to `start`: the tape position of its container, and the index
  /// of the value in its array.
  private var parents: [UInt32]
  private var positions: [UInt32]

  init(of reader: TapeReader) {
    self.reader = reader
    let view = reader.view
    start = reader.root.index
    let end = csj_after(view, start)
    parents = Array(repeating: 0, count: end - start)
    positions = parents
    // The open containers, and the number of elements seen in each.
    var open: [(place: Int, end: Int, count: UInt32)] = []
    var place = start
    while place < end {
      while let last = open.last, place >= last.end {
        open.removeLast()
        place = last.end + 1
      }
      guard place < end else { break }
      let type = csj_type_at(view, place)
      if let last = open.indices.last {
        parents[place - start] = UInt32(open[last].place)
        positions[place - start] = open[last].count
        open[last].count += 1
      }
      if type == CSJ_ARRAY || type == CSJ_OBJECT {
        open.append((place, csj_end(view, place), 0))
        place = csj_first(view, place)
      } else {
        place = csj_after(view, place)
      }
    }
  }

  /// The coding path of the value at the tape position `place`: the keys and indices from the root
  /// value to this value.
  func path(to place: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    var place = place
    while place > start {
      let parent = Int(parents[place - start])
      if reader.type(at: parent) == CSJ_OBJECT {
        path.append(PlaceKey(reader.text(at: place - 1)))
      } else {
        path.append(PlaceKey(Int(positions[place - start])))
      }
      place = parent
    }
    return path.reversed()
  }
}

/// A component of a coding path: a key or an index.
struct PlaceKey: CodingKey, CustomStringConvertible {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init(_ position: Int) {
    stringValue = "Index \(position)"
    intValue = position
  }

  init(stringValue: String) { self.init(stringValue) }
  init(intValue: Int) { self.init(intValue) }

  var description: String { intValue.map { "[\($0)]" } ?? stringValue }
}

/// Makes errors for values that can't be decoded. An error contains the expected type, the value
/// found, and the coding path.
extension TapeReader {
  func mismatch(
    _ type: any Any.Type, _ expected: String, _ found: String? = nil, at place: Int
  ) -> any Error {
    let context = DecodingError.Context(
      codingPath: path(to: place),
      debugDescription: "expected \(expected), found \(found ?? kind(at: place))")
    return isNull(at: place)
      ? DecodingError.valueNotFound(type, context) : DecodingError.typeMismatch(type, context)
  }

  func doesNotFit(_ number: String, _ type: any Any.Type, at place: Int) -> any Error {
    DecodingError.dataCorrupted(
      .init(codingPath: path(to: place), debugDescription: "\(number) does not fit \(type)"))
  }

  func missing(_ key: any CodingKey, in object: Int) -> any Error {
    DecodingError.keyNotFound(
      key,
      .init(
        codingPath: path(to: object),
        debugDescription: "the field '\(CodingPathText.shown(key.stringValue))' is missing"))
  }

  /// The error for an attempt to read more elements than the array has.
  func isOver(_ type: any Any.Type, in array: Int, at position: Int) -> any Error {
    DecodingError.valueNotFound(
      type,
      .init(
        codingPath: path(to: array) + [PlaceKey(position)],
        debugDescription: "the array has only \(csj_count(view, array)) elements"))
  }

  func nestsTooDeeply(at place: Int) -> any Error {
    DecodingError.dataCorrupted(
      .init(
        codingPath: path(to: place),
        debugDescription: "the value is nested more than \(TapeReader.mostLevels) levels deep"))
  }

  func takesTooMuchStack(at place: Int) -> any Error {
    DecodingError.dataCorrupted(
      .init(
        codingPath: path(to: place),
        debugDescription: "the value is nested too deeply for the stack of this thread"))
  }

  func path(to place: Int) -> [any CodingKey] { places.path(to: place) }

  private func kind(at place: Int) -> String {
    switch type(at: place) {
    case CSJ_FALSE, CSJ_TRUE: "a boolean"
    case CSJ_INT, CSJ_DOUBLE: "a number"
    case CSJ_STRING: "a string"
    case CSJ_ARRAY: "an array"
    case CSJ_OBJECT: "an object"
    default: "null"
    }
  }
}

/// The stack of the calling thread. Its size limits how deeply a nested document or value can be
/// processed by recursion.
struct ThreadStack {
  private let end = csj_stack_end()

  /// Whether the stack has room for another level of recursion and its calls: 96 KB. Generated code
  /// in a build without optimization takes up to 3 KB per level.
  var hasRoom: Bool { csj_stack_has(end, 96 << 10) != 0 }

  /// Up to this number of levels, the stack is not checked, because so few levels need little of
  /// it.
  static let fewLevels = 12
}
