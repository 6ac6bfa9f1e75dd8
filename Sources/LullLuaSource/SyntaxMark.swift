/// Finds the code where a chunk does not compile.
package enum SyntaxMark {
  /// The message for a text that does not compile, with its position; nil if it compiles.
  package typealias Compiler = ([UInt8]) -> String?

  /// The lines to show and the code to mark: where an unclosed block was opened, and where the
  /// compiler stopped.
  ///
  /// - Parameters:
  ///   - message: The message without its position.
  ///   - compile: Distinguishes equal tokens on a line.
  package static func marks(
    for message: String, line number: Int, of source: [UInt8], compile: Compiler
  ) -> [(line: CodeLine, marked: Range<Int>?)] {
    var marks: [(line: CodeLine, marked: Range<Int>?)] = []
    if let opened = opening(message, source), opened.line.number != number {
      marks.append(opened)
    }
    // Some messages contain an earlier line number.
    let named = message.lastRange(of: " at line ").flatMap { Int(message[$0.upperBound...]) }
    guard let line = CodeLine(named ?? number, of: source) else { return marks }
    if message.hasSuffix("near <eof>") {
      // An empty last line is shown only if there is no other mark.
      let end = line.code?.upperBound ?? line.range.upperBound
      if let open = line.tokens.last, open.kind == .openString {
        marks.append((line, open.range))
      } else if !line.tokens.isEmpty || marks.isEmpty {
        marks.append((line, end..<end))
      }
    } else if !line.tokens.isEmpty {
      marks.append((line, stop(message, line, compile)))
    }
    return marks
  }

  /// Whether the message, without its position, says that a text nests too deeply.
  package static func isOverflow(_ message: String) -> Bool {
    message.hasSuffix("C stack overflow") || message.hasSuffix("too many syntax levels")
  }

  /// The token at which a text nests too deeply: the last token of the shortest prefix that the
  /// compiler rejects for this reason. nil if the compiler accepts the nesting of the whole text.
  package static func overflow(in source: [UInt8], compile: Compiler)
    -> (line: CodeLine, marked: Range<Int>?)?
  {
    let tokens = LuaToken.all(in: source)
    func isTooDeep(_ count: Int) -> Bool {
      guard count > 0 else { return false }
      return compile(Array(source[..<tokens[count - 1].range.upperBound])).map(isOverflow) ?? false
    }
    guard isTooDeep(tokens.count) else { return nil }
    var (fine, deep) = (0, tokens.count)
    while deep - fine > 1 {
      let middle = fine + (deep - fine) / 2
      if isTooDeep(middle) { deep = middle } else { fine = middle }
    }
    let found = tokens[deep - 1].range
    let number = 1 + source[..<found.lowerBound].count { $0 == 10 }
    return CodeLine(number, of: source).map { ($0, found) }
  }

  /// `… expected (to close 'if' at line 3) near …`
  private static func opening(_ message: String, _ source: [UInt8])
    -> (line: CodeLine, marked: Range<Int>?)?
  {
    guard let start = message.firstRange(of: "(to close '")?.upperBound,
      let middle = message[start...].firstRange(of: "' at line "),
      let number = Int(message[middle.upperBound...].prefix { $0.isNumber }),
      let line = CodeLine(number, of: source)
    else { return nil }
    let word = String(message[start..<middle.lowerBound])
    let found = line.tokens.filter { $0.text == word }
    return (line, found.count == 1 ? found[0].range : line.code)
  }

  private static func stop(_ message: String, _ line: CodeLine, _ compile: Compiler)
    -> Range<Int>?
  {
    guard let near = message.lastRange(of: " near '"), message.hasSuffix("'") else {
      return CodeMark.range(for: message, callee: nil, on: line)
    }
    let word = String(message[near.upperBound...].dropLast())
    let candidates = candidates(for: word, on: line)
    if candidates.count < 2 { return candidates.first ?? line.code }
    // The compiler stops at the first token it can't use. The source up to that token gives the
    // same message; a shorter prefix ends too early.
    let ending = " near '" + word + "'"
    return candidates.prefix(mostTries).first { candidate in
      compile(Array(line.source[..<candidate.upperBound]))?.hasSuffix(ending) ?? false
    } ?? line.code
  }

  private static let mostTries = 40

  private static func candidates(for word: String, on line: CodeLine) -> [Range<Int>] {
    let wanted = Array(word.utf8)
    let tokens = line.tokens.map(\.range).filter { line.source[$0].elementsEqual(wanted) }
    guard tokens.isEmpty else { return tokens }
    // Not a whole token, such as an unclosed string: find the token that begins like it.
    return line.tokens.map(\.range.lowerBound)
      .filter { line.source[$0...].starts(with: wanted) }.map { $0..<$0 + wanted.count }
  }
}

extension String {
  fileprivate func lastRange(of part: String) -> Range<Index>? { ranges(of: part).last }
}
