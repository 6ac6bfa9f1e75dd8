import LullCore
import LullHost

/// The fields and elements of a table constructor in the order of the text, which a Lua table does not keep.
struct TableLayout {
  /// The nested table is nil where the text does not spell one out.
  private(set) var fields: [(name: String, table: TableLayout?)] = []
  private(set) var elements: [TableLayout?] = []

  /// The table that the last `return` of a text gives; nil where it is not spelled out.
  init?(resultOf source: [UInt8]) {
    let tokens = LineToken.all(in: source)
    guard let result = tokens.resultIndex else { return nil }
    var walk = Walk(tokens: tokens, place: result + 1)
    guard let table = walk.table() else { return nil }
    self = table
  }

  private init() {}

  /// The nested table of a field.
  subscript(name: String) -> TableLayout? { fields.first { $0.name == name }?.table }

  /// Where each field stands among the others.
  var positions: [String: Int] {
    Dictionary(fields.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
  }

  /// JSON text of the table, the members of its objects in this order.
  func ordering(_ json: [UInt8]) -> [UInt8] {
    var writer = JSONWriter()
    TableLayout.write(JSONText(valid: json), self, to: &writer)
    return writer.output
  }

  private static func write(_ text: JSONText, _ layout: TableLayout?, to writer: inout JSONWriter) {
    guard let layout else { return text.write(to: &writer) }
    switch text.kind {
    case .array:
      writer.begin("[")
      for (index, element) in text.lines.enumerated() {
        write(element, index < layout.elements.count ? layout.elements[index] : nil, to: &writer)
      }
      writer.end("]")
    case .object:
      let positions = layout.positions
      let members = text.members.enumerated().sorted { one, other in
        (positions[one.element.key] ?? .max, one.offset)
          < (positions[other.element.key] ?? .max, other.offset)
      }
      writer.begin("{")
      for (_, member) in members {
        writer.write(key: member.key)
        write(member.value, layout[member.key], to: &writer)
      }
      writer.end("}")
    default: text.write(to: &writer)
    }
  }

  /// A walk over tokens, which reads table constructors and skips other expressions.
  private struct Walk {
    private static let deepest = 100

    let tokens: [LineToken]
    var place: Int
    var depth = 0

    private func token(_ offset: Int = 0) -> LineToken? {
      place + offset < tokens.count ? tokens[place + offset] : nil
    }

    private func isSymbol(_ text: String, _ offset: Int = 0) -> Bool {
      token(offset)?.isSymbol(text) == true
    }

    /// The constructor that begins here; nil where there is none, or where it does not end.
    mutating func table() -> TableLayout? {
      guard isSymbol("{"), depth < Walk.deepest else { return nil }
      depth += 1
      defer { depth -= 1 }
      place += 1
      var table = TableLayout()
      while let token = token() {
        if token.isSymbol("}") {
          place += 1
          return table
        }
        if token.isSymbol(",") || token.isSymbol(";") {
          place += 1
          continue
        }
        var name: String?
        if token.kind == .name, isSymbol("=", 1) {
          name = token.text
          place += 2
        } else if token.isSymbol("["), let key = self.token(1), isSymbol("]", 2), isSymbol("=", 3) {
          // A number has no place among names, and is not an element here either.
          name = key.kind == .string ? DeclarationKeys.name(key) : ""
          place += 4
        }
        let value = value()
        if let name { table.fields.append((name, value)) } else { table.elements.append(value) }
      }
      return nil
    }

    /// Skips an expression, up to what separates it from the next; the table that it is, if it is one.
    private mutating func value() -> TableLayout? {
      let start = place
      if let table = table(), isSymbol(",") || isSymbol(";") || isSymbol("}") { return table }
      place = start
      var open = 0
      while let token = token() {
        switch token.kind {
        case .symbol where ["(", "{", "["].contains(token.text): open += 1
        case .symbol where [")", "}", "]"].contains(token.text):
          if open == 0 { return nil }
          open -= 1
        case .symbol where [",", ";"].contains(token.text):
          if open == 0 { return nil }
        case .keyword where ["function", "if", "do", "repeat"].contains(token.text): open += 1
        case .keyword where ["end", "until"].contains(token.text): open -= 1
        default: break
        }
        place += 1
      }
      return nil
    }
  }
}

/// The layout of the calls in the text of an API file, read at the first question.
final class DeclaredLayout {
  private let source: [UInt8]
  private let isCallsOnly: Bool
  private lazy var calls: [String: TableLayout] = {
    let result = TableLayout(resultOf: source)
    let fields = (isCallsOnly ? result : result?["calls"])?.fields ?? []
    let tables = fields.compactMap { field in field.table.map { (field.name, $0) } }
    return Dictionary(tables) { _, last in last }
  }()

  /// - Parameter isCallsOnly: whether the text gives the table of calls itself, not that of the file.
  init(_ source: [UInt8], isCallsOnly: Bool) {
    self.source = source
    self.isCallsOnly = isCallsOnly
  }

  /// The parameters of a call; nil where the text does not spell them out.
  func parameters(of call: String) -> TableLayout? { calls[call]?["params"] }
}
