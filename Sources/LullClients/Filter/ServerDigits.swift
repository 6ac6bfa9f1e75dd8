import CLullBridge
import LullCore
import LullHost
import LullLuaSource

/// Restores the server's digits in the result of an expression.
///
/// The prelude adds two kinds of marks that do not occur in JSON:
///
/// - around the index of a part of the content; the part is written as the server spelled it,
/// - around a float. If the expression read a number with this value from the content, the float
///   gets the digits of that number. Any other float keeps the digits that Lua writes.
struct ServerDigits {
  /// The mark that the prelude puts around the index of a part.
  static let partMark: UInt8 = 1
  /// The mark that the prelude puts around a float.
  static let floatMark: UInt8 = 2

  private let document: JSONDocument
  private let spelling: JSONSpelling
  /// The numbers that the expression read from the content, keyed by value. For each value: the
  /// positions of its numbers in reading order, and how many of these positions have been used.
  private var reads: [UInt64: (places: [Int], used: Int)] = [:]

  init(_ document: JSONDocument, _ spelling: JSONSpelling, reads places: [Int]) {
    self.document = document
    self.spelling = spelling
    for place in places {
      guard let number = JSONElement(document: document, index: place).double else { continue }
      reads[number.bitPattern, default: ([], 0)].places.append(place)
    }
  }

  /// - Parameters:
  ///   - marked: The result with the prelude's marks.
  ///   - parts: Returns the JSON of the part with an index.
  ///   - isMade: Whether the expression as a whole computes a number. Its digits are then not the
  ///     server's.
  mutating func text(
    of marked: [UInt8], parts: (Int) -> [UInt8], isMade: Bool
  ) -> [UInt8] {
    var output: [UInt8] = []
    var rest = marked[...]
    while let start = rest.firstIndex(where: { $0 == 1 || $0 == 2 }) {
      output += rest[..<start]
      let inside = rest[(start + 1)...].prefix { $0 != rest[start] }
      let word = String(decoding: inside, as: UTF8.self)
      if rest[start] == ServerDigits.partMark {
        output += parts(Int(word) ?? 0)
      } else if let digits = isMade ? nil : digits(of: word) {
        output += digits
      } else {
        output += inside
      }
      rest = rest[inside.endIndex...].dropFirst()
    }
    return output + rest
  }

  /// Returns the server's digits of a float. If equal numbers have different digits, they are used
  /// in the order in which they were read.
  private mutating func digits(of float: String) -> ArraySlice<UInt8>? {
    guard let value = Double(float)?.bitPattern, let read = reads[value] else { return nil }
    let place = read.places[min(read.used, read.places.count - 1)]
    reads[value]?.used += 1
    return spelling.digits(at: place)
  }

  /// Returns the part at a position of the content as the server spelled it.
  func text(ofPartAt place: Int) -> [UInt8] {
    var output: [UInt8] = []
    JSONElement(document: document, index: place).encode(into: &output, spelledBy: spelling)
    return output
  }

  /// Returns whether the expression as a whole computes a number. That is so if it has an
  /// arithmetic operator outside of all brackets and functions.
  static func computes(_ expression: String) -> Bool {
    var depth = 0
    var before: LuaToken?
    // For each open bracket, whether it only groups, as opposed to the parentheses of a call.
    var groups: [Bool] = []
    for token in LuaToken.all(in: expression.utf8) {
      defer { before = token }
      switch (token.kind, token.text) {
      case (.symbol, "("):
        let isCall = before.map { isOperand($0) } ?? false
        groups.append(!isCall)
        if isCall { depth += 1 }
      case (.symbol, ")"): if groups.popLast() == false { depth -= 1 }
      case (.symbol, "["), (.symbol, "{"), (.keyword, "function"), (.keyword, "if"),
        (.keyword, "do"):
        depth += 1
      case (.symbol, "]"), (.symbol, "}"), (.keyword, "end"): depth -= 1
      case (.symbol, "+"), (.symbol, "-"), (.symbol, "*"), (.symbol, "/"), (.symbol, "//"),
        (.symbol, "%"), (.symbol, "^"):
        if depth == 0 { return true }
      default: break
      }
    }
    return false
  }

  private static func isOperand(_ token: LuaToken) -> Bool {
    switch token.kind {
    case .name, .string: true
    case .symbol: token.text == ")" || token.text == "]" || token.text == "}"
    case .keyword: token.text == "end"
    default: false
    }
  }
}
