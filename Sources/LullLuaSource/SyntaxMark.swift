/// Finds the code that prevents a chunk from being compiled.
package enum SyntaxMark {
  /// Compiles a text. Returns the error message with its position, or nil if there is no error.
  package typealias Compiler = ([UInt8]) -> String?

  /// Returns the lines to show, with the code to mark: the place where an unclosed block was
  /// opened, and the place where the compiler stopped.
  ///
  /// - Parameters:
  ///   - message: The error message without the position at its beginning.
  ///   - compile: Compiles a part of the source. Used to choose between equal tokens on a line.
  package static func marks(
    for message: String, line number: Int, of source: [UInt8], compile: Compiler
  ) -> [(line: CodeLine, marked: Range<Int>?)] {
    var marks: [(line: CodeLine, marked: Range<Int>?)] = []
    if let opened = opening(message, source), opened.line.number != number {
      marks.append(opened)
    }
    // Some messages name an earlier line at their end.
    let named = message.lastRange(of: " at line ").flatMap { Int(message[$0.upperBound...]) }
    guard let line = CodeLine(named ?? number, of: source) else { return marks }
    if message.hasSuffix("near <eof>") {
      // If there is no other mark, an empty last line is shown too.
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

  /// Returns whether a message reports that a text is nested too deeply. The message is given
  /// without its position.
  package static func isOverflow(_ message: String) -> Bool {
    message.hasSuffix("C stack overflow") || message.hasSuffix("too many syntax levels")
  }

  /// Returns the token at which a text becomes nested too deeply: the last token of the shortest
  /// prefix that the compiler rejects for this reason. nil if the compiler accepts the nesting of
  /// the whole text.
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

  /// Handles messages such as `… expected (to close 'if' at line 3) near …`. Returns the place
  /// where the block was opened.
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
    // The compiler stops at the first token that it can't accept. If the source is cut off after
    // that token, the message is the same. If it is cut off earlier, the message is different.
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
    // The message names only the beginning of a token, such as an unclosed string, so find the
    // token that begins with it.
    return line.tokens.map(\.range.lowerBound)
      .filter { line.source[$0...].starts(with: wanted) }.map { $0..<$0 + wanted.count }
  }
}

extension String {
  fileprivate func lastRange(of part: String) -> Range<Index>? { ranges(of: part).last }
}
