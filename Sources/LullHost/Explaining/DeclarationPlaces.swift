/// Finds the lines on which keys of a table stand in a source text, for messages about what has become
/// of them: values do not know where they come from.
///
/// The text is looked through at the first question.
package struct DeclarationPlaces {
  private final class Text {
    let source: [UInt8]
    lazy var tokens = LineToken.all(in: source)
    lazy var lineEnds = source.indices.filter { source[$0] == 10 }

    init(_ source: [UInt8]) { self.source = source }
  }

  package var tokens: [LineToken] { text.tokens }
  private var lineEnds: [Int] { text.lineEnds }
  private let text: Text
  private let index = DeclarationKeys()

  package init(_ source: [UInt8]) { text = Text(source) }

  /// The line of a key that stands in the table of the key before it, and so on; where one is not found,
  /// that of the one before it; 0 if there is none at all.
  package func line(of keys: [String]) -> Int {
    var found: Int?
    for key in keys {
      // A table that is made elsewhere may stand anywhere behind.
      guard
        let next = found.flatMap({ index.keys(inTableOf: $0, tokens)[key] })
          ?? index.first(key, behind: found ?? -1, tokens)
      else { break }
      found = next
    }
    return found.map { line(at: tokens[$0].range.lowerBound) } ?? 0
  }

  /// The keys that stand in the table of the first key of that name, in order.
  package func keys(of name: String) -> [String] {
    guard let place = index.first(name, behind: -1, tokens) else { return [] }
    return index.keys(inTableOf: place, tokens).sorted { $0.value < $1.value }.map(\.key)
  }

  /// Whether a key stands anywhere.
  package func has(_ key: String) -> Bool { index.first(key, behind: -1, tokens) != nil }

  /// The text that a key is given as it stands, where it stands in the table of the key before it, and so on;
  /// nil where it is given none, or what is made of several.
  package func literal(of keys: [String]) -> String? {
    var found: Int?
    for key in keys {
      guard
        let next = found.map({ index.keys(inTableOf: $0, tokens)[key] })
          ?? index.first(key, behind: -1, tokens)
      else { return nil }
      found = next
    }
    guard let found,
      let assignment = tokens[found...].prefix(3).firstIndex(where: { $0.isSymbol("=") }),
      assignment + 2 < tokens.count, tokens[assignment + 1].kind == .string,
      [",", ";", "}"].contains(where: { tokens[assignment + 2].isSymbol($0) })
    else { return nil }
    return tokens[assignment + 1].text
  }

  /// The line of the last `return`, of one that is in no block if there is any; or the first line.
  package var lineOfResult: Int {
    let result = tokens.resultIndex.map { tokens[$0] } ?? tokens.last { $0.isKeyword("return") }
    return result.map { line(at: $0.range.lowerBound) } ?? 1
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
