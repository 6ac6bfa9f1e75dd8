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
