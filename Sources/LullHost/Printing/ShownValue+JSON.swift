import LullCore

extension ShownValue {
  /// Creates a value for display from a document. Only the shown part of the document is read, and
  /// no Lua table is built.
  init(_ element: JSONElement, limits: Limits = Limits(), level: Int = 0) {
    switch element.kind {
    case .null: self = .atom("null", .word)
    case .bool: self = .atom(element.bool == true ? "true" : "false", .word)
    case .int: self = .atom(String(element.int ?? 0), .number)
    case .double:
      self = .atom(element.digits ?? ShownValue.text(element.double ?? 0), .number)
    case .string:
      self = .string(
        element.string ?? "", limit: level == 0 ? limits.topString : limits.string)
    case .array: self = ShownValue.array(element, limits, level)
    case .object: self = ShownValue.object(element, limits, level)
    }
  }

  private static func array(_ element: JSONElement, _ limits: Limits, _ level: Int) -> ShownValue {
    let count = element.count
    guard count > 0 else { return .atom("[]", .faint) }
    guard level < limits.depth else { return .atom("{…}", .faint) }
    let shown = element.elements.prefix(limits.elements).map {
      ShownValue($0, limits: limits, level: level + 1)
    }
    return .list(shown, more: count > shown.count ? .count(count - shown.count) : .none)
  }

  private static func object(_ element: JSONElement, _ limits: Limits, _ level: Int) -> ShownValue {
    let pairs = element.pairs
    guard !pairs.isEmpty else { return .atom("{}", .faint) }
    guard level < limits.depth else { return .atom("{…}", .faint) }
    let fields = pairs.prefix(limits.elements).map { pair in
      Field(
        key: ShownValue.key(pair.key),
        value: ShownValue(pair.value, limits: limits, level: level + 1))
    }
    return .map(
      fields, more: pairs.count > fields.count ? .count(pairs.count - fields.count) : .none)
  }

  /// Returns a key in the form that a Lua table constructor uses.
  static func key(_ key: String) -> String {
    ShownValue.key(bytes: key.utf8)
  }

  /// Returns a key in the form that a Lua table constructor uses. The bytes of the key need not be
  /// UTF-8.
  static func key(bytes: some Collection<UInt8>) -> String {
    if bytes.count <= 60, let name = String(validating: bytes, as: UTF8.self), isName(name) {
      return name
    }
    guard case .atom(let text, _) = string(bytes: bytes, limit: 60) else { return "[?]" }
    return "[" + text + "]"
  }

  /// Returns a float as text, in the format of Lua.
  static func text(_ number: Double) -> String {
    if number.isNaN { return "nan" }
    if number.isInfinite { return number < 0 ? "-inf" : "inf" }
    return String(number)
  }
}
