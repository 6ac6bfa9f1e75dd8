/// The fields and elements of a table constructor, in the order of the source. A Lua table does not
/// preserve this order.
package struct TableLayout {
  /// The named fields. The table is nil if the value of the field is not a table constructor.
  package private(set) var fields: [(name: String, table: TableLayout?)] = []
  package private(set) var elements: [TableLayout?] = []

  /// Parses the table constructor after the last `return` of a source. nil if there is none.
  package init?(resultOf source: [UInt8]) {
    let tokens = LuaToken.all(in: source)
    guard let result = tokens.resultIndex else { return nil }
    var walk = Walk(tokens: tokens, place: result + 1)
    guard let table = walk.table() else { return nil }
    self = table
  }

  /// Parses the table constructor that is the value of a key. nil unless the source has exactly one
  /// such key.
  ///
  /// Only the value of the key is parsed, not the rest of the source.
  package init?(ofOnlyKey key: String, in source: [UInt8]) {
    var found: [LuaToken]?
    // Limit the work, because an unclosed value is read to the end of the source each time.
    var patience = 4 * source.count
    for start in TableLayout.places(of: Array(key.utf8), in: source) {
      let table = TableLayout.table(ofKeyAt: start, key, in: source, &patience)
      guard patience > 0 else { return nil }
      guard let table else { continue }
      guard found == nil else { return nil }
      found = table
    }
    guard let found else { return nil }
    var walk = Walk(tokens: found, place: 0)
    guard let table = walk.table() else { return nil }
    self = table
  }

  private init() {}

  private static func places(of key: [UInt8], in source: [UInt8]) -> [Int] {
    guard let first = key.first, key.count <= source.count else { return [] }
    var places: [Int] = []
    source.withUnsafeBufferPointer { bytes in
      for place in 0...(bytes.count - key.count) where bytes[place] == first {
        if bytes[place..<place + key.count].elementsEqual(key) { places.append(place) }
      }
    }
    return places
  }

  /// Returns the tokens from `{` to `}` that follow `key =` or `["key"] =`. nil if there is no such
  /// table.
  private static func table(
    ofKeyAt place: Int, _ key: String, in source: [UInt8], _ patience: inout Int
  ) -> [LuaToken]? {
    let isQuoted = place > 0 && (source[place - 1] == 34 || source[place - 1] == 39)
    guard isQuoted || place == 0 || !Lexer.isNameByte(source[place - 1]) else { return nil }
    var lexer = Lexer(source, from: isQuoted ? place - 1 : place)
    defer { patience -= lexer.position - place }
    guard let first = lexer.next(), first.kind == (isQuoted ? .string : .name), first.text == key,
      !isQuoted || lexer.next()?.isSymbol("]") == true, lexer.next()?.isSymbol("=") == true
    else { return nil }
    var tokens: [LuaToken] = []
    var depth = 0
    while let token = lexer.next() {
      tokens.append(token)
      if token.isSymbol("{") { depth += 1 }
      if token.isSymbol("}") { depth -= 1 }
      if depth == 0 { return tokens.count > 1 ? tokens : nil }
    }
    return nil
  }

  /// Returns the table that is the value of a field. nil if the field is missing or has another
  /// value.
  package subscript(name: String) -> TableLayout? { fields.first { $0.name == name }?.table }

  /// The index of each named field in the order of the source, keyed by name.
  package var positions: [String: Int] {
    Dictionary(fields.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
  }

  /// A parser that reads table constructors and skips all other expressions.
  private struct Walk {
    private static let deepest = 100

    let tokens: [LuaToken]
    var place: Int
    var depth = 0

    private func token(_ offset: Int = 0) -> LuaToken? {
      place + offset < tokens.count ? tokens[place + offset] : nil
    }

    private func isSymbol(_ text: String, _ offset: Int = 0) -> Bool {
      token(offset)?.isSymbol(text) == true
    }

    /// Parses the table constructor that begins at the current token. nil if no table constructor
    /// begins there, or if it is not closed.
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
          // A field with a numeric key is neither a named field nor an element.
          name = key.kind == .string ? DeclarationKeys.name(key) : ""
          place += 4
        }
        let start = place
        let value = value()
        // There is an unmatched closing bracket, so the text is not valid Lua.
        guard place > start else { return nil }
        if let name { table.fields.append((name, value)) } else { table.elements.append(value) }
      }
      return nil
    }

    /// Skips an expression up to the separator after it. If the expression is a table constructor,
    /// returns its layout.
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
