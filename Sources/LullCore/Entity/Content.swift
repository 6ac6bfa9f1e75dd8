/// The content of an entity, at any stage of the pipeline.
///
/// Bytes and text are different kinds of content, even though a language such as Lua has one type
/// for both. In Lua, only text content appears in a `text` property (TYP-01).
public enum Content: Sendable {
  /// Bytes that no transformer has converted. In Lua, a string.
  case bytes([UInt8])
  /// Text that was decoded with the response's charset. In Lua, a string.
  case text(String)
  /// Parsed JSON, read without copying. In Lua, tables or a document.
  case json(JSONDocument)
  /// The result of a Swift transformer.
  case value(any Sendable)
  /// A value of a script. The script's host stores the value and finds it by this ID.
  case foreign(ForeignContent)

  /// The name of the content's type. It is used for `input` and `output` in the options of a
  /// transformer, and in the causes of errors (TRF-09).
  package var typeName: String {
    switch self {
    case .bytes: "data"
    case .text: "text"
    case .json: "json"
    case .value(let value): String(describing: type(of: value))
    case .foreign(let foreign): foreign.typeName
    }
  }

  /// The size in memory, in bytes; 0 if unknown.
  package var size: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .text(let text): text.utf8.count
    case .json(let document): document.memory
    case .value, .foreign: 0
    }
  }

  package var isEmptyBytes: Bool {
    if case .bytes(let bytes) = self { return bytes.isEmpty }
    return false
  }

  var isEmptyText: Bool {
    if case .text(let text) = self { return text.isEmpty }
    return false
  }
}

/// A value of a script. The core knows it only by its number.
public struct ForeignContent: Sendable, Hashable {
  package let id: Int64
  /// The name of the value's type in the script, such as `table`.
  package let typeName: String

  package init(id: Int64, typeName: String) {
    self.id = id
    self.typeName = typeName
  }

  public static func == (left: Self, right: Self) -> Bool { left.id == right.id }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Content {
  /// Makes content from a Swift value: `.text` from a `String`, `.bytes` from `[UInt8]`, `.json`
  /// from a `JSONDocument`, and `.foreign` from a `ForeignContent`. A `Content` is used unchanged.
  /// Any other value becomes `.value`.
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

  /// Returns the content as the requested type; nil if it doesn't have the type. (TYP-04, TYP-06,
  /// ENT-14)
  ///
  /// Text is a `String`, bytes are `[UInt8]`, and the result of a transformer has its own type.
  /// JSON is a `JSONDocument`; its root value is also a `JSONElement`, a `JSONValue` or a matching
  /// type of the standard library: `[String: JSONValue]`, `[String: String]`, `[Int]`, `Bool`, … A
  /// number without a fraction is an `Int` and a `Double`, and any other number is a `Double`. Each
  /// call builds the value again, unless it is a `JSONDocument` or a `JSONElement`.
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
    // Plain values aren't built if they can't have the requested type.
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

  /// The JSON value, built only from types of the standard library, which Swift can cast element by
  /// element.
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

extension Content {
  /// Whether this content equals `other`. Values of the program are compared only if they are
  /// `Equatable`. Two values of a script are equal if they are the same stored value, or if
  /// `isSame` returns true for them.
  package func holdsSame(
    as other: Content, isSame: (ForeignContent, ForeignContent) -> Bool
  ) -> Bool {
    switch (self, other) {
    case (.bytes(let a), .bytes(let b)): a == b
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.json(let a), .json(let b)): a === b || a.root == b.root
    case (.foreign(let a), .foreign(let b)): a == b || isSame(a, b)
    case (.value(let a as any Equatable), .value(let b)): a.isSame(as: b)
    default: false
    }
  }

  /// Whether this content and `other` are both text, and equal.
  func isSameText(as other: Content) -> Bool {
    guard case .text(let a) = self, case .text(let b) = other else { return false }
    return a.utf8.elementsEqual(b.utf8)
  }
}

extension Equatable {
  fileprivate func isSame(as other: any Sendable) -> Bool { (other as? Self) == self }
}
