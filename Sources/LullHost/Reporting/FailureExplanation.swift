import CLullBridge
import LullCore
import LullLuaSource

/// Finds the source lines for the report of a failure.
struct FailureExplanation {
  let sources: ChunkSources
  let compile: (_ source: [UInt8], _ chunkName: String) -> String?

  /// Returns the report of a failure without its source lines. Finding the source lines takes the
  /// most time.
  ///
  /// - Parameter place: the code that called the failed function; nil for the main chunk.
  static func report(_ failure: ScriptFailure, place: String?, request: RequestFacts?) -> Report {
    var report = Report(message: failure.messageWithHint, place: place, request: request)
    report.traceback = failure.traceback
    report.nilContent = failure.nilContent
    if let error = failure.requestError { describe(error, in: &report) }
    return report
  }

  func excerpts(for failure: ScriptFailure) -> [Excerpt] {
    let frames = failure.trace.stacks.flatMap(\.self)
    let position = failure.requestError == nil ? position(in: failure.message, frames) : nil
    if let position {
      var excerpts = sources.text(of: position.source).map {
        self.excerpts(at: position, $0, frames)
      }
      if !sources.isOwn(position.source) {
        excerpts?.append(contentsOf: caller(in: frames, after: 0))
      }
      return excerpts ?? []
    }
    if let excerpt = overflowOfModule(failure.message) { return [excerpt] }
    // If the message has no position, the innermost Lua function in the traceback is shown.
    if let place = frames.firstIndex(where: { $0.kind == .lua && $0.line > 0 }) {
      let own = excerpt(frames, at: place, label: "at").map { [$0] } ?? []
      return sources.isOwn(frames[place].source)
        ? own : own + caller(in: frames, after: place + 1)
    }
    guard let definition = failure.definition,
      let text = sources.text(of: definition.source),
      let line = CodeLine(definition.line, of: text)
    else { return [] }
    return [
      Excerpt(
        line, marked: CodeMark.definition(on: line),
        label: "at \(definition.shortSource):\(definition.line)")
    ]
  }

  /// Returns the report for a chunk that does not compile.
  ///
  /// - Parameters:
  ///   - source: the source of the chunk. It may be nil if the source is stored under the chunk's
  ///     name.
  ///   - name: the name of the chunk in messages.
  func report(syntaxError message: String, in source: [UInt8]?, name: String?) -> Report {
    var report = Report(message: message)
    if let source, let name, let found = number(in: message, after: name) {
      report.excerpts = excerpts(ofSyntaxError: found.rest, line: found.line, source, name: name)
    } else if let source, let name, let place = overflow(message, in: source, name: name) {
      report.message = "\(name):\(place.line.number): \(message)"
      report.excerpts = [Excerpt(place.line, marked: place.marked)]
    } else if let position = position(in: message, []),
      let text = source ?? sources.text(of: position.source)
    {
      report.excerpts = excerpts(at: position, text, [])
    }
    return report
  }

  /// If the message says that the code of a module nests too deeply, returns the place in the
  /// module. Such a message begins with `error loading module 'x' from file './x.lua':`. Returns
  /// nil for any other message.
  private func overflowOfModule(_ message: String) -> Excerpt? {
    guard SyntaxMark.isOverflow(message),
      let start = message.firstRange(of: "' from file '")?.upperBound,
      let end = message[start...].firstRange(of: "':\n")?.lowerBound
    else { return nil }
    let name = String(message[start..<end])
    guard let text = sources.text(of: .file(Array(name.utf8))),
      let place = overflow(message, in: text, name: name)
    else { return nil }
    return Excerpt(place.line, marked: place.marked, label: "at \(name):\(place.line.number)")
  }

  private func excerpts(
    ofSyntaxError message: String, line: Int, _ source: [UInt8], name: String
  ) -> [Excerpt] {
    SyntaxMark.marks(for: message, line: line, of: source) { compile($0, name) }
      .map { Excerpt($0.line, marked: $0.marked) }
  }

  /// If the message says that source code nests too deeply, returns the place in the source. The
  /// source is searched for the place, because the compiler's message does not contain it. Returns
  /// nil for any other message.
  private func overflow(_ message: String, in source: [UInt8], name: String)
    -> (line: CodeLine, marked: Range<Int>?)?
  {
    guard SyntaxMark.isOverflow(message) else { return nil }
    return SyntaxMark.overflow(in: source) { compile($0, name) }
  }

  // MARK: Errors of requests

  /// Replaces the message of a report. Before, the message is the one-line text of the error.
  /// Afterwards, the report has the message, the request and the cause of the error separately.
  private static func describe(_ error: RequestError, in report: inout Report) {
    if case .invalidURL = error.cause { return }
    let own = RequestFacts(error)
    if own != nil {
      report.request = own
      report.message = error.userMessage
      if case .script(let script) = error.cause { report.message += ": " + script.message }
    }
    if error.asksForDigest {
      report.cause = "the server requires Digest authentication: set auth = lull.auth.digest(…)"
      return
    }
    switch error.cause {
    case .script, .requestCancelled, .invalidURL, nil: break
    case let cause?:
      let text = LogText.part(cause.message)
      guard !text.isEmpty, !report.message.contains(text) else { break }
      report.cause = "\(cause.kind): \(text)"
    }
  }

  // MARK: Positions

  /// The position at the beginning of an error message.
  private struct Position {
    let source: ChunkSource
    let shortSource: String
    let line: Int
    /// The part of the message that follows the position.
    let rest: String
  }

  private func position(in message: String, _ frames: [TraceFrame]) -> Position? {
    if let position = position(onStack: frames, in: message) { return position }
    // The chunk need not be on the stack: it may not have compiled, or the error may have been
    // caught and raised again.
    var start = message.startIndex
    while let colon = message[start...].firstIndex(of: ":") {
      let name = String(message[..<colon])
      if name.contains("\n") { break }
      if let found = number(in: message, after: name), let source = sources.source(named: name) {
        return Position(
          source: source, shortSource: name, line: found.line, rest: found.rest)
      }
      start = message.index(after: colon)
    }
    // `require` puts its own line before the compiler's message.
    guard let inner = message.firstRange(of: "\n\t") else { return nil }
    return position(in: String(message[inner.upperBound...]), [])
  }

  private func position(onStack frames: [TraceFrame], in message: String) -> Position? {
    for frame in frames where frame.kind == .lua {
      guard let found = number(in: message, after: frame.shortSource) else { continue }
      // Each coroutine through which an error propagates adds a position in front.
      return position(onStack: frames, in: found.rest)
        ?? Position(
          source: frame.source, shortSource: frame.shortSource, line: found.line, rest: found.rest)
    }
    return nil
  }

  /// Parses a message such as `name:12: rest`. Returns nil if the message does not begin with the
  /// name and a line number.
  private func number(in message: String, after name: String) -> (line: Int, rest: String)? {
    guard !name.isEmpty, message.hasPrefix(name + ":") else { return nil }
    let tail = message.dropFirst(name.count + 1)
    let digits = tail.prefix { $0.isASCII && $0.isNumber }
    guard let line = Int(digits), tail.dropFirst(digits.count).hasPrefix(": ") else { return nil }
    return (line, String(tail.dropFirst(digits.count + 2)))
  }

  // MARK: Excerpts

  private func excerpts(at position: Position, _ text: [UInt8], _ frames: [TraceFrame])
    -> [Excerpt]
  {
    // The message comes from the compiler and is about this source. It is not a message that the
    // script quotes.
    if frames.first(where: { $0.shortSource == position.shortSource }) == nil,
      compile(text, position.shortSource)?.hasSuffix(":\(position.line): \(position.rest)") ?? false
    {
      return excerpts(
        ofSyntaxError: position.rest, line: position.line, text, name: position.shortSource)
    }
    guard let line = CodeLine(position.line, of: text) else { return [] }
    let place = frames.firstIndex {
      $0.kind == .lua && $0.shortSource == position.shortSource && $0.line == position.line
    }
    let called = place.flatMap { callee(frames, of: $0) }
    return FailureExplanation.excerpts(for: position.rest, callee: called, on: line)
  }

  /// Returns an excerpt with the line and its marked part. If the line only closes an expression to
  /// which the message may refer, the line on which the expression began is returned too.
  private static func excerpts(for message: String, callee: CodeMark.Callee?, on line: CodeLine)
    -> [Excerpt]
  {
    guard CodeMark.certainRange(for: message, callee: callee, on: line) == nil,
      let bracket = ClosedBracket(line)
    else {
      return [Excerpt(line, marked: CodeMark.range(for: message, callee: callee, on: line))]
    }
    let end = Excerpt(line, marked: nil)
    guard let range = CodeMark.namedValue(in: message, among: bracket.lastPart),
      let named = CodeLine(
        1 + line.source[..<range.lowerBound].count { $0 == 10 }, of: line.source)
    else { return [Excerpt(bracket.opening, marked: nil), end] }
    return [Excerpt(named, marked: range), end]
  }

  /// Returns the function that the frame at index `place` called, or nil if the function is not
  /// known.
  private func callee(_ frames: [TraceFrame], of place: Int) -> CodeMark.Callee? {
    guard place > 0, frames[place - 1].kind != .skipped, !frames[place - 1].isTailCall else {
      return nil
    }
    return .init(name: frames[place - 1].name, kind: frames[place - 1].nameKind)
  }

  private func excerpt(_ frames: [TraceFrame], at place: Int, label: String) -> Excerpt? {
    let frame = frames[place]
    guard let text = sources.text(of: frame.source), let line = CodeLine(frame.line, of: text)
    else { return nil }
    let called = callee(frames, of: place)
    let isKnown = CodeMark.certainRange(for: "", callee: called, on: line) != nil
    let marked =
      isKnown || ClosedBracket(line) == nil
      ? CodeMark.range(for: "", callee: called, on: line) : nil
    return Excerpt(line, marked: marked, label: "\(label) \(frame.shortSource):\(frame.line)")
  }

  /// Returns the place where the script's own code called the library that failed. The result is
  /// empty if no such place is known.
  private func caller(in frames: [TraceFrame], after first: Int) -> [Excerpt] {
    let caller = frames.indices.dropFirst(first).first { index in
      frames[index].kind == .lua && frames[index].line > 0 && sources.isOwn(frames[index].source)
    }
    return caller.flatMap { excerpt(frames, at: $0, label: "called at") }.map { [$0] } ?? []
  }
}
