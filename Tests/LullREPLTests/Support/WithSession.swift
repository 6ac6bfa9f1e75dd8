import LullClients
import LullHost
import Testing

/// Calls the function with a session in which these lines have been run.
func withSession(
  _ lines: String..., body: (LuaSession) throws -> Void
) throws {
  try withSession(running: lines) { session, _ in try body(session) }
}

/// The same, with the host that has the session.
func withSession(
  running lines: [String] = [], body: (LuaSession, LuaHost) throws -> Void
) throws {
  let program = try #require(ScriptProgram(environment: QuietEnvironment(), library: .withClients))
  var failure: (any Error)?
  _ = program.interact(words: [Array("lull".utf8)], first: 0, folder: Array(".".utf8)) { host in
    guard let session = LuaSession(host) else {
      Issue.record("no session")
      return .done(hasFailed: true)
    }
    defer { session.close() }
    for line in lines {
      if case .failed(let message) = session.evaluate(line) { Issue.record("\(line): \(message)") }
    }
    do { try body(session, host) } catch { failure = error }
    return .left
  }
  if let failure { throw failure }
}

/// What a line came to.
enum LineEnd: Equatable {
  /// The values it gave, as they are shown.
  case values([String])
  case failed(String)
  case incomplete
  case interrupted

  /// The first line of a report, without the name in front.
  static func message(of report: String) -> String {
    let line = report.prefix { $0 != "\n" }
    return String(line.hasPrefix("lull: ") ? line.dropFirst(6) : line)
  }
}

extension LuaSession {
  @discardableResult
  func evaluate(_ text: String, firstLine: Int = 1) -> LineEnd {
    switch read(Array(text.utf8), name: "stdin", firstLine: firstLine) {
    case .incomplete: return .incomplete
    case .failed(let report): return .failed(LineEnd.message(of: report))
    case .ready(let line):
      var values: [String] = []
      let layout = ShownValueText(width: 60, colours: false)
      let ending = run(line) { shown in
        values = (0..<shown.count).map { layout.text(shown.shown($0)) }
      }
      switch ending {
      case .finished: return .values(values)
      case .failed(let report): return .failed(LineEnd.message(of: report))
      case .interrupted: return .interrupted
      }
    }
  }
}
