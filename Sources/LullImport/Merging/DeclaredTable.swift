import LullHost

/// A table as it stands in Lua source: its fields, and where they are.
struct DeclaredTable {
  struct Field {
    /// As it is written between quotes, if it is; nil of an element of a list.
    let key: String?
    /// Tokens from the key to the value's last.
    let tokens: Range<Int>
    let value: Range<Int>
    /// The token of what separates it from the next.
    let separator: Int?
  }

  /// Tokens from one brace to the other.
  let tokens: Range<Int>
  private(set) var fields: [Field] = []

  /// The table that begins at a token; nil where none does, or it has no end.
  init?(at start: Int, in all: [LineToken]) {
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

  subscript(key: String) -> Field? { fields.first { $0.key == key } }

  /// Whether all of it has keys, so that parts of it can change by themselves.
  var isRecord: Bool { !fields.contains { $0.key == nil } }

  /// Where a field ends: at what separates it, or at the brace behind it.
  private static func end(from start: Int, in all: [LineToken]) -> Int {
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

  private static func key(at place: Int, in all: [LineToken]) -> (key: String?, value: Int) {
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
