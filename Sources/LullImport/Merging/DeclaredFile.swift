import LullHost

/// The source of an API file, as far as a second import has to understand it.
struct DeclaredFile {
  let bytes: [UInt8]
  let tokens: [LineToken]
  /// The table of calls in what the file returns.
  let calls: DeclaredTable
  /// Whether it names a file of schemas.
  let namesSchemas: Bool
  private let places: DeclarationPlaces

  /// nil where what it returns has no such table.
  init?(_ bytes: [UInt8]) {
    self.bytes = bytes
    places = DeclarationPlaces(bytes)
    tokens = places.tokens
    guard let result = DeclaredFile.result(in: tokens), let field = result["calls"],
      let calls = DeclaredTable(at: field.value.lowerBound, in: tokens),
      calls.tokens.upperBound == field.value.upperBound
    else { return nil }
    self.calls = calls
    namesSchemas = result["schemas"] != nil
  }

  /// The table that the file returns, and no function in it does: nothing stands behind it.
  private static func result(in tokens: [LineToken]) -> DeclaredTable? {
    let end = tokens.last?.isSymbol(";") == true ? tokens.count - 1 : tokens.count
    for place in tokens.indices.reversed() where tokens[place].isKeyword("return") {
      if let table = DeclaredTable(at: place + 1, in: tokens), table.tokens.upperBound == end {
        return table
      }
    }
    return nil
  }

  func table(_ field: DeclaredTable.Field) -> DeclaredTable? {
    guard let table = DeclaredTable(at: field.value.lowerBound, in: tokens),
      table.tokens.upperBound == field.value.upperBound
    else { return nil }
    return table
  }

  /// Where tokens stand among the bytes.
  func range(_ range: Range<Int>) -> Range<Int> {
    guard let first = range.first, let last = range.last else { return 0..<0 }
    return tokens[first].range.lowerBound..<tokens[last].range.upperBound
  }

  func line(_ token: Int) -> Int { places.line(at: tokens[token].range.lowerBound) }

  /// What two values are compared by: spaces and comments, and a comma before a brace, say nothing.
  func meaning(_ range: Range<Int>) -> [String] {
    var result: [String] = []
    for place in range {
      let token = tokens[place]
      let isLastComma =
        (token.isSymbol(",") || token.isSymbol(";")) && place + 1 < range.upperBound
        && tokens[place + 1].isSymbol("}")
      if isLastComma { continue }
      result.append(token.kind == .string ? "\"" + token.text : token.text)
    }
    return result
  }

  /// Lines before the calls, and behind them.
  var head: [LineMerge.Line] { DeclaredFile.lines(bytes[..<range(calls.tokens).lowerBound]) }
  var tail: [LineMerge.Line] { DeclaredFile.lines(bytes[range(calls.tokens).upperBound...]) }

  private static func lines(_ bytes: ArraySlice<UInt8>) -> [LineMerge.Line] {
    bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
  }
}
