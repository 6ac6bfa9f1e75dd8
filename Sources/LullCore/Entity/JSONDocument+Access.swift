internal import CSimdjson

/// One value inside a document: its place there, and the document kept alive.
///
/// Reading builds nothing but what is returned. Asking a value for another type's content gives nil
/// or nothing, never an error.
public struct JSONElement: Sendable {
  public enum Kind: Sendable {
    case null, bool, int, double, string, array, object
  }

  public let document: JSONDocument
  /// The place on the document's tape.
  package let index: Int

  package init(document: JSONDocument, index: Int) {
    self.document = document
    self.index = index
  }

  public var kind: Kind {
    switch type {
    case CSJ_FALSE, CSJ_TRUE: .bool
    case CSJ_INT: .int
    case CSJ_DOUBLE: .double
    case CSJ_STRING: .string
    case CSJ_ARRAY: .array
    case CSJ_OBJECT: .object
    default: .null
    }
  }

  public var isNull: Bool { type == CSJ_NULL }

  public var bool: Bool? {
    switch type {
    case CSJ_TRUE: true
    case CSJ_FALSE: false
    default: nil
    }
  }

  /// An integer within 64 signed bits, written without fraction or exponent. (JSN-12)
  public var int: Int? {
    guard type == CSJ_INT else { return nil }
    return withView { Int(csj_int_at($0, index)) }
  }

  /// Any number; an integer is converted.
  public var double: Double? {
    switch type {
    case CSJ_DOUBLE: withView { csj_double_at($0, index) }
    case CSJ_INT: withView { Double(csj_int_at($0, index)) }
    default: nil
    }
  }

  public var string: String? {
    guard type == CSJ_STRING else { return nil }
    return withView { String(decoding: JSONElement.bytes($0, index), as: UTF8.self) }
  }

  /// The elements of an array, or the members of an object with each key counted once.
  public var count: Int {
    switch type {
    case CSJ_ARRAY: withView { csj_count($0, index) }
    case CSJ_OBJECT: withView { JSONElement.pairs($0, index).count }
    default: 0
    }
  }

  /// The last value of that key. (JSN-13)
  public subscript(key: String) -> JSONElement? {
    guard type == CSJ_OBJECT else { return nil }
    var key = key
    // The bytes are only read during the call.
    let found = key.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        csj_member(document.pointer, index, $0.baseAddress, $0.count)
      }
    }
    return found == 0 ? nil : JSONElement(document: document, index: found)
  }

  /// The element of an array, counted from 0.
  public subscript(position: Int) -> JSONElement? {
    guard type == CSJ_ARRAY, position >= 0 else { return nil }
    let found = csj_element(document.pointer, index, position)
    return found == 0 ? nil : JSONElement(document: document, index: found)
  }

  /// The value a JSON Pointer (RFC 6901) such as `/items/0/name` leads to from here.
  public subscript(pointer pointer: String) -> JSONElement? {
    if pointer.isEmpty { return self }
    guard pointer.utf8.first == UInt8(ascii: "/") else { return nil }
    var element = self
    for token in pointer.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      guard let name = JSONElement.unescaped(token), let next = element.child(name) else {
        return nil
      }
      element = next
    }
    return element
  }

  /// The elements of an array, in order; nothing for any other value.
  public var elements: JSONElements {
    guard type == CSJ_ARRAY else { return JSONElements(document: document, place: 0, end: 0) }
    return withView {
      JSONElements(document: document, place: csj_first($0, index), end: csj_end($0, index))
    }
  }

  /// The members of an object: each key once, at its first position, with its last value. (JSN-13)
  public var pairs: [(key: String, value: JSONElement)] {
    guard type == CSJ_OBJECT else { return [] }
    return withView { view in
      JSONElement.pairs(view, index).map { pair in
        let key = String(decoding: JSONElement.bytes(view, Int(pair.key)), as: UTF8.self)
        return (key, JSONElement(document: document, index: Int(pair.value)))
      }
    }
  }

  /// The whole value as plain Swift values.
  public var plainValue: JSONValue {
    switch kind {
    case .null: .null
    case .bool: .bool(bool ?? false)
    case .int: .int(int ?? 0)
    case .double: .double(double ?? 0)
    case .string: .string(string ?? "")
    case .array: .array(elements.map(\.plainValue))
    case .object: .object(pairs.map { JSONValue.Member($0.key, $0.value.plainValue) })
    }
  }

  /// Appends the value as JSON, without spaces unless pretty: integers exact, doubles in the
  /// shortest form that reads back the same, no more escapes than needed. (JSN-13, REQ-10)
  public func encode(into output: inout [UInt8], pretty: Bool = false) {
    var writer = JSONWriter(output: output, pretty: pretty)
    output = []
    withView { JSONElement.write(&writer, $0, index) }
    output = writer.output
  }

  // MARK: The tape

  private var type: csj_type { withView { csj_type_at($0, index) } }

  // Every read of the tape goes through here: the document must outlive the pointers in its view.
  private func withView<R>(_ body: (csj_view) -> R) -> R {
    withExtendedLifetime(document) { body(document.view) }
  }

  /// The indices of an object's keys and values, each key once.
  private static func pairs(_ view: csj_view, _ object: Int) -> [csj_pair] {
    Array(unsafeUninitializedCapacity: csj_count(view, object)) { buffer, count in
      // `csj_count` counts repeated keys again, so there is room for all.
      count = csj_pairs(view, object, buffer.baseAddress)
    }
  }

  /// The bytes of a string; valid as long as the view.
  private static func bytes(_ view: csj_view, _ index: Int) -> UnsafeBufferPointer<UInt8> {
    var length = 0
    let start = UnsafeRawPointer(csj_string_at(view, index, &length))
    // The C side guarantees `length` bytes there, which nothing ever writes to.
    return UnsafeBufferPointer(start: start?.assumingMemoryBound(to: UInt8.self), count: length)
  }

  private func child(_ name: String) -> JSONElement? {
    guard type == CSJ_ARRAY else { return self[name] }
    // RFC 6901, section 4: digits only, and no leading zero.
    let digits = name.utf8
    guard !digits.isEmpty, digits.allSatisfy({ $0 >= 48 && $0 <= 57 }),
      digits.count == 1 || digits.first != 48, let position = Int(name)
    else { return nil }
    return self[position]
  }

  /// A token of a JSON Pointer with `~1` and `~0` resolved; nil if another character follows a `~`.
  private static func unescaped(_ token: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    var rest = token[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "~") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
      case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
      default: return nil
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func write(_ writer: inout JSONWriter, _ view: csj_view, _ index: Int) {
    switch csj_type_at(view, index) {
    case CSJ_FALSE: writer.write(false)
    case CSJ_TRUE: writer.write(true)
    case CSJ_INT: writer.write(Int(csj_int_at(view, index)))
    case CSJ_DOUBLE: writer.write(csj_double_at(view, index))
    case CSJ_STRING: writer.write(bytes(view, index))
    case CSJ_ARRAY:
      writer.begin("[")
      let end = csj_end(view, index)
      var element = csj_first(view, index)
      while element < end {
        writer.beginElement()
        write(&writer, view, element)
        element = csj_after(view, element)
      }
      writer.end("]")
    case CSJ_OBJECT:
      writer.begin("{")
      for pair in pairs(view, index) {
        writer.beginElement()
        writer.write(bytes(view, Int(pair.key)))
        writer.endKey()
        write(&writer, view, Int(pair.value))
      }
      writer.end("}")
    default: writer.writeNull()
    }
  }
}

extension JSONElement: Equatable {
  /// Whether both hold the same content, of whatever documents: numbers compare as numbers, members
  /// in any order, and of repeated keys the last counts. (JSN-13)
  public static func == (one: JSONElement, other: JSONElement) -> Bool {
    one.withView { view in
      other.withView { otherView in
        one.document === other.document && one.index == other.index
          || equal(view, one.index, otherView, other)
      }
    }
  }

  private static func equal(
    _ view: csj_view, _ index: Int, _ otherView: csj_view, _ other: JSONElement
  ) -> Bool {
    let type = csj_type_at(view, index)
    let otherType = csj_type_at(otherView, other.index)
    switch (type, otherType) {
    case (CSJ_INT, CSJ_DOUBLE):
      return JSONValue.equal(
        csj_int_at(view, index), csj_double_at(otherView, other.index))
    case (CSJ_DOUBLE, CSJ_INT):
      return JSONValue.equal(
        csj_int_at(otherView, other.index), csj_double_at(view, index))
    default:
      guard type == otherType else { return false }
    }
    switch type {
    case CSJ_INT: return csj_int_at(view, index) == csj_int_at(otherView, other.index)
    case CSJ_DOUBLE: return csj_double_at(view, index) == csj_double_at(otherView, other.index)
    case CSJ_STRING:
      let bytes = bytes(view, index)
      let otherBytes = JSONElement.bytes(otherView, other.index)
      return bytes.count == otherBytes.count && bytes.elementsEqual(otherBytes)
    case CSJ_ARRAY:
      guard csj_count(view, index) == csj_count(otherView, other.index) else { return false }
      let end = csj_end(view, index)
      var element = csj_first(view, index)
      var otherElement = csj_first(otherView, other.index)
      while element < end {
        let place = JSONElement(document: other.document, index: otherElement)
        guard equal(view, element, otherView, place) else { return false }
        element = csj_after(view, element)
        otherElement = csj_after(otherView, otherElement)
      }
      return true
    case CSJ_OBJECT:
      let pairs = pairs(view, index)
      guard pairs.count == other.count else { return false }
      for pair in pairs {
        var length = 0
        let key = csj_string_at(view, Int(pair.key), &length)
        // The key points into `view`, which the caller keeps alive.
        let found = csj_member(other.document.pointer, other.index, key, length)
        guard found != 0 else { return false }
        let place = JSONElement(document: other.document, index: found)
        guard equal(view, Int(pair.value), otherView, place) else { return false }
      }
      return true
    default: return true
    }
  }
}

/// The elements of an array, walked without building anything.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
  let document: JSONDocument
  var place: Int
  let end: Int

  public mutating func next() -> JSONElement? {
    guard place < end else { return nil }
    let element = JSONElement(document: document, index: place)
    // The document must outlive the pointers in its view.
    place = withExtendedLifetime(document) { csj_after(document.view, place) }
    return element
  }
}

/// JSON as plain Swift values.
public enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(String)
  case array([JSONValue])
  /// The members in order. Of repeated keys the last counts, as in JSON read from a server.
  case object([Member])

  public struct Member: Sendable {
    public var key: String
    public var value: JSONValue

    public init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The last value of that key, if this is an object.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    // Not `==`, which takes two ways to compose a character for one.
    return members.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }

  /// The element at that position, if this is an array that long.
  public subscript(position: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
    return elements[position]
  }

  /// The value as JSON text in UTF-8: compact (REQ-10), or over several lines with two spaces for
  /// each level. Fails for a number JSON does not have, infinite or not a number, and names its
  /// place. (REQ-13, DYN-02)
  public func encode(pretty: Bool = false) throws(JSONError) -> [UInt8] {
    var writer = JSONWriter(output: [], pretty: pretty)
    var path: [String] = []
    try write(to: &writer, path: &path)
    return writer.output
  }

  private func write(to writer: inout JSONWriter, path: inout [String]) throws(JSONError) {
    switch self {
    case .null: writer.writeNull()
    case .bool(let value): writer.write(value)
    case .int(let value): writer.write(value)
    case .double(let value):
      guard value.isFinite else {
        throw JSONError("JSON has no number \(value)", path: JSONValue.pointer(path))
      }
      writer.write(value)
    case .string(let value): writer.write(value)
    case .array(let elements):
      writer.begin("[")
      for (position, element) in elements.enumerated() {
        writer.beginElement()
        path.append(String(position))
        try element.write(to: &writer, path: &path)
        path.removeLast()
      }
      writer.end("]")
    case .object(let members):
      writer.begin("{")
      for member in JSONValue.unique(members) {
        writer.beginElement()
        writer.write(member.key)
        writer.endKey()
        path.append(member.key)
        try member.value.write(to: &writer, path: &path)
        path.removeLast()
      }
      writer.end("}")
    }
  }

  private static func pointer(_ path: [String]) -> String {
    var pointer = ""
    for token in path {
      pointer += "/"
      for scalar in token.unicodeScalars {
        switch scalar {
        case "~": pointer += "~0"
        case "/": pointer += "~1"
        default: pointer.unicodeScalars.append(scalar)
        }
      }
    }
    return pointer
  }

  /// Each key once, at its first position, with its last value. (JSN-13)
  private static func unique(_ members: [Member]) -> [Member] {
    // Nearly always nothing repeats, which few keys show without hashing. `==` may find too much,
    // two ways to compose a character, but never too little.
    let mayRepeat =
      members.count > 16
      || members.indices.contains { place in
        members[..<place].contains { $0.key == members[place].key }
      }
    guard mayRepeat else { return members }
    var positions: [[UInt8]: Int] = [:]
    var unique: [Member] = []
    for member in members {
      if let position = positions[Array(member.key.utf8)] {
        unique[position].value = member.value
      } else {
        positions[Array(member.key.utf8)] = unique.count
        unique.append(member)
      }
    }
    return unique
  }

  /// Whether an integer and a double are the same number, without rounding either.
  fileprivate static func equal(_ int: Int64, _ double: Double) -> Bool {
    Int64(exactly: double) == int
  }
}

extension JSONValue: Equatable {
  /// As `==` of `JSONElement`: by content.
  public static func == (one: JSONValue, other: JSONValue) -> Bool {
    switch (one, other) {
    case (.null, .null): return true
    case (.bool(let one), .bool(let other)): return one == other
    case (.int(let one), .int(let other)): return one == other
    case (.double(let one), .double(let other)): return one == other
    case (.int(let int), .double(let double)), (.double(let double), .int(let int)):
      return equal(Int64(int), double)
    case (.string(let one), .string(let other)): return one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): return one == other
    case (.object(let one), .object(let other)):
      let one = unique(one)
      var values: [[UInt8]: JSONValue] = [:]
      for member in other { values[Array(member.key.utf8)] = member.value }
      return one.count == values.count
        && one.allSatisfy { values[Array($0.key.utf8)] == $0.value }
    default: return false
    }
  }
}

// Not by nil: `nil` where an optional value is wanted would become null unnoticed.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(members.map { Member($0.0, $0.1) })
  }
}

/// Writes JSON text, compact or pretty. The caller keeps begin and end in pairs.
package struct JSONWriter {
  package private(set) var output: [UInt8]
  private let pretty: Bool
  private var depth = 0
  private var isFirst = true

  package init(output: consuming [UInt8], pretty: Bool) {
    self.output = output
    self.pretty = pretty
  }

  package mutating func begin(_ bracket: Unicode.Scalar) {
    output.append(UInt8(ascii: bracket))
    depth += 1
    isFirst = true
  }

  /// Before every element of an array and every key of an object.
  package mutating func beginElement() {
    if !isFirst { output.append(UInt8(ascii: ",")) }
    isFirst = false
    breakLine()
  }

  package mutating func endKey() {
    output.append(UInt8(ascii: ":"))
    if pretty { output.append(UInt8(ascii: " ")) }
  }

  package mutating func end(_ bracket: Unicode.Scalar) {
    depth -= 1
    if !isFirst { breakLine() }
    isFirst = false
    output.append(UInt8(ascii: bracket))
  }

  package mutating func writeNull() {
    output += "null".utf8
  }

  package mutating func write(_ value: Bool) {
    output += (value ? "true" : "false").utf8
  }

  package mutating func write(_ value: Int) {
    output += String(value).utf8
  }

  /// Expects a finite number, whose description is the shortest that reads back the same, and JSON.
  package mutating func write(_ value: Double) {
    output += value.description.utf8
  }

  package mutating func write(_ value: String) {
    var value = value
    value.withUTF8 { write($0) }
  }

  /// Expects valid UTF-8. Escapes what JSON demands and nothing else. (JSN-16)
  package mutating func write(_ value: UnsafeBufferPointer<UInt8>) {
    output.append(UInt8(ascii: "\""))
    var start = 0
    for index in 0..<value.count {
      let byte = value[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        continue
      }
      output += value[start..<index]
      start = index + 1
      output.append(UInt8(ascii: "\\"))
      switch byte {
      case 8: output.append(UInt8(ascii: "b"))
      case 9: output.append(UInt8(ascii: "t"))
      case 10: output.append(UInt8(ascii: "n"))
      case 12: output.append(UInt8(ascii: "f"))
      case 13: output.append(UInt8(ascii: "r"))
      case 0..<0x20:
        output += "u00".utf8
        output.append(byte < 16 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
        let digit = byte & 15
        output.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      default: output.append(byte)
      }
    }
    output += value[start...]
    output.append(UInt8(ascii: "\""))
  }

  private mutating func breakLine() {
    guard pretty else { return }
    output.append(10)
    for _ in 0..<depth { output += "  ".utf8 }
  }
}
