internal import CSimdjson

/// JSON as plain Swift values.
public enum JSONValue: Sendable {
  /// JSON's null, a value as any other.
  case null
  /// True or false.
  case bool(Bool)
  /// Written without fraction or exponent. (JSN-12)
  case int(Int)
  /// Any other number; `encode` refuses what is not finite.
  case double(Double)
  /// Unicode text, with what JSON escapes undone.
  case string(String)
  /// The elements in order.
  case array([JSONValue])
  /// The members in order. Of repeated keys the last counts, as in JSON read from a server.
  case object([Member])

  /// A key and its value.
  public struct Member: Sendable, JSONMember {
    /// Compared byte by byte.
    public var key: String
    /// Whatever JSON has, null too.
    public var value: JSONValue

    /// A member, to be put into an object.
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
  ///
  /// - Throws: Which number JSON does not have, and where it is.
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
        throw JSONError("JSON has no number \(value)", path: JSONValue.pointer(path))
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
    // Escaped, a token takes twice as many bytes at most, and there is one for the end.
    let size = path.reduce(1) { $0 + 1 + 2 * $1.utf8.count }
    return String(unsafeUninitializedCapacity: size) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { pointer in
        path.reduce(0) { csj_pointer_append(pointer.baseAddress, $0, size, $1, $1.utf8.count) }
      }
    }
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
