import LullLuaSource

/// Comparisons with numbers beyond 64 bits in a source text. In Lua such a literal is a float, which no integer
/// of a document equals that has as many digits. (JSN-34)
struct LargeComparisons {
  private static let operators: Set<String> = ["==", "~=", "<", ">", "<=", ">="]

  private let tokens: [LuaToken]
  private let places: DeclarationPlaces

  init(_ source: [UInt8]) {
    places = DeclarationPlaces(source)
    tokens = places.tokens
  }

  /// One for each literal that is compared with something.
  var findings: [(line: Int, text: String)] {
    tokens.indices.compactMap { index in
      guard let literal = literal(at: index) else { return nil }
      let line = places.line(at: tokens[index].range.lowerBound)
      let text =
        "\(literal) is a float in Lua: it never equals an integer of JSON beyond 64 bits, and < and > raise; "
        + "compare tostring(…) with \"\(literal)\""
      return (line, text)
    }
  }

  /// The number at an index, with its sign, if it is beyond 64 bits and compared with something.
  private func literal(at index: Int) -> String? {
    let token = tokens[index]
    guard token.kind == .number, LargeComparisons.isLarge(token.text) else { return nil }
    let isNegative = index > 0 && tokens[index - 1].isSymbol("-")
    // The smallest 64-bit integer, which cannot be written as a literal.
    if isNegative, token.text == "9223372036854775808" { return nil }
    let before = index - (isNegative ? 2 : 1)
    guard isOperator(before) || isOperator(index + 1) else { return nil }
    return (isNegative ? "-" : "") + token.text
  }

  private func isOperator(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .symbol
      && LargeComparisons.operators.contains(tokens[index].text)
  }

  /// Hexadecimal integers are none: Lua takes their last 64 bits.
  private static func isLarge(_ text: String) -> Bool {
    let isHexadecimal = text.lowercased().hasPrefix("0x")
    if isHexadecimal, !text.contains(where: { ".pP".contains($0) }) { return false }
    guard Int64(text) == nil, let number = Double(text) else { return false }
    return number >= 0x1p63 && number.isFinite
  }
}
