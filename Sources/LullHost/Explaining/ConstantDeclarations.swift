/// Where a text declares constants (`local LIMIT <const> = 5`), by their names.
struct ConstantDeclarations {
  private(set) var places: [String: [Range<Int>]] = [:]

  init(_ tokens: [LineToken]) {
    for start in tokens.indices where tokens[start].isKeyword("local") {
      let head = tokens[(start + 1)...].prefix { !$0.isSymbol("=") && $0.kind != .keyword }
      let names = head.indices.filter { place in
        place + 3 < head.endIndex && head[place].kind == .name && head[place + 1].isSymbol("<")
          && head[place + 2].text == "const" && head[place + 3].isSymbol(">")
      }
      guard !names.isEmpty else { continue }
      let end = ConstantDeclarations.end(of: head.endIndex + 1, tokens)
      for name in names { places[head[name].text, default: []].append(start..<end) }
    }
  }

  /// The end of the values there, which are no calls: those the compiler does not put in the place of a name.
  private static func end(of start: Int, _ tokens: [LineToken]) -> Int {
    var place = start
    while place < tokens.endIndex {
      let (token, last) = (tokens[place], tokens[place - 1])
      let isValue = [.name, .number, .string].contains(last.kind) || last.isSymbol(")")
      if token.kind == .keyword, !["and", "or", "not", "nil", "true", "false"].contains(token.text)
      {
        break
      }
      if token.kind == .name, isValue || ["nil", "true", "false"].contains(last.text) { break }
      place += 1
    }
    return min(place, tokens.endIndex)
  }
}
