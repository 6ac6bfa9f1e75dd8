/// Finds the lines on which keys of a table stand in a source text, for messages about what has become
/// of them: values do not know where they come from.
package struct DeclarationPlaces {
  let tokens: [LineToken]
  private let lineEnds: [Int]

  package init(_ source: [UInt8]) {
    tokens = LineToken.all(in: source)
    lineEnds = source.indices.filter { source[$0] == 10 }
  }

  /// The line of a key that stands behind all the others, one after the other; where one is not found,
  /// that of the one before it; 0 if there is none at all.
  package func line(of keys: [String], from first: Int = 1) -> Int {
    var found: Int?
    var index = tokens.firstIndex { line(at: $0.range.lowerBound) >= first } ?? tokens.endIndex
    for key in keys {
      guard let next = tokens[index...].indices.first(where: { isKey(key, at: $0) }) else { break }
      found = next
      index = next + 1
    }
    return found.map { line(at: tokens[$0].range.lowerBound) } ?? 0
  }

  /// `key =` and `["key"] =`
  private func isKey(_ key: String, at index: Int) -> Bool {
    let token = tokens[index]
    guard token.kind == .name || token.kind == .string, token.text == key else { return false }
    let next = index + 1 < tokens.endIndex ? tokens[index + 1] : nil
    if token.kind == .string { return next?.text == "]" }
    return next?.text == "="
  }

  func line(at offset: Int) -> Int {
    var low = 0
    var high = lineEnds.count
    while low < high {
      let middle = (low + high) / 2
      if lineEnds[middle] < offset { low = middle + 1 } else { high = middle }
    }
    return low + 1
  }
}
