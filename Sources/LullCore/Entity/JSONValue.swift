internal import CSimdjson

/// JSON as plain Swift values.
public enum JSONValue: Sendable {
  /// JSON's null.
  case null
  /// True or false.
  case bool(Bool)
  /// A number written without fraction or exponent. (JSN-12)
  case int(Int)
  /// Any other number. `encode` refuses numbers that aren't finite.
  case double(Double)
  /// Unicode text, with JSON escapes decoded.
  case string(String)
  /// The elements in order.
  case array([JSONValue])
  /// The members in the order given. If a key is repeated, the last value is used, as in JSON from
  /// a server.
  case object([Member])

  /// A key and its value.
  public struct Member: Sendable, JSONMember {
    /// The key, compared byte by byte.
    public var key: String
    /// The value of the member: any JSON value, including null.
    public var value: JSONValue

    /// Makes a member of an object.
    public init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The value of `key`, if this value is an object that has the key. If the key is repeated, its
  /// last value is returned.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    // Keys are not compared with `==`, which treats equivalent compositions of a character as
    // equal.
    return members.last { $0.key.utf8.elementsEqual(key.utf8) }?.value
  }

  /// The element at an index, counted from 0, if this value is an array that long.
  public subscript(position: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
    return elements[position]
  }

  /// Returns the value as JSON text in UTF-8. The text is compact (REQ-10), or pretty, on several
  /// lines with two spaces per level. NaN and infinite numbers can't be represented. (REQ-13,
  /// DYN-02)
  ///
  /// - Throws: An error with the number that JSON can't represent, and the path of this number.
  public func encode(pretty: Bool = false) throws(JSONError) -> [UInt8] {
    var writer = JSONWriter(pretty: pretty)
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
        throw JSONError("JSON cannot represent the number \(value)", path: JSONValue.pointer(path))
      }
      writer.write(value)
    case .string(let value): writer.write(value)
    case .array(let elements):
      writer.begin("[")
      for (position, element) in elements.enumerated() {
        path.append(String(position))
        try element.write(to: &writer, path: &path)
        path.removeLast()
      }
      writer.end("]")
    case .object(let members):
      writer.begin("{")
      for member in members.withoutRepetition {
        writer.write(key: member.key)
        path.append(member.key)
        try member.value.write(to: &writer, path: &path)
        path.removeLast()
      }
      writer.end("}")
    }
  }

  static func pointer(_ path: [String]) -> String {
    // With escapes, a token takes at most twice as many bytes; one byte is for the terminator.
    let size = path.reduce(1) { $0 + 1 + 2 * $1.utf8.count }
    return String(unsafeUninitializedCapacity: size) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { pointer in
        path.reduce(0) { csj_pointer_append(pointer.baseAddress, $0, size, $1, $1.utf8.count) }
      }
    }
  }

}

extension JSONValue: Equatable {
  /// Whether two values have the same content, compared like two `JSONElement` values.
  public static func == (one: JSONValue, other: JSONValue) -> Bool {
    switch (one, other) {
    case (.null, .null): return true
    case (.bool(let one), .bool(let other)): return one == other
    case (.int(let one), .int(let other)): return one == other
    case (.double(let one), .double(let other)): return one == other
    case (.int(let int), .double(let double)), (.double(let double), .int(let int)):
      return csj_same_number(Int64(int), double) != 0
    case (.string(let one), .string(let other)): return one.utf8.elementsEqual(other.utf8)
    case (.array(let one), .array(let other)): return one == other
    case (.object(let one), .object(let other)):
      let one = one.withoutRepetition
      var values: [[UInt8]: JSONValue] = [:]
      for member in other { values[Array(member.key.utf8)] = member.value }
      return one.count == values.count
        && one.allSatisfy { values[Array($0.key.utf8)] == $0.value }
    default: return false
    }
  }
}

// `JSONValue` is not `ExpressibleByNilLiteral`, because `nil` for an optional value would silently
// become null.
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

/// Returns the value as a type of the standard library, or nil if the value has another type. No
/// error is thrown.
extension JSONValue {
  /// Whether the value is JSON's null. If a member is missing, the subscript returns nil instead.
  public var isNull: Bool { self == .null }

  /// The value as a boolean; nil for any other type, including numbers.
  public var bool: Bool? {
    if case .bool(let value) = self { return value }
    return nil
  }

  /// The value as an integer, if the number is written without fraction or exponent; nil for any
  /// other value.
  public var int: Int? {
    if case .int(let value) = self { return value }
    return nil
  }

  /// The value as a double: any number, with integers converted; nil for any other type.
  public var double: Double? {
    switch self {
    case .double(let value): value
    case .int(let value): Double(value)
    default: nil
    }
  }

  /// The value as a string; nil for any other type.
  public var string: String? {
    if case .string(let value) = self { return value }
    return nil
  }

  /// The elements in order, if this value is an array; otherwise nil.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { return elements }
    return nil
  }

  /// The members by key, if this value is an object; otherwise nil. If a key is repeated, the last
  /// value is used. (JSN-13)
  public var dictionary: [String: JSONValue]? {
    guard case .object(let members) = self else { return nil }
    return Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
  }
}

extension JSONValue {
  /// Converts a tree of plain Swift values: `nil`, `Bool`, integers, floating-point numbers, text,
  /// arrays, and dictionaries with text keys. The tree may contain `JSONValue`, `JSONElement` and
  /// `JSONDocument` values.
  ///
  /// Any other value, an integer beyond 64 signed bits, NaN and infinite numbers can't be
  /// converted. (REQ-12, REQ-13, DYN-02)
  ///
  /// - Throws: An error with the value that JSON can't represent, and the JSON Pointer of this
  ///   value.
  public init(converting value: Any) throws(JSONError) {
    var path: [String] = []
    self = try JSONValue.converted(value, &path)
  }

  private static func converted(
    _ value: Any, _ path: inout [String]
  ) throws(JSONError) -> JSONValue {
    switch value {
    case let value as JSONValue: return value
    case let value as JSONElement: return value.plainValue
    case let value as JSONDocument: return value.root.plainValue
    case let value as Bool: return .bool(value)
    case let value as String: return .string(value)
    case let value as any StringProtocol: return .string(String(value))
    case let value as any BinaryInteger:
      guard let int = Int(exactly: value) else {
        throw JSONError("\(value) does not fit 64 signed bits", path: pointer(path))
      }
      return .int(int)
    // Uses the decimal form of the number. Otherwise 0.1 would become 0.10000000149011612.
    case let value as Float: return try number(Double(value.description) ?? .nan, path)
    case let value as any BinaryFloatingPoint: return try number(Double(value), path)
    case let elements as [Any]:
      var array: [JSONValue] = []
      array.reserveCapacity(elements.count)
      for (position, element) in elements.enumerated() {
        path.append(String(position))
        array.append(try converted(element, &path))
        path.removeLast()
      }
      return .array(array)
    case let members as [String: Any]:
      var object: [Member] = []
      object.reserveCapacity(members.count)
      for (key, member) in members {
        path.append(key)
        object.append(Member(key, try converted(member, &path)))
        path.removeLast()
      }
      return .object(object)
    case let value as any OptionalValue:
      guard let wrapped = value.wrapped else { return .null }
      return try converted(wrapped, &path)
    default:
      throw JSONError("JSON cannot represent \(type(of: value))", path: pointer(path))
    }
  }

  private static func number(_ value: Double, _ path: [String]) throws(JSONError) -> JSONValue {
    guard value.isFinite else {
      throw JSONError("JSON cannot represent the number \(value)", path: pointer(path))
    }
    return .double(value)
  }
}

/// An optional of any type. The optional may be stored in an `Any`.
private protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrapped: Any? { self }
}

/// Finds consecutive JSON values in bytes that may arrive in several chunks.
///
/// Values are separated by white space, by RS (RFC 7464), or not at all. The scan recognizes only
/// brackets and strings; the parser decides whether a value is valid JSON. No byte is scanned
/// twice.
package struct JSONValueScan {
  private enum Part {
    case between
    case scalar
    case inside
  }

  private var part = Part.between
  private var depth = 0
  private var isString = false
  private var isEscaped = false
  private var hasFound = false

  private static let separator: UInt8 = 0x1E

  package init() {}

  /// Returns the range of the next value in `bytes`, or nil if the value doesn't end in these
  /// bytes.
  ///
  /// - Parameters:
  ///   - start: The index at which the value begins, or at which the separator before it ends.
  ///   - place: The index up to which the bytes have been scanned.
  package mutating func next(
    in bytes: UnsafeBufferPointer<UInt8>, start: inout Int, place: inout Int
  ) -> Range<Int>? {
    while place < bytes.count {
      let byte = bytes[place]
      switch part {
      case .between:
        if isBetween(byte) {
          place += 1
          start = place
          continue
        }
        start = place
        place += 1
        hasFound = true
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): (part, depth) = (.inside, 1)
        case UInt8(ascii: "\""): (part, depth, isString) = (.inside, 0, true)
        default: part = .scalar
        }
      case .scalar:
        let isNext =
          byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"")
        guard isNext || isBetween(byte) else {
          place += 1
          continue
        }
        return end(start..<place)
      case .inside:
        if byte == JSONValueScan.separator { return end(start..<place) }
        place += 1
        if isEscaped {
          isEscaped = false
        } else if isString {
          if byte == UInt8(ascii: "\\") { isEscaped = true }
          guard byte == UInt8(ascii: "\"") else { continue }
          isString = false
          if depth == 0 { return end(start..<place) }
        } else {
          switch byte {
          case UInt8(ascii: "\""): isString = true
          case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
          case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == 0 { return end(start..<place) }
          default: break
          }
        }
      }
    }
    return nil
  }

  private mutating func end(_ range: Range<Int>) -> Range<Int> {
    (part, depth, isString, isEscaped) = (.between, 0, false, false)
    return range
  }

  private func isBetween(_ byte: UInt8) -> Bool {
    switch byte {
    case 32, 9, 10, 13, JSONValueScan.separator: true
    // A byte-order mark.
    case 0xEF, 0xBB, 0xBF: !hasFound
    default: false
    }
  }

  /// The ranges of all values in a complete body. The last value may be truncated.
  package static func values(_ bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var scan = JSONValueScan()
    var (start, place) = (0, 0)
    var values: [Range<Int>] = []
    while let value = scan.next(in: bytes, start: &start, place: &place) {
      values.append(value)
      start = value.upperBound
    }
    if start < bytes.count { values.append(start..<bytes.count) }
    return values
  }
}
