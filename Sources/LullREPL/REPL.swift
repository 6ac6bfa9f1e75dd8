import Glibc
package import LullHost
import LullCore

/// A session that reads lines, runs them and prints what they give.
///
/// From a terminal it prompts and edits; from a pipe it runs one statement after the other, without
/// prompts. It turns the host's loop while it waits for a line and while a line runs. Home thread
/// only. Lua: `lull.repl()`.
package final class REPL {
  let host: LuaHost
  let session: LuaSession
  private let lines: any LineSource
  /// Lines read so far.
  private(set) var lineCount = 0
  /// The files run so far, for `.reload`.
  private(set) var files: [String] = []
  /// What files are given as `...`.
  package var arguments: [[UInt8]] = []
  /// Modules that were there at the beginning.
  let oldModules: Set<String>
  /// Whether any statement has failed.
  package private(set) var hasFailed = false

  /// Nil if the host has a session already.
  package init?(_ host: LuaHost) {
    guard let session = LuaSession(host) else { return nil }
    self.host = host
    self.session = session
    lines = REPL.lines(host, session)
    oldModules = Set(session.loadedModules)
    session.onIdleInterrupt = { [lines] in lines.abandon() }
  }

  /// Whether a person sits there.
  package var isInteractive: Bool { lines.isInteractive }

  /// Makes `lull.repl` open one.
  package static func register() {
    LuaHost.register { host in
      guard let repl = REPL(host) else { return false }
      repl.run()
      repl.close()
      return true
    }
  }

  package func close() {
    lines.close()
    session.close()
  }

  private static func lines(_ host: LuaHost, _ session: LuaSession) -> any LineSource {
    guard let terminal = Terminal() else { return PipedLines(host) }
    var problem: String?
    let completer = { [unowned session] (text: String, statement: String) in
      Completer(session: session).completion(of: text, statement: statement)
    }
    if let lines = EditedLines(host, terminal, problem: &problem, completer: completer) {
      return lines
    }
    if let problem { StandardError.write("lull: lines cannot be edited: \(problem)\n") }
    return TypedLines(host, terminal)
  }

  // MARK: Files

  /// Runs a file whose top-level locals become variables of the session; false if it failed.
  @discardableResult
  package func load(_ file: [UInt8], name: String) -> Bool {
    if !files.contains(name) { files.append(name) }
    switch session.read(file: file, name: name) {
    case .ready(let line): return evaluate(line, with: arguments)
    case .incomplete(let message), .failed(let message):
      complain(session.report(syntaxError: message))
      return false
    }
  }

  // MARK: Lines

  /// Reads and runs lines to their end. What they have started may still go on then.
  package func run() {
    var statement: [UInt8] = []
    var firstLine = 1
    reading: while !host.isSessionEnding, !host.isInterrupted {
      switch lines.next(isContinuation: !statement.isEmpty) {
      case .line(let line):
        lineCount += 1
        if statement.isEmpty {
          if let directive = Directive(String(decoding: line, as: UTF8.self)) {
            lines.remember(line)
            obey(directive)
            continue
          }
          firstLine = lineCount
          statement = line
        } else {
          statement += [10] + line
        }
        if evaluate(statement, firstLine: firstLine) { statement = [] }
      case .abandoned: statement = []
      case .end: break reading
      }
    }
    if !statement.isEmpty, case .incomplete(let message) = read(statement, firstLine: firstLine) {
      complain(session.report(syntaxError: message))
    }
  }

  func read(_ statement: [UInt8], firstLine: Int) -> LuaSession.Reading {
    session.read(statement, name: "stdin", firstLine: firstLine)
  }

  /// Runs a statement if it is complete; false if more is needed.
  private func evaluate(_ statement: [UInt8], firstLine: Int) -> Bool {
    switch read(statement, firstLine: firstLine) {
    case .incomplete: return false
    case .failed(let message):
      lines.remember(statement)
      complain(session.report(syntaxError: message))
    case .ready(let line):
      lines.remember(statement)
      evaluate(line)
    }
    return true
  }

  @discardableResult
  func evaluate(_ line: LuaSession.Line, with arguments: [[UInt8]] = []) -> Bool {
    switch session.run(line, with: arguments, show: { [unowned self] in show($0) }) {
    case .finished: return true
    case .failed(let report): complain(report)
    case .interrupted:
      if !host.isInterrupted { complain("interrupted!\n") }
    }
    return false
  }

  /// On one line if they are all short, else one below the other.
  func show(_ values: SessionValues) {
    guard values.count > 0 else { return }
    let texts = (0..<values.count).map { layout.text(values.shown($0)) }
    let isShort = texts.allSatisfy { !$0.contains("\n") }
    StandardOutput.write(texts.joined(separator: isShort ? "\t" : "\n") + "\n")
  }

  var layout: ShownValueText {
    guard isatty(STDOUT_FILENO) != 0 else { return ShownValueText(width: 100, colours: false) }
    return ShownValueText(width: Terminal.width(STDOUT_FILENO), colours: Terminal.wantsColour)
  }

  func complain(_ text: String) {
    hasFailed = true
    fflush(nil)
    StandardError.write(text)
  }
}
