import LullHost
import LullSystem

/// The key of an item in a JSON body, which may be nested: `user[name]`, `tags[]`, `[0][id]`. A
/// backslash makes a bracket literal, and turns a number into a name.
struct NestedKey {
  enum Step: Equatable {
    case name(String)
    case index(Int)
    case append
  }

  struct Piece: Equatable {
    let step: Step
    /// The range of the piece in the key, in Unicode scalars. `nil` for the empty name.
    let range: Range<Int>?
  }

  let text: String
  let pieces: [Piece]

  /// An invalid key: the error message and the position in the key.
  struct Problem: Error {
    let message: String
    let range: Range<Int>?
  }

  /// The maximum nesting depth of JSON. (JSN-14)
  private static let mostPieces = 1000

  init(_ text: String) throws(Problem) {
    var reader = KeyReader(text)
    var pieces = [try reader.first()]
    while let piece = try reader.next() {
      guard pieces.count < NestedKey.mostPieces else {
        throw Problem(
          message: "a key can have at most \(NestedKey.mostPieces) levels", range: piece.range)
      }
      pieces.append(piece)
    }
    self.text = text
    self.pieces = pieces
  }
}

/// Parses a key token by token.
private struct KeyReader {
  private enum Token {
    case open, close
    case text(String)
    /// The text as typed, and its value. Values too large for an integer become the largest one.
    case number(String, Int)
  }

  private var tokens: [(token: Token, range: Range<Int>)] = []
  private var place = 0

  init(_ text: String) {
    let scalars = Array(text.unicodeScalars)
    var buffer = String.UnicodeScalarView()
    var start = 0
    var hasEscapes = false
    func flushed(_ end: Int) -> [(token: Token, range: Range<Int>)] {
      guard !buffer.isEmpty else { return [] }
      let text = String(buffer)
      buffer = String.UnicodeScalarView()
      guard !hasEscapes else { return [(.text(text), start..<end)] }
      if let number = KeyReader.number(text) { return [(.number(text, number), start..<end)] }
      let isPlainNumber = text.hasPrefix("\\") && KeyReader.number(String(text.dropFirst())) != nil
      return [(.text(isPlainNumber ? String(text.dropFirst()) : text), start..<end)]
    }
    var index = 0
    while index < scalars.count {
      let scalar = scalars[index]
      if scalar == "[" || scalar == "]" {
        tokens += flushed(index)
        tokens.append((scalar == "[" ? .open : .close, index..<index + 1))
        hasEscapes = false
      } else {
        if buffer.isEmpty { (start, hasEscapes) = (index, false) }
        if scalar == "\\", index + 1 < scalars.count {
          index += 1
          if ["[", "]", "\\"].contains(scalars[index]) {
            hasEscapes = true
          } else {
            buffer.append(scalar)
          }
          buffer.append(scalars[index])
        } else {
          buffer.append(scalar)
        }
      }
      index += 1
    }
    tokens += flushed(scalars.count)
  }

  /// The first piece: a name, or `[0]` or `[]` for a list.
  mutating func first() throws(NestedKey.Problem) -> NestedKey.Piece {
    guard let (token, range) = tokens.first else {
      return NestedKey.Piece(step: .name(""), range: nil)
    }
    switch token {
    case .text(let text), .number(let text, _):
      place = 1
      return NestedKey.Piece(step: .name(text), range: range)
    case .open:
      let what = "a number or ']'"
      if tokens.count > 1, case .text = tokens[1].token { throw expected(what, at: 1) }
      return try bracket(what)
    case .close: throw expected("a text, a number or '['", at: 0)
    }
  }

  /// The next `[…]`. `nil` at the end of the key.
  mutating func next() throws(NestedKey.Problem) -> NestedKey.Piece? {
    guard place < tokens.count else { return nil }
    guard case .open = tokens[place].token else { throw expected("'['", at: place) }
    return try bracket("a text, a number or ']'")
  }

  /// - Parameter what: The name of the expected content of the brackets, for messages.
  private mutating func bracket(_ what: String) throws(NestedKey.Problem) -> NestedKey.Piece {
    let start = tokens[place].range.lowerBound
    place += 1
    guard place < tokens.count else { throw expected(what, at: place) }
    let step: NestedKey.Step
    switch tokens[place].token {
    case .open: throw expected(what, at: place)
    case .close:
      place += 1
      return NestedKey.Piece(step: .append, range: start..<start + 2)
    case .text(let text): step = .name(text)
    case .number(_, let number): step = .index(number)
    }
    place += 1
    guard place < tokens.count, case .close = tokens[place].token else {
      throw expected("']'", at: place)
    }
    place += 1
    return NestedKey.Piece(step: step, range: start..<tokens[place - 1].range.upperBound)
  }

  /// Creates the error for a missing token. If there is no token at the index `place`, the error
  /// points behind the last token.
  private func expected(_ what: String, at place: Int) -> NestedKey.Problem {
    let end = tokens.last?.range.upperBound ?? 0
    let range = place < tokens.count ? tokens[place].range : end..<end + 1
    return NestedKey.Problem(message: "expected \(what)", range: range)
  }

  /// Parses a number: digits with single underscores between them, an optional sign, and
  /// surrounding white space.
  private static func number(_ text: String) -> Int? {
    var scalars = text.unicodeScalars.drop(while: \.properties.isWhitespace)
    while scalars.last?.properties.isWhitespace == true { scalars.removeLast() }
    let isNegative = scalars.first == "-"
    if isNegative || scalars.first == "+" { scalars.removeFirst() }
    var result = 0
    var mayBeUnderscore = false
    for scalar in scalars {
      if scalar == "_", mayBeUnderscore {
        mayBeUnderscore = false
        continue
      }
      guard scalar.properties.numericType == .decimal,
        let digit = scalar.properties.numericValue.map({ Int($0) })
      else { return nil }
      let (product, isTooLarge) = result.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = product.addingReportingOverflow(digit)
      result = isTooLarge || isLarger ? .max : sum
      mayBeUnderscore = true
    }
    guard mayBeUnderscore else { return nil }
    return isNegative ? -result : result
  }
}

extension NestedKey.Problem {
  /// Returns the item, the error message, and a marker below the faulty position of the item's key.
  func report(in item: RequestItem) -> String {
    let text = "'\(item.word)': \(message)"
    guard let range else { return text }
    let scalars = item.name.unicodeScalars
    func shown(_ part: String.UnicodeScalarView.SubSequence) -> String {
      let line = String(part).replacing("\n", with: " ").replacing("\t", with: " ")
      return ControlCharacters.shown(in: line)
    }
    let before = TextWidth.of(shown(scalars.prefix(range.lowerBound)))
    let marked = TextWidth.of(shown(scalars.dropFirst(range.lowerBound).prefix(range.count)))
    return text + "\n  " + shown(scalars[...]) + "\n  " + String(repeating: " ", count: before)
      + String(repeating: "^", count: max(1, marked))
  }
}
