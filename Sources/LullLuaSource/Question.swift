/// A line that requests help for an expression: `api.load?`, `?lull.map`.
package struct Question: Equatable {
  /// The expression, without the question mark.
  package let name: String

  /// nil if the line is something else. Only names, fields and elements are accepted: nothing is
  /// called.
  package init?(_ line: String) {
    let tokens = LuaToken.all(in: line.utf8)
    guard tokens.count > 1, let first = tokens.first, let last = tokens.last,
      first.isSymbol("?") != last.isSymbol("?")
    else { return nil }
    let asked = first.isSymbol("?") ? tokens.dropFirst() : tokens.dropLast()
    guard let start = asked.first, let end = asked.last, start.kind == .name,
      asked.allSatisfy(Question.isPart)
    else { return nil }
    let bytes = Array(line.utf8)[start.range.lowerBound..<end.range.upperBound]
    name = String(decoding: bytes, as: UTF8.self)
  }

  /// Whether the token can be part of such an expression.
  private static func isPart(_ token: LuaToken) -> Bool {
    switch token.kind {
    case .name, .number, .string: true
    case .symbol: [".", ":", "[", "]"].contains(token.text)
    case .keyword, .openString, .comment, .openComment: false
    }
  }

  /// The names it leads through; nil if an element is among them.
  package static func path(_ name: String) -> [String]? {
    let tokens = LuaToken.all(in: name.utf8)
    var path: [String] = []
    for (index, token) in tokens.enumerated() {
      if index % 2 == 1 {
        guard token.isSymbol(".") || token.isSymbol(":") else { return nil }
      } else {
        guard token.kind == .name || token.kind == .keyword else { return nil }
        path.append(token.text)
      }
    }
    return tokens.count % 2 == 1 ? path : nil
  }
}
