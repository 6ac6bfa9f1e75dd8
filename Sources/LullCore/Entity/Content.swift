/// What an entity holds, at any stage of the pipeline.
///
/// Raw bytes and text are different kinds even where a language has one type for both; only text
/// answers to `text` (TYP-01).
public enum Content: Sendable {
  /// What no transformer has made anything of. Lua: a string.
  case bytes([UInt8])
  /// Decoded by the response's charset. Lua: a string.
  case text(String)
  /// Parsed, and read where it lies. Lua: tables, or a document.
  case json(JSONDocument)
  /// What a Swift transformer made.
  case value(any Sendable)
  /// What a script made; the script's host keeps the value and knows it by this id.
  case foreign(ForeignContent)

  /// The words of `input` and `output` in a transformer's options, and of error causes (TRF-09).
  package var typeName: String {
    switch self {
    case .bytes: "data"
    case .text: "text"
    case .json: "json"
    case .value(let value): String(describing: type(of: value))
    case .foreign(let foreign): foreign.typeName
    }
  }

  /// Bytes in memory, as far as they can be told from here.
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

/// A value that lives in a script, known to the core by number only.
public struct ForeignContent: Sendable, Hashable {
  package let id: Int64
  /// The script's own word for the type, such as `table`.
  package let typeName: String

  package init(id: Int64, typeName: String) {
    self.id = id
    self.typeName = typeName
  }

  public static func == (left: Self, right: Self) -> Bool { left.id == right.id }
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

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

extension Content {
  /// Whether both hold the same, models of a program's own if they are `Equatable`; of a script's values
  /// only `isSame` can tell, asked where they are not one value.
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

  /// Whether both are the same text.
  func isSameText(as other: Content) -> Bool {
    guard case .text(let a) = self, case .text(let b) = other else { return false }
    return a.utf8.elementsEqual(b.utf8)
  }
}

extension Equatable {
  fileprivate func isSame(as other: any Sendable) -> Bool { (other as? Self) == self }
}
