import CLullBridge
import Glibc
import LullCore

/// Lines of Lua run one after another, which share variables: what a REPL is made of.
///
/// A line is compiled by `read`, run by `run` in a coroutine of its own, so that it may wait. When
/// its chunk has returned, its top-level locals are variables of the session and its first value is
/// `_`; when it has failed, variables it assigned to are what they were before. One session at a time;
/// home thread only.
package final class LuaSession {
  package let host: LuaHost
  /// The line that runs.
  private var context: RunContext?
  /// Called for Ctrl-C while no line runs.
  package var onIdleInterrupt: (() -> Void)?
  private var isOpen = true

  /// Nil if another session is open, or without memory.
  package init?(_ host: LuaHost) {
    guard !host.hasSession, lull_session_open(host.runtime) == 0 else { return nil }
    self.host = host
    host.hasSession = true
    host.isSessionEnding = false
    host.onInterrupt = { [unowned self] in interrupt() }
    host.setSignalOwner(LULL_SIGNALS_SESSION)
  }

  package func close() {
    guard isOpen else { return }
    isOpen = false
    host.hasSession = false
    host.onInterrupt = nil
    guard !host.isClosed else { return }
    lull_session_close(host.runtime)
    host.setSignalOwner(LULL_SIGNALS_PROCESS)
  }

  // MARK: Reading

  package struct Line {
    fileprivate let id: Int64
  }

  package enum Reading {
    case ready(Line)
    /// More is needed: the compiler met the end of the text, and says so.
    case incomplete(String)
    /// The compiler's message.
    case failed(String)
  }

  /// Compiles a text, as an expression if it is one.
  ///
  /// - Parameters:
  ///   - firstLine: the number of its first line, from 1, for messages.
  ///   - name: as messages call where it comes from.
  package func read(_ text: [UInt8], name: String, firstLine: Int) -> Reading {
    var expression = Array("return ".utf8)
    if let sign = text.firstIndex(where: { $0 != 32 && $0 != 9 }), text[sign] == UInt8(ascii: "=") {
      expression += text[(sign + 1)...]
    } else {
      expression += text
    }
    host.sources.remember(text, chunkName: Array("=\(name)".utf8), firstLine: firstLine)
    let asExpression = check(expression, name: name, firstLine: firstLine)
    if asExpression == nil {
      return keep(LineSource(expression, isStatement: false), name: name, firstLine: firstLine)
    }
    guard let message = check(text, name: name, firstLine: firstLine) else {
      return keep(LineSource(text, isStatement: true), name: name, firstLine: firstLine)
    }
    if LuaSession.wantsMore(message) || asExpression.map(LuaSession.wantsMore) == true {
      return .incomplete(message)
    }
    return .failed(text.starts(with: expression.dropFirst(7)) ? message : asExpression ?? message)
  }

  /// Compiles a whole file.
  package func read(file: [UInt8], name: String) -> Reading {
    host.sources.remember(file, chunkName: Array("@\(name)".utf8))
    if let message = compile(file, name: "@" + name, firstLine: 1, id: 0) {
      return .failed(message)
    }
    return keep(LineSource(file, isStatement: true), name: "@" + name, firstLine: 1)
  }

  /// Its message ends with that token. (Lua 5.4 manual, section 7: the stock interpreter's way)
  private static func wantsMore(_ message: String) -> Bool { message.hasSuffix("<eof>") }

  private func check(_ text: [UInt8], name: String, firstLine: Int) -> String? {
    let message = compile(text, name: "=" + name, firstLine: firstLine, id: 0)
    guard let message, LuaSession.wantsMore(message) else { return message }
    // Once more with the line's end, which a string in quotes cannot go over.
    return compile(text + [10], name: "=" + name, firstLine: firstLine, id: 0)
  }

  private func keep(_ source: LineSource, name: String, firstLine: Int) -> Reading {
    let id = host.makeID()
    let name = name.hasPrefix("@") ? name : "=" + name
    if let message = compile(source.instrumented, name: name, firstLine: firstLine, id: id) {
      return .failed(message)
    }
    return .ready(Line(id: id))
  }

  private func compile(_ text: [UInt8], name: String, firstLine: Int, id: Int64) -> String? {
    let mark = lull_arena_mark(host.runtime)
    defer { lull_arena_release(host.runtime, mark) }
    var message: UnsafePointer<CChar>?
    let status = text.withUnsafeBytes { bytes in
      lull_session_load(
        host.runtime, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count,
        Int32(clamping: firstLine - 1), name, id, &message)
    }
    return status == 0 ? nil : message.map { String(cString: $0) } ?? "cannot be compiled"
  }

  // MARK: Running

  /// The report of a text that does not compile.
  package func report(syntaxError message: String) -> String {
    host.describe(syntaxError: message)
  }

  package enum Ending {
    case finished
    /// The report of the error.
    case failed(String)
    /// Ctrl-C, or the session's own end, before it was over.
    case interrupted
  }

  /// Runs a line until it is over, turning the loop meanwhile.
  ///
  /// - Parameter show: told the values it gave, which are valid during that call only.
  package func run(
    _ line: Line, with arguments: [[UInt8]] = [], show: @escaping (SessionValues) -> Void
  ) -> Ending {
    var ending: Ending?
    let context = RunContext(purpose: "the line") { host, outcome in
      switch outcome {
      case .finished(let results):
        lull_session_commit(
          host.runtime, results.state, results.index(0), results.count > 0 ? 1 : 0)
        show(SessionValues(host: host, results: results))
        ending = .finished
      case .failed(let failure):
        lull_session_roll_back(host.runtime)
        ending =
          host.takeInterrupt()
          ? .interrupted : .failed(host.describe(failure))
      case .gone, .cancelled:
        lull_session_roll_back(host.runtime)
        ending = .interrupted
      }
    }
    self.context = context
    context.isStrong = true
    host.strongTasks += 1
    host.start(Callable(id: line.id), arguments.map { .bytes($0) }, context)
    host.drive { ending != nil || host.isInterrupted }
    if ending == nil { host.cancel(context) }
    host.strongTasks -= 1
    self.context = nil
    // A line that has returned in spite of Ctrl-C has had it all the same.
    _ = host.takeInterrupt()
    lull_value_unpin(host.runtime, line.id)
    return ending ?? .interrupted
  }

  private func interrupt() {
    if let context {
      host.cancel(context)
    } else {
      onIdleInterrupt?()
    }
  }
}

/// The values a line gave, in order.
package struct SessionValues {
  let host: LuaHost
  let results: RunResults

  package var count: Int { results.count }

  /// One of them as it is to be shown.
  package func shown(_ position: Int) -> ShownValue {
    host.shown(results.index(position), in: results.state)
  }
}
