import LullCore

extension LuaHost {
  /// The line of a key inside the brackets of the call at a place; nil if it is not there, as where the
  /// table was made elsewhere.
  func line(of key: String, inCallAt place: SourcePlace) -> Int? {
    guard let source = sources.source(named: place.file), let text = sources.text(of: source) else {
      return nil
    }
    return CallBrackets(text, line: place.line)?.line(of: key)
  }
}

/// The tokens between the brackets of a call.
struct CallBrackets {
  private let places: DeclarationPlaces
  private let tokens: ArraySlice<LineToken>

  /// nil if no bracket is opened on that line.
  init?(_ source: [UInt8], line: Int) {
    let places = DeclarationPlaces(source)
    self.places = places
    let all = places.tokens
    guard
      let open = all.firstIndex(where: { token in
        places.line(at: token.range.lowerBound) == line && (token.text == "(" || token.text == "{")
          && token.kind == .symbol
      })
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

  /// `key =`, `["key"] =`, whatever the case of its letters.
  func line(of key: String) -> Int? {
    let key = key.lowercased()
    let found = tokens.indices.first { index in
      let token = tokens[index]
      guard token.kind == .name || token.kind == .string, token.text.lowercased() == key,
        tokens.indices.contains(index + 1)
      else { return false }
      return tokens[index + 1].text == (token.kind == .name ? "=" : "]")
    }
    return found.map { places.line(at: tokens[$0].range.lowerBound) }
  }
}
