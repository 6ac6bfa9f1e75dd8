extension Content {
  /// Content as what it plainly is: text, bytes, JSON, a script's value, else a value of its own
  /// type. Content stays the content it is.
  public init(_ value: some Sendable) {
    switch value {
    case let content as Content: self = content
    case let text as String: self = .text(text)
    case let bytes as [UInt8]: self = .bytes(bytes)
    case let document as JSONDocument: self = .json(document)
    case let foreign as ForeignContent: self = .foreign(foreign)
    default: self = .value(value)
    }
  }

  /// The content as a value of that type; nil if it is none. (TYP-04, TYP-06, ENT-14)
  ///
  /// Text is a `String`, raw bytes are `[UInt8]`, what a transformer made is what it made. JSON is a
  /// `JSONDocument`, its outermost value a `JSONElement`, a `JSONValue` or whatever type of the
  /// standard library fits: `[String: JSONValue]`, `[String: String]`, `[Int]`, `Bool`, … A number
  /// written without fraction is an `Int` and a `Double`, any other a `Double`. Everything but the
  /// first two is built anew at each call.
  public func cast<Value>(to type: Value.Type = Value.self) -> Value? {
    if let content = self as? Value { return content }
    switch self {
    case .bytes(let bytes): return bytes as? Value
    case .text(let text): return text as? Value
    case .foreign(let foreign): return foreign as? Value
    case .json(let document): return document as? Value ?? document.root.cast()
    case .value(let value):
      if let value = value as? Value { return value }
      if let element = value as? JSONElement { return element.cast() }
      return (value as? JSONValue)?.cast()
    }
  }
}

extension JSONElement {
  fileprivate func cast<Value>() -> Value? {
    if let element = self as? Value { return element }
    // What cannot be of that type is not built to find out.
    switch kind {
    case .null, .bool, .int, .double, .string: return plainValue.cast()
    case .array where Value.self == [String: JSONValue].self: return nil
    case .object where Value.self == [JSONValue].self: return nil
    case .array, .object: return plainValue.cast()
    }
  }
}

extension JSONValue {
  fileprivate func cast<Value>() -> Value? {
    if let value = self as? Value { return value }
    switch self {
    case .array(let elements) where Value.self == [JSONValue].self: return elements as? Value
    case .object where Value.self == [String: JSONValue].self: return dictionary as? Value
    case .int(let value) where Value.self == Double.self: return Double(value) as? Value
    default: return standardValue as? Value
    }
  }

  /// Nothing but types of the standard library, which Swift casts element by element.
  private var standardValue: any Sendable {
    switch self {
    case .null: self
    case .bool(let value): value
    case .int(let value): value
    case .double(let value): value
    case .string(let value): value
    case .array(let elements): elements.map(\.standardValue)
    case .object: (dictionary ?? [:]).mapValues(\.standardValue)
    }
  }
}
