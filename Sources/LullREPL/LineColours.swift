import LullHost

/// What a line of Lua looks like while it is typed: a colour for each of its characters.
struct LineColours: Equatable {
  enum Colour: UInt8 {
    case plain
    case keyword
    case number
    case string
    /// A string whose end is still to come.
    case openString
    case comment

    /// As a terminal is told. (ECMA-48, SGR)
    var code: String {
      switch self {
      case .plain: "0"
      case .keyword: "35"
      case .number: "36"
      case .string: "32"
      case .openString: "33"
      case .comment: "2"
      }
    }
  }

  /// One for each scalar of the text.
  let colours: [Colour]

  /// - Parameters:
  ///   - text: the line that is edited.
  ///   - statement: lines before it that belong to the same statement.
  init(_ text: String, after statement: String) {
    let isLua = !(statement.isEmpty && Directive(text) != nil)
    let before = statement.utf8.count
    var bytes = [Colour](repeating: .plain, count: text.utf8.count)
    for token in isLua ? LineToken.all(in: (statement + text).utf8, withComments: true) : [] {
      let colour = LineColours.colour(of: token.kind)
      guard colour != .plain, token.range.upperBound > before else { continue }
      for position in max(token.range.lowerBound, before)..<token.range.upperBound {
        bytes[position - before] = colour
      }
    }
    var position = 0
    colours = text.unicodeScalars.map { scalar in
      defer { position += UTF8.width(scalar) }
      return bytes[position]
    }
  }

  private static func colour(of kind: LineToken.Kind) -> Colour {
    switch kind {
    case .keyword: .keyword
    case .number: .number
    case .string: .string
    case .openString: .openString
    case .comment, .openComment: .comment
    case .name, .symbol: .plain
    }
  }
}
