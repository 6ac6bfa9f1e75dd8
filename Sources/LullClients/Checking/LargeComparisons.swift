import LullLuaSource

/// Finds comparisons with numbers that do not fit into 64 bits. In Lua, the literal of such a
/// number is a float. The float does not equal the integer with the same digits in a document.
/// (JSN-34)
struct LargeComparisons {
  private static let operators: Set<String> = ["==", "~=", "<", ">", "<=", ">="]

  private let tokens: [LuaToken]
  private let places: DeclarationPlaces

  init(_ source: [UInt8]) {
    places = DeclarationPlaces(source)
    tokens = places.tokens
  }

  /// One finding for each literal in a comparison.
  var findings: [(line: Int, text: String)] {
    tokens.indices.compactMap { index in
      guard let literal = literal(at: index) else { return nil }
      let line = places.line(at: tokens[index].range.lowerBound)
      let text =
        "\(literal) is a float in Lua: it never equals an integer of JSON beyond 64 bits, and < and > raise an error; "
        + "compare tostring(…) with \"\(literal)\""
      return (line, text)
    }
  }

  /// Returns the number at a token index, with its sign. nil unless the number is compared and does
  /// not fit into 64 bits.
  private func literal(at index: Int) -> String? {
    let token = tokens[index]
    guard token.kind == .number, LargeComparisons.isLarge(token.text) else { return nil }
    let isNegative = index > 0 && tokens[index - 1].isSymbol("-")
    // The smallest 64-bit integer, which can't be written as a literal.
    if isNegative, token.text == "9223372036854775808" { return nil }
    let before = index - (isNegative ? 2 : 1)
    guard isOperator(before) || isOperator(index + 1) else { return nil }
    return (isNegative ? "-" : "") + token.text
  }

  private func isOperator(_ index: Int) -> Bool {
    tokens.indices.contains(index) && tokens[index].kind == .symbol
      && LargeComparisons.operators.contains(tokens[index].text)
  }

  /// Whether a literal is a number that does not fit into 64 bits. Hexadecimal integers are
  /// excluded, because Lua uses their last 64 bits.
  private static func isLarge(_ text: String) -> Bool {
    let isHexadecimal = text.lowercased().hasPrefix("0x")
    if isHexadecimal, !text.contains(where: { ".pP".contains($0) }) { return false }
    guard Int64(text) == nil, let number = Double(text) else { return false }
    return number >= 0x1p63 && number.isFinite
  }
}
