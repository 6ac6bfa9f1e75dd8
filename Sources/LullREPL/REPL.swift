import LullCassettes
import LullCore
package import LullHost
import LullLibC
import LullLuaSource
import LullSystem
import LullTransport

/// A session that reads lines, runs them and prints their values, as with `lull.repl()` in Lua.
///
/// On a terminal, the session shows prompts and supports editing. From a pipe, it runs one
/// statement after the other without prompts. The host's event loop runs while the session waits
/// for a line and while a line runs. Home thread only.
///
/// Behaviours: PRM-01 to PRM-154.
package final class REPL {
  let handles: ObjectHandles
  let log: ScriptLog
  private let permissions: Permissions
  let keeper: SessionKeeper
  private let loop: ScriptLoop
  private let requests: RequestsInFlight
  let session: LuaSession
  private let lines: any LineSource
  /// The number of lines read so far.
  private(set) var lineCount = 0
  /// The lines of an incomplete statement.
  private var statement: [UInt8] = []
  private var firstLine = 1
  /// The names of the files that the session has run, for `.reload`.
  private(set) var files: [String] = []
  /// The paths of the files that `.load` has read, as bytes. They are keyed by the name of the file
  /// in messages.
  var paths: [String: [UInt8]] = [:]
  /// The name of the file that is run like a script of the command, which has no access to the
  /// session's variables. `nil` if there is no such file.
  package var script: String?
  /// The arguments that the main chunks of files get as `...`.
  package var arguments: [[UInt8]] = []
  /// The names of the modules that were loaded before the session.
  let oldModules: Set<String>
  /// Whether any statement has failed.
  package private(set) var hasFailed = false
  /// The values of a line, while the session waits for requests among the values; otherwise `nil`.
  var pending: PendingValues?
  /// The index in `Out` of the first value of the last line; 0 if the value is not in `Out`.
  var lastNumber = 0
  /// Whether the last line has a result. `lastIsAwaited`: whether its first value is an awaited
  /// request.
  var lastHasValue = false
  var lastIsAwaited = false
  /// Whether requests were still in progress after the last input.
  private var leftRequests = false
  /// The first value of the last line.
  var lastResult = TypedResult.nothing
  /// The first value of the last line, if it is a request that the session does not await.
  var lastRequest: Request?
  /// The current or last recording of the directives `.record`, `.stop` and `.test`.
  var recording: SessionRecording?
  let environment: any HostEnvironment
  /// Whether the user typed `exit`, so that the session ends.
  private var isLeaving = false
  /// The input of the session so far. Input is collected only if the session is interactive or is
  /// being recorded.
  private(set) var inputs = TypedInputs()

  /// Opens a session on a host. Returns `nil` if the host already has a session.
  package init?(_ host: LuaHost) {
    guard let session = LuaSession(host) else { return nil }
    handles = host.handles
    log = host.reporter.log
    permissions = host.permissions
    keeper = host.session
    loop = host.loop
    requests = host.requests
    environment = host.environment
    self.session = session
    lines = REPL.lines(host, session)
    oldModules = Set(session.loadedModules)
    if lines.isInteractive {
      session.numberResults()
      keeper.pagesHelp = true
      session.tracePipelines()
    }
    session.onIdleInterrupt = { [lines] in lines.abandon() }
  }

  /// Whether the lines run in the sandbox.
  var isSandboxed: Bool { permissions.isSandboxed }

  /// Whether a user types the lines at a terminal.
  package var isInteractive: Bool { lines.isInteractive }

  /// Registers the function that `lull.repl` calls to open a session.
  package static func register() {
    SessionKeeper.register { host in
      guard let repl = REPL(host) else { return false }
      repl.run()
      repl.close()
      return true
    }
  }

  package func close() {
    endRecording()
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
    if let problem { StandardError.write("lull: line editing is not available: \(problem)\n") }
    return TypedLines(host, terminal)
  }

  private static let greeting =
    "Lull \(Lull.version), Lua 5.4: Tab completes, NAME? explains, .help lists the rest\n"

  /// If a line asks for help and the session is interactive, returns the question in the line.
  private func question(_ line: [UInt8]) -> Question? {
    isInteractive ? Question(String(decoding: line, as: UTF8.self)) : nil
  }

  /// If a line is input typed by habit, is not Lua, and the session is interactive, returns the
  /// habit.
  private func habit(_ line: [UInt8]) -> Habit? {
    guard isInteractive, let habit = Habit(String(decoding: line, as: UTF8.self)) else {
      return nil
    }
    if let name = habit.variable, session.isThere([name]) { return nil }
    return habit
  }

  /// Responds to input typed by habit. Always returns false, because nothing was run.
  private func answer(_ habit: Habit) -> Bool {
    switch habit {
    case .leaving: isLeaving = true
    case .hint(let text, _): complain("lull: \(text)\n")
    }
    return false
  }

  // MARK: Files

  /// Runs a file. The top-level locals of the file become variables of the session. Returns `false`
  /// if the file failed.
  @discardableResult
  package func load(_ file: [UInt8], name: String) -> Bool {
    if !files.contains(name) { files.append(name) }
    switch session.read(file: file, name: name, isScript: name == script) {
    case .ready(let line):
      var input = TypedInput(text: file, file: name)
      input.hasSucceeded = note(&input) { evaluate(line, with: arguments) }
      if input.hasSucceeded, isInteractive, !inputs.hasRead(file) { inputs.add(input) }
      return input.hasSucceeded
    case .incomplete(let report), .failed(let report):
      complain(report)
      return false
    }
  }

  /// Calls `body`, which runs the input. Records in `input` the state of the session before the
  /// run, and the results of the run.
  private func note(_ input: inout TypedInput, _ body: () -> Bool) -> Bool {
    lastNumber = 0
    lastHasValue = false
    lastIsAwaited = false
    lastResult = .nothing
    lastRequest = nil
    input.waitsBefore = leftRequests && requests.isEmpty
    let isDone = body()
    leftRequests = !requests.isEmpty
    input.number = lastNumber
    input.hasValue = lastHasValue
    input.isAwaited = lastIsAwaited
    input.result = lastResult
    return isDone
  }

  // MARK: Lines

  /// Reads and runs lines until the session ends. Work that the lines have started may still be in
  /// progress when this method returns.
  package func run() {
    if isInteractive { StandardOutput.write(REPL.greeting) }
    reading: while !keeper.isEnding, !loop.isInterrupted, !isLeaving {
      switch lines.next(isContinuation: !statement.isEmpty) {
      case .line(let text):
        if text.contains(10) { enter(several: text) } else { enter(text, isToRemember: true) }
      case .abandoned: statement = []
      case .end: break reading
      }
    }
    if !statement.isEmpty, case .incomplete(let report) = read(statement, firstLine: firstLine) {
      complain(report)
    }
  }

  /// Runs one line, or adds the line to an incomplete statement. Returns `false` if the line
  /// failed.
  @discardableResult
  private func enter(_ line: [UInt8], isToRemember: Bool) -> Bool {
    lineCount += 1
    if statement.isEmpty {
      if let habit = habit(line) {
        if isToRemember { lines.remember(line) }
        return answer(habit)
      }
      if let directive = Directive(line) {
        if isToRemember { lines.remember(line) }
        return obey(directive)
      }
      if let question = question(line) {
        if isToRemember { lines.remember(line) }
        return explain(question.name)
      }
      firstLine = lineCount
      statement = line
    } else {
      statement += [10] + line
    }
    let reading = read(statement, firstLine: firstLine)
    if case .incomplete = reading { return true }
    if isToRemember { lines.remember(statement) }
    let input = statement
    statement = []
    return run(input, reading)
  }

  /// Runs several lines that were pasted or recalled together. The lines run one by one, as if they
  /// were typed. If the lines are valid only together, they run as one statement. After a failure,
  /// the remaining lines are not run.
  @discardableResult
  private func enter(several text: [UInt8]) -> Bool {
    let parts = text.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
    let first = statement.isEmpty ? lineCount + 1 : firstLine
    let whole = statement.isEmpty ? text : statement + [10] + text
    lines.remember(whole)
    if !areStatements(parts), session.isComplete(whole, name: "stdin", firstLine: first) == true {
      lineCount += parts.count
      statement = []
      return run(whole, read(whole, firstLine: first))
    }
    for (index, part) in parts.enumerated() where !enter(part, isToRemember: false) {
      let rest = parts[(index + 1)...].count { $0.contains { $0 != 32 && $0 != 9 } }
      lineCount += parts.count - index - 1
      if rest == 1 { complain("lull: the next line was not run\n") }
      if rest > 1 { complain("lull: the next \(rest) lines were not run\n") }
      return false
    }
    return true
  }

  /// Runs text from an editor as if the user had pasted it.
  func enter(edited text: [UInt8]) -> Bool {
    let isDone = text.contains(10) ? enter(several: text) : enter(text, isToRemember: true)
    guard !statement.isEmpty, case .incomplete(let report) = read(statement, firstLine: firstLine)
    else { return isDone }
    // The user can't type the rest of an incomplete statement, so the statement is an error.
    inputs.add(TypedInput(text: statement))
    statement = []
    complain(report)
    return false
  }

  /// Runs a complete statement, and records it as input. Returns `false` if the statement failed.
  private func run(_ statement: [UInt8], _ reading: LuaSession.Reading) -> Bool {
    var input = TypedInput(text: statement)
    defer {
      if isInteractive || recording != nil, !statement.allSatisfy({ $0 <= 32 }) {
        inputs.add(input)
      }
    }
    switch reading {
    case .incomplete: return true
    case .failed(let report):
      complain(report)
      return false
    case .ready(let line):
      input.endedBefore = recording?.recorder.endedCount ?? 0
      input.hasSucceeded = note(&input) { evaluate(line) }
      input.endedAfter = recording?.recorder.endedCount ?? 0
      // The request is kept, because its result is read later.
      if recording != nil { input.request = lastRequest }
      lastRequest = nil
      return input.hasSucceeded
    }
  }

  /// Returns whether the lines can be run one by one. Returns false if a line is an error by
  /// itself, but would be completed by the line after it.
  private func areStatements(_ parts: [[UInt8]]) -> Bool {
    var statement = statement
    for part in parts {
      if statement.isEmpty, Directive(part) != nil { continue }
      if statement.isEmpty, question(part) != nil || habit(part) != nil { continue }
      statement = statement.isEmpty ? part : statement + [10] + part
      switch session.isComplete(statement, name: "stdin", firstLine: 1) {
      case true?: statement = []
      case false?: return false
      case nil: break
      }
    }
    return true
  }

  func read(_ statement: [UInt8], firstLine: Int) -> LuaSession.Reading {
    session.read(statement, name: "stdin", firstLine: firstLine)
  }

  @discardableResult
  func evaluate(_ line: LuaSession.Line, with arguments: [[UInt8]] = []) -> Bool {
    pending = nil
    switch session.run(line, with: arguments, show: { [unowned self] in show($0) }) {
    case .finished: return showPending()
    case .failed(let report): complain(report)
    case .interrupted:
      settlePending()
      if !loop.isInterrupted { complain("interrupted!\n") }
    }
    return false
  }

  func complain(_ text: String) {
    hasFailed = true
    fflush(nil)
    StandardError.write(text)
  }
}

extension REPL {
  /// Shows the help for a name. If a variable has the name, shows the help for its value. Otherwise
  /// shows the help for the function or object of Lull with that name, or else the output of
  /// `help`. Returns `false` if nothing has that name.
  func explain(_ name: String) -> Bool {
    if let path = Question.path(name) {
      let joined = path.joined(separator: ".")
      if let text = Completer(session: session).help(for: path) ?? session.help(named: joined) {
        show(help: text)
        return true
      }
      if let text = helpElsewhere(for: path) {
        show(help: text)
        return true
      }
      guard session.isThere(path) else {
        StandardOutput.write(session.refusal(ofHelpFor: joined))
        return false
      }
    }
    let expression = name.replacing(":", with: ".")
    guard case .ready(let line) = read(Array("help(\(expression))".utf8), firstLine: lineCount)
    else {
      return refuse("'\(name)' is not a name: NAME? and .help NAME take a name, such as api.load")
    }
    return evaluate(line)
  }

  /// Returns the help for a member that this object does not have, but other objects do. An example
  /// is `api.load?` if `api` is a service.
  private func helpElsewhere(for path: [String]) -> String? {
    guard let name = path.last, path.count > 1, !session.isThere(path),
      let receiver = Completer(session: session).typeName(at: path.dropLast()),
      let text = session.help(named: name)
    else { return nil }
    return "\(receiver) has no '\(name)'. Other types have:\n\n" + text
  }

  private func show(help text: String) {
    if isInteractive {
      StandardOutput.page(text)
    } else {
      StandardOutput.write(text)
    }
  }
}

extension REPL {
  /// Shows the result of each pipeline step for the last response.
  func showTrace() -> Bool {
    guard let answer = session.lastAnswer else {
      return refuse("no request of this session has completed yet")
    }
    var text = answer.title + "\n"
    if answer.rows.isEmpty {
      text += "no pipeline step had anything to do\n"
    } else {
      let layout = layout
      let heads = ["stage", "step", "type", "bytes"]
      let rows = answer.rows.map { [$0.stage, $0.step, $0.type, $0.size] }
      // The excerpt gets the rest of the row, but at least 20 columns.
      let taken = heads.indices.map { column in
        2 + (([heads] + rows).map { TextWidth.of($0[column]) }.max() ?? 0)
      }
      let room = max(20, layout.width - taken.reduce(0, +))
      let whole = zip(rows, answer.rows).map { row, answer in
        row + [TextWidth.cut(answer.excerpt, to: room)]
      }
      let table = ShownTable(heads: heads + ["begins"], rows: whole, width: Int.max)
      text += table.text(layout) + "\n"
    }
    StandardOutput.write(text)
    return true
  }
}

extension REPL {
  /// Writes a new file with a script made from the input that ran without an error. The script
  /// assigns the values of expressions to `_`.
  func save(_ path: [UInt8]) -> Bool {
    guard !path.isEmpty else { return refuse("the file is missing: .save FILE") }
    guard !isSandboxed else { return refuse(".save is not available in the sandbox") }
    let saved = savedInputs
    guard saved.contains(where: { $0.file == nil }) else {
      return refuse("there is no input to save yet")
    }
    guard let script = script(of: saved) else { return false }
    let name = String(escaping: path)
    let file = open(FileName.cString(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard file >= 0 else {
      guard errno == EEXIST else { return refuse("cannot write '\(name)': \(ErrorText.of(errno))") }
      return refuse("'\(name)' already exists: name another file, or remove it first")
    }
    defer { LullLibC.close(file) }
    if let code = DescriptorWriting.put(script, into: file) {
      unlink(FileName.cString(path))
      return refuse("cannot write '\(name)': \(ErrorText.of(code))")
    }
    let count = saved.count { $0.file == nil && $0.hasSucceeded }
    StandardOutput.write("\(count) \(count == 1 ? "statement" : "statements") in \(name)\n")
    return true
  }

  /// The inputs that ran without an error. If a statement refers to earlier results, inputs whose
  /// request failed are included too.
  private var savedInputs: [TypedInput] {
    let done = inputs.all.filter(\.hasSucceeded)
    guard done.contains(where: { SessionScript.refersToResults($0.text) }) else { return done }
    return inputs.all.filter { $0.hasSucceeded || $0.isAwaited && $0.number > 0 }
  }

  /// Returns a script made from the inputs. If the script does not compile, reports an error and
  /// returns `nil`.
  private func script(of inputs: [TypedInput]) -> [UInt8]? {
    let script = SessionScript(
      inputs.map { input in
        let expression =
          input.file == nil ? session.expression(of: input.text, hasValue: input.hasValue) : nil
        return SessionScript.Statement(text: input.text, expression: expression, input: input)
      })
    if !script.needsHoisting, session.problem(of: script.plain) == nil { return script.plain }
    let hoisted = script.hoisted
    guard let problem = session.problem(of: hoisted) else { return hoisted }
    _ = refuse("the input cannot be saved as a script: \(problem)")
    return nil
  }
}
