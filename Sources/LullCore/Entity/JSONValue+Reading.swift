/// The value as a type of the standard library; nil, never an error, for any other kind of value.
extension JSONValue {
  /// Whether it is JSON's null; false where a member is missing, which is nil.
  public var isNull: Bool { self == .null }

  /// True or false; nil for any other kind, numbers too.
  public var bool: Bool? {
    if case .bool(let value) = self { return value }
    return nil
  }

  /// A whole number that was written as one.
  public var int: Int? {
    if case .int(let value) = self { return value }
    return nil
  }

  /// Any number; an integer is converted.
  public var double: Double? {
    switch self {
    case .double(let value): value
    case .int(let value): Double(value)
    default: nil
    }
  }

  /// A string; nil for any other kind.
  public var string: String? {
    if case .string(let value) = self { return value }
    return nil
  }

  /// The elements, in order, if this is an array.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { return elements }
    return nil
  }

  /// The members, if this is an object; of repeated keys the last counts. (JSN-13)
  public var dictionary: [String: JSONValue]? {
    guard case .object(let members) = self else { return nil }
    return Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
  }
}
