extension JSONValue {
  /// A tree of plain Swift values as JSON: `nil`, `Bool`, integers, floating point numbers, text,
  /// arrays, dictionaries with text as keys, and whatever JSON values stand among them.
  ///
  /// Fails for anything else, for integers beyond 64 signed bits, and for numbers JSON does not have,
  /// and names the place by a JSON Pointer. (REQ-12, REQ-13, DYN-02)
  ///
  /// - Throws: What has no place in JSON, and where it is.
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
    // Its decimal form, or 0.1 would become 0.10000000149011612.
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
      throw JSONError("JSON has no \(type(of: value))", path: pointer(path))
    }
  }

  private static func number(_ value: Double, _ path: [String]) throws(JSONError) -> JSONValue {
    guard value.isFinite else {
      throw JSONError("JSON has no number \(value)", path: pointer(path))
    }
    return .double(value)
  }
}

/// An optional of any type, as it may lie inside an `Any`.
private protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  fileprivate var wrapped: Any? { self }
}
