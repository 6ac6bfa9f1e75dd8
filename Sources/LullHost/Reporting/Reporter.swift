import CLullBridge
import LullCore
import LullSystem

/// What is said of errors that go nowhere else: to the script's handler, else on standard error.
///
/// Order of events: an error in a callback goes to the function of `lull.on_error`; without one, or if
/// that does not return true, it counts for the exit code; it is written unless a handler has had it.
/// What comes again is counted instead. Home thread only.
package final class Reporter {
  private let environment: any HostEnvironment
  let bridge: BridgeRuntime
  let stored: StoredValues
  let values: ScriptValues
  let permissions: Permissions
  let coroutines: Coroutines
  let requests: RequestsInFlight
  private let limits: LimitKeeper
  let loop: ScriptLoop
  private let sources: ChunkSources
  /// Errors so far that make the exit code 1.
  package private(set) var errorCount = 0
  /// The kept function of `lull.on_error`.
  private var errorHandler: Int64?
  /// Whether it runs: it is not called for its own errors.
  private var isHandling = false
  private var ledger = ReportLedger()
  /// What lines of the script were warned about.
  package var warnings = LineWarnings()
  /// Whether the program that embeds the host hears of errors, in the place of standard error.
  package var program: ((ScriptFailure, _ place: String) -> Void)?
  /// Failed requests whose failure the script has not looked at.
  package private(set) lazy var unhandled = UnhandledRequests(self)
  package private(set) lazy var log = ScriptLog(self, environment.pump.log)
  /// Whether it was said which limit was passed.
  package private(set) var hasReportedLimit = false

  init(
    _ loop: ScriptLoop, _ values: ScriptValues, _ permissions: Permissions, _ sources: ChunkSources
  ) {
    environment = loop.environment
    bridge = loop.bridge
    stored = loop.stored
    coroutines = loop.coroutines
    requests = loop.requests
    limits = loop.limits
    self.loop = loop
    self.values = values
    self.permissions = permissions
    self.sources = sources
  }

  var clock: any HostClock { environment.pump.clock }

  /// Sets the script's handler: nil for none.
  func setHandler(_ id: Int64?) throws(Misuse) {
    guard id.map({ stored.pin($0) }) ?? true else { throw .message("not enough memory") }
    // Only now: a finaliser that runs while it is pinned may set another one.
    let previous = errorHandler
    errorHandler = id
    if let previous { stored.unpin(previous) }
  }

  /// The passed limit is told of by somebody else.
  package func forgoLimit() { hasReportedLimit = true }

  // MARK: Errors of callbacks

  /// An error in a callback: to the script's handler, else to standard error. It makes the exit code
  /// 1 unless the handler returns true.
  ///
  /// - Parameter showsPlace: whether that stands in what is written.
  func report(
    _ failure: ScriptFailure, in place: String, request: @autoclosure () -> RequestFacts? = nil,
    showsPlace: Bool = true
  ) {
    if let checker = permissions.checker { return checker.note(failure) }
    // The interruption of whatever ran when the signal came is not an error of the script.
    guard !isInterruption(failure) else { return reportPassedLimit(failure) }
    if let errorHandler, !isHandling {
      isHandling = true
      defer { isHandling = false }
      let error: LuaValue =
        failure.requestError.map { values.of(ErrorBox($0), .error) }
        ?? failure.value.map { LuaValue($0) } ?? .string(failure.message)
      let arguments: [LuaValue] = [error, .string(failure.traceback), .string(place)]
      switch coroutines.ask(
        Callable(id: errorHandler, isHandler: true), arguments, kind: "lull.on_error handler",
        read: {
          $0[0].bool == true
        })
      {
      case .success(let isHandled):
        if !isHandled { errorCount += 1 }
        return
      case .failure(.failed(let second)):
        if isInterruption(second) { return }
        errorCount += 1
        write(second, place: "lull.on_error handler", request: nil)
      case .failure(.gone): break
      }
    }
    errorCount += 1
    if let program { return program(failure, place) }
    write(failure, place: showsPlace ? place : nil, request: request())
  }

  /// A request has failed and the script has not looked at that: one line on standard error, unless the
  /// script's handler or the program hears of errors.
  func report(unhandled error: RequestError, of name: String) {
    let text =
      "\(name) failed, and the script has not looked at that: \(error.userMessage) "
      + "(await the request, or add on_failure)"
    reportUnhandled(text, error)
  }

  /// There are more of them than are reported one by one.
  func reportMoreUnhandled(_ count: Int) {
    reportUnhandled(
      count == 1
        ? "1 more request failed, and the script has not looked at that"
        : "\(count) more requests failed, and the script has not looked at them")
  }

  private func reportUnhandled(_ text: String, _ error: RequestError? = nil) {
    guard errorHandler != nil || program != nil, !bridge.isClosed else {
      errorCount += 1
      return StandardError.write("lull: \(ControlCharacters.shown(in: text))\n")
    }
    var failure = ScriptFailure(message: text)
    failure.requestError = error
    report(failure, in: "a request without an await")
  }

  /// Content that a script shares with others and has changed.
  func report(sharedContent text: String) {
    report(ScriptFailure(message: text), in: Reporter.sharedContent, showsPlace: false)
  }

  private static let sharedContent = "shared content"

  /// What a signal or `os.exit` raised to get out, as opposed to an error of the script.
  package func isInterruption(_ failure: ScriptFailure) -> Bool {
    loop.isInterrupted && (limits.hasPassed || failure.isInterruption)
  }

  /// An error that ended the main chunk.
  func reportMain(_ failure: ScriptFailure) {
    guard !isInterruption(failure) else { return reportPassedLimit(failure) }
    errorCount += 1
    write(failure, place: nil, request: nil)
  }

  /// What was raised that is no text and does not say what it is, as `lull.inspect` shows it.
  private func inspection(of failure: ScriptFailure) -> String? {
    guard !bridge.isClosed, let id = failure.value?.foreign?.id,
      failure.message.hasPrefix("(error object is a ")
    else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
      buffer.initialize(repeating: 0)
      guard lull_value_inspect(bridge.pointer, id, buffer.baseAddress, buffer.count) == 0,
        let text = buffer.baseAddress
      else { return nil }
      return LogText.part(String(escapingCString: text), limit: 200)
    }
  }

  /// An error as reports show it, for standard error.
  ///
  /// - Parameter place: what called the function that failed; nil for what nobody but the program has called.
  package func describe(_ failure: ScriptFailure, in place: String? = nil) -> String {
    var report = FailureExplanation.report(failure, place: place, request: nil)
    report.value = inspection(of: failure)
    report.excerpts = explanation.excerpts(for: failure)
    return report.text(.forStandardError())
  }

  /// A chunk that does not compile, by the compiler's message.
  ///
  /// - Parameters:
  ///   - source: its text, where that is not kept under its name.
  ///   - name: what messages call it.
  package func describe(
    syntaxError message: String, in source: [UInt8]? = nil, name: String? = nil
  ) -> String {
    explanation.report(syntaxError: message, in: source, name: name).text(.forStandardError())
  }

  private var explanation: FailureExplanation {
    FailureExplanation(sources: sources) { [unowned self] source, name in
      compilerMessage(source, name: name)
    }
  }

  private func write(_ failure: ScriptFailure, place: String?, request: RequestFacts?) {
    var report = FailureExplanation.report(failure, place: place, request: request)
    report.value = inspection(of: failure)
    let style = ReportStyle.forStandardError()
    let (verdict, due) = ledger.record(report, at: clock.now)
    for line in due { StandardError.write("lull: \(line)\n") }
    switch verdict {
    case .full:
      report.excerpts = explanation.excerpts(for: failure)
      StandardError.write(report.text(style))
    case .short: StandardError.write(report.shortText(style))
    case .counted: break
    }
  }

  /// Tells how often errors have come again that were not reported each time.
  func reportRepetitions() {
    for line in ledger.flush() { StandardError.write("lull: \(line)\n") }
  }

  /// What the compiler says of a text; nil if it compiles.
  private func compilerMessage(_ source: [UInt8], name: String) -> String? {
    guard !bridge.isClosed else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
      buffer.initialize(repeating: 0)
      let isWrong = source.withUnsafeBytes { bytes in
        lull_compile(
          bridge.pointer, bytes.bindMemory(to: CChar.self).baseAddress, bytes.count, "=" + name,
          buffer.baseAddress, buffer.count)
      }
      guard isWrong != 0, let message = buffer.baseAddress else { return nil }
      return String(escapingCString: message)
    }
  }

  // MARK: Limits

  /// Says which limit was passed, and where if that is known; once.
  func reportPassedLimit(_ failure: ScriptFailure? = nil) {
    guard !hasReportedLimit, let report = describePassedLimit(failure) else { return }
    hasReportedLimit = true
    errorCount += 1
    StandardError.write(report)
    lull_watchdog_keep_quiet()
  }

  /// The report of the limit that was passed; nil if none was.
  package func describePassedLimit(_ failure: ScriptFailure?) -> String? {
    limits.passed(failure).map { describe($0) }
  }

  // MARK: What requests fail with

  /// A function that is gone must not be passed over: it may have held the credentials.
  func collected(_ place: String) -> RequestError {
    scriptError(
      ScriptFailure("the \(place) has been collected with its service"),
      in: place, message: "Cannot send request")
  }

  /// Reports a failure and makes the error that requests fail with.
  func scriptError(
    _ failure: ScriptFailure, in place: String, message: String, request: RequestFacts? = nil
  ) -> RequestError {
    report(failure, in: place, request: request)
    return RequestError(
      userMessage: message,
      cause: .script(
        ScriptErrorCause(
          userMessage: message, message: failure.message, traceback: failure.traceback,
          value: failure.value, thrown: failure.thrown)),
      timestamp: clock.now)
  }

  /// What a request fails with when a function of the script that stands in for it raises: an error of
  /// Lull's as it is, anything else reported as a script error.
  func requestFailure(_ failure: ScriptFailure, in place: String, of request: Request)
    -> RequestError
  {
    if let error = failure.requestError { return error }
    var error = scriptError(
      failure, in: place, message: "Request failed", request: RequestFacts(request))
    error.method = request.method
    error.url = request.url
    error.attempt = request.attempt
    return error
  }

  // MARK: The end

  /// In somebody else's interpreter: a script that ends without `lull.run()` drops what is in flight,
  /// and one line says so.
  func reportAbandoned() {
    guard !environment.ownsProcess else { return }
    let what = [
      Reporter.count(requests.descriptions.count, "request", "in flight"),
      Reporter.count(loop.taskCount, "task", "unfinished"),
    ].compactMap(\.self).joined(separator: " and ")
    guard !what.isEmpty else { return }
    StandardError.write(
      "lull: the script ended with \(what), which did not complete; "
        + "end it with lull.run() to wait for them\n")
    InterpreterExit.fail()
  }

  /// An error at the end, when the state is going away and no handler can be called any more.
  func reportWithoutLua(
    _ failure: ScriptFailure, in place: String, showsPlace: Bool = true
  ) {
    errorCount += 1
    if let program { return program(failure, place) }
    write(failure, place: showsPlace ? place : nil, request: nil)
  }

  func reportWithoutLua(sharedContent text: String) {
    reportWithoutLua(
      ScriptFailure(message: text), in: Reporter.sharedContent, showsPlace: false)
  }

  private static func count(_ count: Int, _ noun: String, _ state: String) -> String? {
    count == 0 ? nil : "\(count) \(noun)\(count == 1 ? "" : "s") \(state)"
  }
}
