/// Finds the lines on which keys of a table stand in a source text, for messages about what has become
/// of them: values do not know where they come from.
package struct DeclarationPlaces {
  package let tokens: [LineToken]
  private let lineEnds: [Int]

  package init(_ source: [UInt8]) {
    tokens = LineToken.all(in: source)
    lineEnds = source.indices.filter { source[$0] == 10 }
  }

  /// The line of a key that stands in the table of the key before it, and so on; where one is not found,
  /// that of the one before it; 0 if there is none at all.
  package func line(of keys: [String]) -> Int {
    var found: Int?
    for key in keys {
      let behind = tokens.indices.dropFirst((found ?? -1) + 1)
      // A table that is made elsewhere may stand anywhere behind.
      guard
        let next = found.flatMap({ self.key(key, inTableOf: $0) })
          ?? behind.first(where: { isKey(key, at: $0) })
      else { break }
      found = next
    }
    return found.map { line(at: tokens[$0].range.lowerBound) } ?? 0
  }

  /// The line of the last `return`, or the first line.
  package var lineOfResult: Int {
    tokens.last { $0.isKeyword("return") }.map { line(at: $0.range.lowerBound) } ?? 1
  }

  /// Where a key stands in the table that the one at an index gets, not in those inside of it.
  private func key(_ key: String, inTableOf index: Int) -> Int? {
    guard let assignment = tokens[index...].firstIndex(where: { $0.isSymbol("=") }) else {
      return nil
    }
    // `= {`, or `= with_pages{`
    var depth = 0
    for place in tokens.indices.dropFirst(assignment + 1) {
      if tokens[place].isSymbol("{") { depth += 1 }
      if tokens[place].isSymbol("}") { depth -= 1 }
      if depth == 0, tokens[place].isSymbol("}") || tokens[place].isSymbol(",") { return nil }
      if depth < 0 { return nil }
      if depth == 1, isKey(key, at: place) { return place }
    }
    return nil
  }

  /// `key =` and `["key"] =`
  private func isKey(_ key: String, at index: Int) -> Bool {
    let token = tokens[index]
    guard token.kind == .name || token.kind == .string, token.text == key else { return false }
    let next = index + 1 < tokens.endIndex ? tokens[index + 1] : nil
    if token.kind == .string { return next?.text == "]" }
    return next?.text == "="
  }

  package func line(at offset: Int) -> Int {
    DeclarationPlaces.first(lineEnds.count) { lineEnds[$0] >= offset } + 1
  }

  /// The index of the first token on a line, or behind it.
  func firstToken(onOrAfterLine line: Int) -> Int {
    DeclarationPlaces.first(tokens.count) { self.line(at: tokens[$0].range.lowerBound) >= line }
  }

  /// The first number below `count` for which something is so that stays so; else `count`.
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
