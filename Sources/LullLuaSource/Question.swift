/// A line that requests help for an expression, such as `api.load?` or `?lull.map`.
package struct Question: Equatable {
  /// The expression, without the question mark.
  package let name: String

  /// Parses a line. nil if the line does not request help. The expression may consist only of
  /// names, fields and elements, so that no function is called.
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

  /// Returns whether a token can be part of an expression that help is requested for.
  private static func isPart(_ token: LuaToken) -> Bool {
    switch token.kind {
    case .name, .number, .string: true
    case .symbol: [".", ":", "[", "]"].contains(token.text)
    case .keyword, .openString, .comment, .openComment: false
    }
  }

  /// Returns the names in an expression such as `lull.map`. nil if the expression contains an
  /// index.
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
