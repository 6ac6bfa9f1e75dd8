extension DeclarationPlaces {
  /// The text of the function that begins on the first of some lines and ends on the last, without comments and
  /// however it is broken into lines; empty if there is none.
  ///
  /// Of several functions on these lines that of all, from the first to the last.
  package func text(ofFunctionOnLines lines: ClosedRange<Int>) -> String {
    let start = firstToken(onOrAfterLine: lines.lowerBound)
    let end = firstToken(onOrAfterLine: lines.upperBound + 1)
    let all = tokens[start..<max(start, end)]
    guard let first = all.firstIndex(where: { $0.isKeyword("function") }),
      let last = all.lastIndex(where: { $0.isKeyword("end") }), first < last
    else { return "" }
    return DeclarationPlaces.text(of: all[first...last]) + constants(in: all[first...last])
  }

  /// The declarations of constants that some tokens name, and that these name in turn: the compiler has put their
  /// values in the place of their names.
  private func constants(in part: ArraySlice<LineToken>) -> String {
    let declarations = constants.places
    guard !declarations.isEmpty else { return "" }
    var texts: [String] = []
    var seen: Set<String> = []
    var waiting = [part]
    while let next = waiting.popLast() {
      for token in next where token.kind == .name && seen.insert(token.text).inserted {
        for declaration in declarations[token.text] ?? [] {
          texts.append(DeclarationPlaces.text(of: tokens[declaration]))
          waiting.append(tokens[declaration])
        }
      }
    }
    return texts.map { "; " + $0 }.joined()
  }

  private static func text(of tokens: ArraySlice<LineToken>) -> String {
    tokens.map { $0.kind == .string ? "\"\($0.text)\"" : $0.text }.joined(separator: " ")
  }
}
