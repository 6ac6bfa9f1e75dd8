/// The source of an API file, as far as it must be parsed when an import updates the file.
package struct DeclaredFile {
  package let bytes: [UInt8]
  package let tokens: [LuaToken]
  /// The table that the file returns.
  package let result: DeclaredTable
  /// The table `calls` in the table that the file returns.
  package let calls: DeclaredTable
  private let places: DeclarationPlaces

  /// Parses a file. nil unless it returns a table that contains a table of calls.
  package init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    places = DeclarationPlaces(bytes)
    tokens = places.tokens
    guard let result = DeclaredFile.result(in: tokens), let field = result["calls"],
      let calls = DeclaredTable(at: field.value.lowerBound, in: tokens),
      calls.tokens.upperBound == field.value.upperBound
    else { return nil }
    self.result = result
    self.calls = calls
  }

  /// Whether the file names a schema file.
  package var namesSchemas: Bool { result["schemas"] != nil }

  /// Returns the text of a field whose value is one string without escapes. nil for other values.
  package func text(_ field: DeclaredTable.Field) -> String? {
    let token = tokens[field.value.lowerBound]
    guard field.value.count == 1, token.kind == .string else { return nil }
    // In long brackets, a backslash is plain text.
    return bytes[token.range.lowerBound] == UInt8(ascii: "[") || !token.text.contains("\\")
      ? token.text : nil
  }

  /// Returns the table that the file returns at its end.
  private static func result(in tokens: [LuaToken]) -> DeclaredTable? {
    let end = tokens.last?.isSymbol(";") == true ? tokens.count - 1 : tokens.count
    for place in tokens.indices.reversed() where tokens[place].isKeyword("return") {
      if let table = DeclaredTable(at: place + 1, in: tokens), table.tokens.upperBound == end {
        return table
      }
    }
    return nil
  }

  package func table(_ field: DeclaredTable.Field) -> DeclaredTable? {
    guard let table = DeclaredTable(at: field.value.lowerBound, in: tokens),
      table.tokens.upperBound == field.value.upperBound
    else { return nil }
    return table
  }

  /// Returns the bytes that a range of tokens covers.
  package func range(_ range: Range<Int>) -> Range<Int> {
    guard let first = range.first, let last = range.last else { return 0..<0 }
    return tokens[first].range.lowerBound..<tokens[last].range.upperBound
  }

  package func line(_ token: Int) -> Int { places.line(at: tokens[token].range.lowerBound) }

  /// Returns the tokens by which two values are compared. White space, comments, and a comma before
  /// a closing brace are omitted.
  package func meaning(_ range: Range<Int>) -> [String] {
    var result: [String] = []
    for place in range {
      let token = tokens[place]
      let isLastComma =
        (token.isSymbol(",") || token.isSymbol(";")) && place + 1 < range.upperBound
        && tokens[place + 1].isSymbol("}")
      if isLastComma { continue }
      result.append(token.kind == .string ? "\"" + token.text : token.text)
    }
    return result
  }
}

/// A table constructor in Lua source: its fields and their places.
package struct DeclaredTable {
  package struct Field {
    /// The name of the field, or the text between the quotes as written. nil for an element of a
    /// list.
    package let key: String?
    /// The tokens from the key to the end of the value.
    package let tokens: Range<Int>
    package let value: Range<Int>
    /// The index of the separator after the field. nil if there is none.
    package let separator: Int?
  }

  /// The tokens from the opening to the closing brace.
  package let tokens: Range<Int>
  package private(set) var fields: [Field] = []

  /// Parses the table that begins at a token. nil if no table begins there, or if the table is not
  /// closed.
  package init?(at start: Int, in all: [LuaToken]) {
    guard start < all.count, all[start].isSymbol("{") else { return nil }
    var place = start + 1
    while place < all.count, !all[place].isSymbol("}") {
      let end = DeclaredTable.end(from: place, in: all)
      guard end < all.count, end > place else { return nil }
      let (key, value) = DeclaredTable.key(at: place, in: all)
      let isSeparated = !all[end].isSymbol("}")
      fields.append(
        Field(
          key: key, tokens: place..<end, value: min(value, end)..<end,
          separator: isSeparated ? end : nil))
      place = isSeparated ? end + 1 : end
    }
    guard place < all.count else { return nil }
    tokens = start..<place + 1
  }

  package subscript(key: String) -> Field? { fields.first { $0.key == key } }

  /// Whether every field has a key, so that fields can be merged one by one.
  package var isRecord: Bool { !fields.contains { $0.key == nil } }

  /// Returns the index of the separator or brace that follows a field.
  private static func end(from start: Int, in all: [LuaToken]) -> Int {
    var depth = 0
    var place = start
    while place < all.count {
      let token = all[place]
      if token.kind == .symbol {
        switch token.text {
        case "(", "[", "{": depth += 1
        case ")", "]", "}":
          if depth == 0 { return place }
          depth -= 1
        case ",", ";": if depth == 0 { return place }
        default: break
        }
      } else if token.kind == .keyword {
        switch token.text {
        case "function", "if", "do", "repeat": depth += 1
        case "end", "until": depth -= 1
        default: break
        }
      }
      place += 1
    }
    return place
  }

  private static func key(at place: Int, in all: [LuaToken]) -> (key: String?, value: Int) {
    func isAssignment(_ place: Int) -> Bool { place < all.count && all[place].isSymbol("=") }
    if all[place].kind == .name, isAssignment(place + 1) { return (all[place].text, place + 2) }
    if all[place].isSymbol("["), place + 2 < all.count, all[place + 1].kind == .string,
      all[place + 2].isSymbol("]"), isAssignment(place + 3)
    {
      return (all[place + 1].text, place + 4)
    }
    return (nil, place)
  }
}
