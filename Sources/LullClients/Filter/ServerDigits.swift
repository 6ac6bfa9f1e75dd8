import CLullBridge
import LullCore
import LullHost
import LullLuaSource

/// Puts the server's digits into what an expression gives.
///
/// The prelude leaves two marks that stand in no JSON: around the number of a part of the content,
/// and around a float. A part is written as the server has spelled it. A float that the expression
/// has read from the content is taken for the number it has read; any other is Lua's.
struct ServerDigits {
  /// What the prelude puts around the position of a part.
  static let partMark: UInt8 = 1
  /// What it puts around a float.
  static let floatMark: UInt8 = 2

  private let document: JSONDocument
  private let spelling: JSONSpelling
  /// Places of numbers that were read, in that order, by value; and how many of them are used.
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
  ///   - parts: what the positions of parts mean, as JSON.
  ///   - isMade: whether the whole is a number that the expression has computed.
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

  /// Numbers that are equal and spelled in different ways come out in the order they were read in.
  private mutating func digits(of float: String) -> ArraySlice<UInt8>? {
    guard let value = Double(float)?.bitPattern, let read = reads[value] else { return nil }
    let place = read.places[min(read.used, read.places.count - 1)]
    reads[value]?.used += 1
    return spelling.digits(at: place)
  }

  /// A part of the content as the server has spelled it.
  func text(ofPartAt place: Int) -> [UInt8] {
    var output: [UInt8] = []
    JSONElement(document: document, index: place).encode(into: &output, spelledBy: spelling)
    return output
  }

  /// Whether an expression as a whole computes a number: has an operator of arithmetic outside of all
  /// brackets and functions.
  static func computes(_ expression: String) -> Bool {
    var depth = 0
    var before: LuaToken?
    // Parentheses that group, not those of calls.
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
