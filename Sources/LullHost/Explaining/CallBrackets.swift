/// The tokens between the brackets of a call.
struct CallBrackets {
  private let places: DeclarationPlaces
  private let tokens: ArraySlice<LineToken>

  /// nil if no bracket is opened on that line.
  init?(_ places: DeclarationPlaces, line: Int) {
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

  /// Where `key =` and `["key"] =` stand first, by the key in lower case.
  var lines: [String: Int] {
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
