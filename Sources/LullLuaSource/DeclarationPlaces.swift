/// Finds the lines of table keys in a source. Messages about a value need them, because a Lua value
/// does not know where it was written.
///
/// The source is parsed on first use.
package struct DeclarationPlaces {
  private final class Text {
    let source: [UInt8]
    lazy var tokens = LuaToken.all(in: source)
    lazy var lineEnds = source.indices.filter { source[$0] == 10 }

    init(_ source: [UInt8]) { self.source = source }
  }

  package var tokens: [LuaToken] { text.tokens }
  private var lineEnds: [Int] { text.lineEnds }
  private let text: Text
  private let index = DeclarationKeys()

  package init(_ source: [UInt8]) { text = Text(source) }

  /// Returns the line of the last of several nested keys. Each key is searched for in the table of
  /// the key before it. If a key is not found, returns the line of the key before it. The result is
  /// 0 if no key is found.
  package func line(of keys: [String]) -> Int {
    var found: Int?
    for key in keys {
      // The table may be built elsewhere, so search for the key in the whole text that follows.
      guard
        let next = found.flatMap({ index.keys(inTableOf: $0, tokens)[key] })
          ?? index.first(key, behind: found ?? -1, tokens)
      else { break }
      found = next
    }
    return found.map { line(at: tokens[$0].range.lowerBound) } ?? 0
  }

  /// Returns the keys in the table of the first key with this name, in order.
  package func keys(of name: String) -> [String] {
    guard let place = index.first(name, behind: -1, tokens) else { return [] }
    return index.keys(inTableOf: place, tokens).sorted { $0.value < $1.value }.map(\.key)
  }

  /// Returns whether the source contains a table key with this name.
  package func has(_ key: String) -> Bool { index.first(key, behind: -1, tokens) != nil }

  /// Returns the string literal that is the value of the last of several nested keys, as written.
  /// nil if the value is not a single literal.
  package func literal(of keys: [String]) -> String? { literalToken(of: keys)?.text }

  /// Returns the line in which the text of a literal begins, and whether the text is a long string,
  /// whose lines are those of the source. nil if the value of the last of several nested keys is not
  /// a single literal.
  package func lineOfText(of keys: [String]) -> (line: Int, isLong: Bool)? {
    guard let token = literalToken(of: keys) else { return nil }
    let line = line(at: token.range.lowerBound)
    guard text.source[token.range.lowerBound] == UInt8(ascii: "[") else { return (line, false) }
    // A line break after the opening brackets does not belong to the text.
    let start = text.source[token.range].dropFirst().drop { $0 != UInt8(ascii: "[") }.dropFirst()
    let isSkipped = start.first == 10 || start.starts(with: [13, 10])
    return (isSkipped ? line + 1 : line, true)
  }

  private func literalToken(of keys: [String]) -> LuaToken? {
    var found: Int?
    for key in keys {
      guard
        let next = found.map({ index.keys(inTableOf: $0, tokens)[key] })
          ?? index.first(key, behind: -1, tokens)
      else { return nil }
      found = next
    }
    guard let found,
      let assignment = tokens[found...].prefix(3).firstIndex(where: { $0.isSymbol("=") }),
      assignment + 2 < tokens.count, tokens[assignment + 1].kind == .string,
      [",", ";", "}"].contains(where: { tokens[assignment + 2].isSymbol($0) })
    else { return nil }
    return tokens[assignment + 1]
  }

  /// The line of the last `return` outside of blocks, which returns the file's result. If there is
  /// none, the line of the last `return` in the file. Without any `return`, 1.
  package var lineOfResult: Int {
    let result = tokens.resultIndex.map { tokens[$0] } ?? tokens.last { $0.isKeyword("return") }
    return result.map { line(at: $0.range.lowerBound) } ?? 1
  }

  package func line(at offset: Int) -> Int {
    DeclarationPlaces.first(lineEnds.count) { lineEnds[$0] >= offset } + 1
  }

  /// Returns the index of the first token on a line. If the line has no token, returns the index of
  /// the next token.
  fileprivate func firstToken(onOrAfterLine line: Int) -> Int {
    DeclarationPlaces.first(tokens.count) { self.line(at: tokens[$0].range.lowerBound) >= line }
  }

  /// Finds the first number below `count` for which `isSo` is true, by binary search. If `isSo` is
  /// true for a number, it must be true for all larger numbers. If `isSo` is true for no number,
  /// returns `count`.
  private static func first(_ count: Int, where isSo: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isSo(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension DeclarationPlaces {
  /// Returns the line of a key inside the brackets of a call. nil if the key is not there.
  ///
  /// - Parameter line: The line where the call begins.
  package func line(of key: String, inCallOnLine line: Int) -> Int? {
    CallBrackets(self, line: line)?.lines[key.lowercased()]
  }
}

/// The indices of the table keys among the tokens of a source. They are found only once, because a
/// file may declare a thousand calls.
///
/// Home thread only.
final class DeclarationKeys {
  /// The token indices of each key, in order. nil until they are first needed.
  private var places: [String: [Int]]?
  private var tables: [Int: [String: Int]] = [:]

  /// Returns the token index of the first occurrence of a key after another index.
  func first(_ key: String, behind start: Int, _ tokens: [LuaToken]) -> Int? {
    if places == nil {
      var found: [String: [Int]] = [:]
      for place in tokens.indices where DeclarationKeys.isKey(place, tokens) {
        found[DeclarationKeys.name(tokens[place]), default: []].append(place)
      }
      places = found
    }
    return places?[key]?.first { $0 > start }
  }

  /// Returns the keys in the table that is assigned to the key at `index`, each with its first
  /// token index. Keys of nested tables are not included.
  func keys(inTableOf index: Int, _ tokens: [LuaToken]) -> [String: Int] {
    if let known = tables[index] { return known }
    var keys: [String: Int] = [:]
    if let assignment = tokens[index...].firstIndex(where: { $0.isSymbol("=") }) {
      // The value has the form `{` or `with_pages{`.
      var depth = 0
      for place in tokens.indices.dropFirst(assignment + 1) {
        let token = tokens[place]
        if token.isSymbol("{") { depth += 1 }
        if token.isSymbol("}") { depth -= 1 }
        if depth < 0 || depth == 0 && (token.isSymbol("}") || token.isSymbol(",")) { break }
        guard depth == 1, DeclarationKeys.isKey(place, tokens) else { continue }
        let name = DeclarationKeys.name(token)
        if keys[name] == nil { keys[name] = place }
      }
    }
    tables[index] = keys
    return keys
  }

  /// Returns the text of a key. A long key may contain `\z`, which continues it on the next line.
  static func name(_ token: LuaToken) -> String {
    guard token.kind == .string, token.text.utf8.contains(UInt8(ascii: "\\")),
      // Strings in long brackets have no escapes.
      token.range.count == token.text.utf8.count + 2
    else { return token.text }
    let bytes = StringEscapes.bytes(of: token.text.utf8)
    return bytes.flatMap { String(validating: $0, as: UTF8.self) } ?? token.text
  }

  /// Returns whether a token is the key in `key =` or `["key"] =`.
  private static func isKey(_ index: Int, _ tokens: [LuaToken]) -> Bool {
    let token = tokens[index]
    guard token.kind == .name || token.kind == .string else { return false }
    let next = index + 1 < tokens.endIndex ? tokens[index + 1] : nil
    if token.kind == .string { return next?.text == "]" }
    return next?.text == "="
  }
}

/// The tokens between the brackets of a call.
package struct CallBrackets {
  private let places: DeclarationPlaces
  private let tokens: ArraySlice<LuaToken>

  /// Finds the brackets of the call on a line. nil if no bracket is opened there.
  package init?(_ places: DeclarationPlaces, line: Int) {
    self.places = places
    let all = places.tokens
    let lineStart = places.firstToken(onOrAfterLine: line)
    guard
      let open = all[lineStart...].prefix(while: {
        places.line(at: $0.range.lowerBound) == line
      }).firstIndex(where: { $0.isSymbol("(") || $0.isSymbol("{") })
    else { return nil }
    var depth = 0
    var end = open
    while end < all.count {
      if all[end].kind == .symbol {
        if "({[".contains(all[end].text) { depth += 1 }
        if ")}]".contains(all[end].text) { depth -= 1 }
        if depth == 0 { break }
      }
      end += 1
    }
    tokens = all[open..<min(end, all.count)]
  }

  /// For each key, in lower case, the line of its first `key =` or `["key"] =`.
  package var lines: [String: Int] {
    var lines: [String: Int] = [:]
    for index in tokens.indices.dropLast() {
      let token = tokens[index]
      guard token.kind == .name || token.kind == .string,
        tokens[index + 1].text == (token.kind == .name ? "=" : "]")
      else { continue }
      let key = token.text.lowercased()
      if lines[key] == nil { lines[key] = places.line(at: token.range.lowerBound) }
    }
    return lines
  }
}
