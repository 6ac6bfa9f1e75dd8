import Glibc
package import LullHost
import LullCore

/// A session that reads lines, runs them and prints what they give.
///
/// From a terminal it prompts and edits; from a pipe it runs one statement after the other, without
/// prompts. It turns the host's loop while it waits for a line and while a line runs. Home thread
/// only. Lua: `lull.repl()`.
package final class REPL {
  private let host: LuaHost
  private let session: LuaSession
  private let lines: any LineSource
  /// Lines read so far.
  private var lineCount = 0
  /// Whether any statement has failed.
  package private(set) var hasFailed = false
  private var isEnded = false

  /// Nil if the host has a session already.
  package init?(_ host: LuaHost) {
    guard let session = LuaSession(host) else { return nil }
    self.host = host
    self.session = session
    lines = PipedLines(host)
    host.endSession = { [unowned self] in isEnded = true }
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
    host.endSession = nil
    lines.close()
    session.close()
  }

  // MARK: Files

  /// Runs a file whose top-level locals become variables of the session; false if it failed.
  @discardableResult
  package func load(_ file: [UInt8], name: String) -> Bool {
    switch session.read(file: file, name: name) {
    case .ready(let line): return evaluate(line)
    case .incomplete(let message), .failed(let message):
      complain("lull: \(message)\n")
      return false
    }
  }

  // MARK: Lines

  /// Reads and runs lines to their end; then, unless somebody has left, what they started goes on
  /// until nothing is left to wait for.
  package func run() {
    var statement: [UInt8] = []
    var firstLine = 1
    reading: while !isEnded, !host.isInterrupted {
      switch lines.next(isContinuation: !statement.isEmpty) {
      case .line(let line):
        lineCount += 1
        if statement.isEmpty {
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
      complain("lull: \(message)\n")
    }
    if !isInteractive, !isEnded, !host.isInterrupted { host.runUntilIdle() }
  }

  private func read(_ statement: [UInt8], firstLine: Int) -> LuaSession.Reading {
    session.read(statement, name: "stdin", firstLine: firstLine)
  }

  /// Runs a statement if it is complete; false if more is needed.
  private func evaluate(_ statement: [UInt8], firstLine: Int) -> Bool {
    switch read(statement, firstLine: firstLine) {
    case .incomplete: return false
    case .failed(let message):
      lines.remember(statement)
      complain("lull: \(message)\n")
    case .ready(let line):
      lines.remember(statement)
      evaluate(line)
    }
    return true
  }

  @discardableResult
  private func evaluate(_ line: LuaSession.Line) -> Bool {
    switch session.run(line, show: { show($0) }) {
    case .finished: return true
    case .failed(let message, let traceback):
      var text = "lull: \(message)\n"
      if !traceback.isEmpty { text += traceback + "\n" }
      complain(text)
    case .interrupted:
      if !host.isInterrupted { complain("interrupted!\n") }
    }
    return false
  }

  private func show(_ values: SessionValues) {
    guard values.count > 0 else { return }
    write((0..<values.count).map { values.text($0) }.joined(separator: "\t") + "\n")
  }

  private func complain(_ text: String) {
    hasFailed = true
    fflush(nil)
    StandardError.write(text)
  }

  private func write(_ text: String) {
    // What Lua has printed so far stands in the C library's buffer.
    fflush(nil)
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
