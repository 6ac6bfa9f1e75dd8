import CLullBridge
import LullLibC
package import LullCore
import LullLuaSource

/// Runs lines of Lua in order. All lines share one set of variables. This is the basis of a REPL.
///
/// `read` compiles a line, and `run` runs the line in its own coroutine, so that the line may wait.
/// When the chunk of the line has returned, its top-level locals become session variables, and its
/// first value becomes `_`. If the line fails, the variables that it assigned get their previous
/// values back. Only one session may be open at a time. Home thread only.
package final class LuaSession {
  let bridge: BridgeRuntime
  let handles: ObjectHandles
  private let stored: StoredValues
  private let sources: ChunkSources
  private let coroutines: Coroutines
  private let limits: LimitKeeper
  private let keeper: SessionKeeper
  private let loop: ScriptLoop
  private let reporter: Reporter
  private let pump: Pump
  /// The context of the line that is running; nil if no line is running.
  private var context: RunContext?
  /// The requests whose hooks the running line also waits for. They are set while the values of the
  /// line are shown.
  package var awaited: [Request] = []
  private var isWaitInterrupted = false
  private let hooks: ModelHooks
  /// Called when the user presses Ctrl-C while no line is running.
  package var onIdleInterrupt: (() -> Void)?
  private var isOpen = true

  /// Opens a session on a host. Returns nil if another session is open or there is not enough
  /// memory.
  package init?(_ host: LuaHost) {
    guard !host.session.isOpen, lull_session_open(host.bridge.pointer) == 0 else { return nil }
    bridge = host.bridge
    handles = host.handles
    stored = host.stored
    sources = host.sources
    coroutines = host.coroutines
    limits = host.loop.limits
    keeper = host.session
    loop = host.loop
    reporter = host.reporter
    pump = host.pump
    hooks = host.hooks
    keeper.open { [unowned self] in interrupt() }
  }

  package func close() {
    guard isOpen else { return }
    isOpen = false
    if hooks.trace != nil {
      hooks.trace = nil
      pump.tracesPipelines = false
    }
    if !bridge.isClosed { lull_session_close(bridge.pointer) }
    keeper.close()
  }

  /// Starts numbering the results of lines. From then on, `Out` contains the last hundred results.
  package func numberResults() {
    _ = lull_session_number_results(bridge.pointer)
  }

  /// Starts recording how responses pass through pipelines.
  package func tracePipelines() {
    hooks.trace = PipelineTrace(bridge, handles, pump)
    pump.tracesPipelines = true
  }

  /// The recorded pipeline steps of the last request that has ended. It is nil if no request has
  /// ended since `tracePipelines()` was called.
  package var lastAnswer: PipelineTrace.Answer? { hooks.trace?.last }

  // MARK: Reading

  package struct Line {
    fileprivate let id: Int64
  }

  package enum Reading {
    case ready(Line)
    /// The text is incomplete, because the compiler reached the end of the text too early. The
    /// value is the report of the compiler's message.
    case incomplete(String)
    /// The text does not compile. The value is the report of the compiler's message.
    case failed(String)
  }

  /// The kind of a text, as determined by the compiler.
  private enum Form {
    case expression([UInt8])
    case statement
    case incomplete(String)
    case wrong(String)
  }

  /// Returns whether a text can be run. Returns nil if more text could complete it.
  package func isComplete(_ text: [UInt8], name: String, firstLine: Int) -> Bool? {
    switch form(of: text, name: name, firstLine: firstLine) {
    case .expression, .statement: true
    case .incomplete: nil
    case .wrong: false
    }
  }

  /// Returns a text as a statement for a script. If the text is an expression, the statement
  /// assigns the expression to `_`.
  ///
  /// - Parameter hasValue: whether the expression had a value. A call without a value is not
  ///   assigned.
  package func statement(of text: [UInt8], hasValue: Bool) -> [UInt8] {
    expression(of: text, hasValue: hasValue).map { Array("_ = ".utf8) + $0 } ?? text
  }

  /// Returns the expression in a text. Returns nil for a statement, and for a call without a value.
  package func expression(of text: [UInt8], hasValue: Bool) -> [UInt8]? {
    guard case .expression(let expression) = form(of: text, name: "stdin", firstLine: 1),
      hasValue || check(text, name: "stdin", firstLine: 1) != nil
    else { return nil }
    // The expression begins with `return`, which is removed.
    return Array(expression.dropFirst(6).drop { $0 == 32 || $0 == 9 })
  }

  /// Returns the compiler's message if a text does not compile, otherwise nil.
  package func problem(of text: [UInt8]) -> String? { check(text, name: "line", firstLine: 1) }

  /// Compiles a text. If the text can be compiled as an expression, it is.
  ///
  /// - Parameters:
  ///   - firstLine: the number that the first line of the text has in messages, starting at 1.
  ///   - name: the name of the source in messages.
  package func read(_ text: [UInt8], name: String, firstLine: Int) -> Reading {
    sources.remember(text, chunkName: Array("=\(name)".utf8), firstLine: firstLine)
    let form = form(of: text, name: name, firstLine: firstLine)
    switch form {
    case .expression(let expression):
      return keep(instrumented(expression, isStatement: false), name: name, firstLine: firstLine)
    case .statement:
      return keep(instrumented(text, isStatement: true), name: name, firstLine: firstLine)
    case .incomplete(let message), .wrong(let message):
      // The earlier lines are not part of this text, so empty lines take their place.
      let source = Array(repeating: 10, count: max(0, firstLine - 1)) + text
      let report = reporter.describe(syntaxError: message, in: source, name: name)
      if case .incomplete = form { return .incomplete(report) }
      return .failed(report)
    }
  }

  /// Compiles a whole file.
  ///
  /// - Parameter isScript: whether the file is run like a script of the command. Such a file has
  ///   `_G` as its `_ENV`, and does not see the session's variables. If it fails, its assignments
  ///   are kept.
  package func read(file: [UInt8], name: String, isScript: Bool = false) -> Reading {
    sources.remember(file, chunkName: Array("@\(name)".utf8))
    if let message = compile(file, name: "@" + name, firstLine: 1, id: 0) {
      return .failed(reporter.describe(syntaxError: message, in: file, name: name))
    }
    return keep(
      instrumented(file, isStatement: true, isScript: isScript), name: "@" + name, firstLine: 1)
  }

  private func form(of text: [UInt8], name: String, firstLine: Int) -> Form {
    var expression = Array("return ".utf8)
    let sign = text.firstIndex { $0 != 32 && $0 != 9 }
    let hasSign = sign.map { text[$0] == UInt8(ascii: "=") } ?? false
    expression += hasSign ? text[((sign ?? 0) + 1)...] : text[...]
    let asExpression = check(expression, name: name, firstLine: firstLine)
    guard let asExpression else { return .expression(expression) }
    guard let message = check(text, name: name, firstLine: firstLine) else { return .statement }
    if LuaSession.wantsMore(message) { return .incomplete(message) }
    if LuaSession.wantsMore(asExpression) { return .incomplete(asExpression) }
    return .wrong(hasSign ? asExpression : message)
  }

  /// Returns whether a compiler message ends with the token `<eof>`, so that more text could
  /// complete the source. The stock interpreter uses the same rule. (Lua 5.4 manual, section 7)
  private static func wantsMore(_ message: String) -> Bool { message.hasSuffix("<eof>") }

  private func check(_ text: [UInt8], name: String, firstLine: Int) -> String? {
    let message = compile(text, name: "=" + name, firstLine: firstLine, id: 0)
    guard let message, LuaSession.wantsMore(message) else { return message }
    // The text is compiled again with a line break at its end, because a quoted string can't
    // contain a line break.
    let ended = compile(text + [10], name: "=" + name, firstLine: firstLine, id: 0)
    return ended.map { LuaSession.wantsMore($0) ? message : $0 }
  }

  /// Returns the code that is compiled instead of the given source. It has additional code that
  /// reads the top-level locals when the chunk returns.
  ///
  /// Line numbers are unchanged. The original source is compiled first, so that compiler messages
  /// refer to it.
  ///
  /// - Parameters:
  ///   - isStatement: false if the source is `return` and an expression. Such a source declares no
  ///     locals.
  ///   - isScript: whether the code sees only globals, and no session variables.
  private func instrumented(
    _ source: [UInt8], isStatement: Bool, isScript: Bool = false
  ) -> [UInt8] {
    let prologue = Array(String(cString: lull_session_prologue(isScript ? 1 : 0)).utf8)
    guard isStatement else { return prologue + source }
    let mark = Array(String(cString: lull_session_block_mark()).utf8)
    return prologue + ChunkBlocks.marking(source, with: mark)
  }

  private func keep(_ instrumented: [UInt8], name: String, firstLine: Int) -> Reading {
    let id = stored.makeID()
    let chunkName = name.hasPrefix("@") ? name : "=" + name
    if let message = compile(instrumented, name: chunkName, firstLine: firstLine, id: id) {
      return .failed(reporter.describe(syntaxError: message))
    }
    return .ready(Line(id: id))
  }

  private func compile(_ text: [UInt8], name: String, firstLine: Int, id: Int64) -> String? {
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    var message: UnsafePointer<CChar>?
    let status = text.withUnsafeBytes { bytes in
      lull_session_load(
        bridge.pointer, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count,
        Int32(clamping: firstLine - 1), name, id, &message)
    }
    return status == 0 ? nil : message.map { String(escapingCString: $0) } ?? "cannot be compiled"
  }

  // MARK: Running

  package enum Ending {
    case finished
    /// The line raised an error. The value is the report of the error.
    case failed(String)
    /// The line was ended early by Ctrl-C or by the end of the session.
    case interrupted
  }

  /// Runs a line to its end. The event loop runs meanwhile.
  ///
  /// - Parameter show: called with the values of the line. The values are valid only during that
  ///   call.
  package func run(
    _ line: Line, with arguments: [[UInt8]] = [], show: @escaping (SessionValues) -> Void
  ) -> Ending {
    var ending: Ending?
    let context = RunContext(purpose: "the line") { [unowned self] outcome in
      switch outcome {
      case .finished(let results):
        let number = lull_session_commit(
          bridge.pointer, results.state, results.index(0), results.count > 0 ? 1 : 0)
        show(SessionValues(results, display, handles, limits, number: Int(number)))
        ending = endingOfShowing
      case .failed(let failure):
        lull_session_roll_back(bridge.pointer)
        ending = self.ending(failure)
      case .gone, .cancelled:
        lull_session_roll_back(bridge.pointer)
        ending = passedLimit ?? .interrupted
      }
    }
    self.context = context
    context.isStrong = true
    loop.taskBegan()
    lull_line_begin(
      bridge.pointer, limits.perLine.time ?? 0, limits.perLine.instructions ?? 0)
    let outer = lull_main_thread(bridge.pointer)
    coroutines.start(Callable(id: line.id, isMain: true), arguments.map { .bytes($0) }, context)
    loop.run { ending != nil || loop.isInterrupted }
    if ending == nil { coroutines.cancel(context) }
    if case .finished? = ending, !awaited.isEmpty { ending = endingOfWaiting }
    awaited = []
    if !bridge.isClosed {
      lull_main_end(bridge.pointer, outer)
      lull_line_end(bridge.pointer)
    }
    loop.taskEnded()
    self.context = nil
    // Ctrl-C counts as handled even if the line returned in spite of it.
    _ = keeper.takeInterrupt()
    lull_value_unpin(bridge.pointer, line.id)
    return ending ?? .interrupted
  }

  /// The ending of a line after its values have been shown. Showing the values may have run script
  /// code.
  private var endingOfShowing: Ending {
    keeper.takeInterrupt() ? .interrupted : passedLimit ?? .finished
  }

  /// The ending of a line whose values contain requests. It is determined after the line has waited
  /// for these requests.
  private var endingOfWaiting: Ending {
    isWaitInterrupted = false
    loop.run { awaited.allSatisfy(\.lifecycle.hooksDelivered) || loop.isInterrupted }
    if isWaitInterrupted || keeper.takeInterrupt() { return .interrupted }
    return passedLimit ?? (loop.isInterrupted ? .interrupted : .finished)
  }

  private func ending(_ failure: ScriptFailure) -> Ending {
    if keeper.takeInterrupt() { return .interrupted }
    guard limits.hasPassed else { return .failed(reporter.describe(failure)) }
    return passedLimit(failure) ?? .interrupted
  }

  private var passedLimit: Ending? { passedLimit(nil) }

  /// Returns the report of the limit that the line has exceeded, and resets the limit. Returns nil
  /// if no limit was exceeded, or if the exceeded limit ends the session.
  private func passedLimit(_ failure: ScriptFailure?) -> Ending? {
    guard limits.hasPassed, let report = reporter.describePassedLimit(failure) else {
      return nil
    }
    lull_line_end(bridge.pointer)
    return limits.hasPassed ? nil : .failed(report)
  }

  private func interrupt() {
    if !awaited.isEmpty {
      isWaitInterrupted = true
      for request in awaited { request.cancel() }
    } else if let context {
      coroutines.cancel(context)
    } else {
      onIdleInterrupt?()
    }
  }
}

extension LuaSession {
  private var display: ValueDisplay { ValueDisplay(bridge, handles, at: pump.clock.now) }

  /// Returns a finished request for display, together with its content.
  package func shown(_ request: Request) -> ShownValue {
    display.shown(request, in: lull_session_state(bridge.pointer))
  }

  /// Makes the data of an awaited request the value of `_`. Afterwards, the entry in `Out` contains
  /// both the data and the request.
  ///
  /// - Parameter number: the index of the request in `Out`.
  package func settle(_ number: Int) {
    guard !bridge.isClosed else { return }
    lull_session_settle(bridge.pointer, Int64(number))
  }

  /// Returns the report of a failed request, or nil if the request did not fail.
  package func report(of request: Request) -> String? {
    guard case .failure(let error)? = request.response?.outcome else { return nil }
    var failure = ScriptFailure(message: error.userMessage)
    failure.requestError = error
    return reporter.describe(failure)
  }
}

/// The values of a line, in order.
package struct SessionValues {
  private let results: RunResults
  private let display: ValueDisplay
  private let handles: ObjectHandles
  private let limits: LimitKeeper
  /// The index of the first value in `Out`; 0 if the value is not in `Out`.
  package let number: Int

  init(
    _ results: RunResults, _ display: ValueDisplay, _ handles: ObjectHandles,
    _ limits: LimitKeeper, number: Int
  ) {
    self.results = results
    self.display = display
    self.handles = handles
    self.limits = limits
    self.number = number
  }

  package var count: Int { results.count }

  /// Whether the values should not be shown any further, because of Ctrl-C or a limit.
  package var isInterrupted: Bool { lull_signals_pending() != 0 || limits.hasPassed }

  /// Returns the request at a position. Returns nil if the value is not a request, if the request
  /// has not started, or if it is abandoned.
  package func request(_ position: Int) -> Request? {
    guard let request = handles.object(results[position], .request, as: Request.self),
      request.isCompleted || request.state == .inProgress && !request.isAbandoned
    else { return nil }
    return request
  }

  /// Returns the string at a position, or nil if the value is not a string.
  package func string(_ position: Int) -> String? { results[position].string }

  /// Returns the value at a position for display.
  package func shown(_ position: Int) -> ShownValue {
    display.shown(results.index(position), in: results.state)
  }
}
