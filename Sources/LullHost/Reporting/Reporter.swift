import CLullBridge
import LullCore
import LullSystem

/// Reports the errors that are not handled anywhere else: to the script's handler or, without a
/// handler, on standard error.
///
/// Order of events: an error in a callback is passed to the handler of `lull.on_error`. If there is
/// no handler, or if the handler does not return true, the error counts for the exit code. The
/// error is written to standard error only if no handler was called or if the handler failed.
/// Repeated errors are counted instead of being written again. Home thread only.
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
  /// The number of errors that have been counted for the exit code. If it is not 0, the exit code
  /// is 1.
  package private(set) var errorCount = 0
  /// The ID of the stored function that the script set with `lull.on_error`.
  private var errorHandler: Int64?
  /// Whether the script's handler is running. Errors of the handler itself are not passed to it.
  private var isHandling = false
  private var ledger = ReportLedger()
  /// Writes warnings about the code on script lines.
  package var warnings = LineWarnings()
  /// A function of the program that embeds the host. It receives errors that would otherwise be
  /// written to standard error.
  package var program: ((ScriptFailure, _ place: String) -> Void)?
  /// The failed requests whose failure the script has not handled.
  package private(set) lazy var unhandled = UnhandledRequests(self)
  package private(set) lazy var log = ScriptLog(self, environment.pump.log)
  /// Whether the report of the exceeded limit has been written.
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

  /// Sets the script's handler to the stored function with that ID; nil removes the handler.
  func setHandler(_ id: Int64?) throws(Misuse) {
    guard id.map({ stored.pin($0) }) ?? true else { throw .message("not enough memory") }
    // The previous handler is read only now, because a finaliser that runs during the pinning may
    // set another handler.
    let previous = errorHandler
    errorHandler = id
    if let previous { stored.unpin(previous) }
  }

  /// Prevents a report of the exceeded limit, because other code reports the limit.
  package func forgoLimit() { hasReportedLimit = true }

  // MARK: Errors of callbacks

  /// Reports an error in a callback to the script's handler. Without a handler, the error is
  /// reported to the embedding program or on standard error. The exit code becomes 1 unless the
  /// handler returns true.
  ///
  /// - Parameter showsPlace: whether a report on standard error contains the place.
  func report(
    _ failure: ScriptFailure, in place: String, request: @autoclosure () -> RequestFacts? = nil,
    showsPlace: Bool = true
  ) {
    if let checker = permissions.checker { return checker.note(failure) }
    // If a signal has interrupted running code, the failure is not an error of the script.
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
        write(second, place: "lull.on_error handler", request: nil, isLast: false)
      case .failure(.gone): break
      }
    }
    errorCount += 1
    if let program { return program(failure, place) }
    write(failure, place: showsPlace ? place : nil, request: request(), isLast: false)
  }

  /// Reports a failed request whose failure the script has not handled. The report is one line on
  /// standard error, or a call of the script's handler or of the program's error function.
  func report(unhandled error: RequestError, of name: String) {
    let text =
      "\(name) failed, and the script did not handle it: \(error.userMessage) "
      + "(await the request, or add on_failure)"
    reportUnhandled(text, error)
  }

  /// Reports the number of further failed requests that the script has not handled and that are not
  /// reported individually.
  func reportMoreUnhandled(_ count: Int) {
    reportUnhandled(
      count == 1
        ? "1 more request failed, and the script did not handle it"
        : "\(count) more requests failed, and the script did not handle them")
  }

  private func reportUnhandled(_ text: String, _ error: RequestError? = nil) {
    guard errorHandler != nil || program != nil, !bridge.isClosed else {
      errorCount += 1
      return ErrorLines.failLater(
        "lull: \(ControlCharacters.shown(in: text))\n", error?.facts ?? FailureFacts("failed"))
    }
    var failure = ScriptFailure(message: text)
    failure.requestError = error
    report(failure, in: "a request without an await")
  }

  /// Reports that a script has changed shared content.
  func report(sharedContent text: String) {
    report(ScriptFailure(message: text), in: Reporter.sharedContent, showsPlace: false)
  }

  private static let sharedContent = "shared content"

  /// Returns whether a signal, a limit or `os.exit` raised the failure in order to end the running
  /// code. Such a failure is not an error of the script.
  package func isInterruption(_ failure: ScriptFailure) -> Bool {
    loop.isInterrupted && (limits.hasPassed || failure.isInterruption)
  }

  /// Reports an error that has ended the main chunk.
  func reportMain(_ failure: ScriptFailure) {
    guard !isInterruption(failure) else { return reportPassedLimit(failure) }
    errorCount += 1
    write(failure, place: nil, request: nil, isLast: true)
  }

  /// Returns the raised value as text, in the format of `lull.inspect`. Returns nil if the value is
  /// a string or describes itself.
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

  /// Returns the text of the report of an error, for standard error.
  ///
  /// - Parameter place: the code that called the failed function; nil if only the program called
  ///   the function.
  package func describe(_ failure: ScriptFailure, in place: String? = nil) -> String {
    var report = FailureExplanation.report(failure, place: place, request: nil)
    report.value = inspection(of: failure)
    report.excerpts = explanation.excerpts(for: failure)
    return report.text(.forStandardError())
  }

  /// Returns the text of the report for a chunk that does not compile, from the compiler's message.
  ///
  /// - Parameters:
  ///   - source: the source of the chunk; nil if the source is stored under the chunk's name.
  ///   - name: the name of the chunk in messages.
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

  /// Writes the report of an error to standard error, unless the error is only counted.
  ///
  /// - Parameter isLast: whether the error ends the script.
  private func write(
    _ failure: ScriptFailure, place: String?, request: RequestFacts?, isLast: Bool
  ) {
    var report = FailureExplanation.report(failure, place: place, request: request)
    report.value = inspection(of: failure)
    let style = ReportStyle.forStandardError()
    let (verdict, due) = ledger.record(report, at: clock.now)
    for line in due { StandardError.write("lull: \(line)\n") }
    switch verdict {
    case .full:
      report.excerpts = explanation.excerpts(for: failure)
      write(report.text(style), failure, isLast)
    case .short: write(report.shortText(style), failure, isLast)
    case .counted: break
    }
  }

  private func write(_ text: String, _ failure: ScriptFailure, _ isLast: Bool) {
    let facts = failure.requestError?.facts ?? FailureFacts("script_error")
    if isLast { ErrorLines.fail(text, facts) } else { ErrorLines.failLater(text, facts) }
  }

  /// Prints the counts of repeated errors that were not reported each time.
  func reportRepetitions() {
    for line in ledger.flush() { StandardError.write("lull: \(line)\n") }
  }

  /// Compiles source code and returns the compiler's message, or nil if the source code is valid.
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

  /// Reports that a limit was exceeded: which limit and, if it is known, where. Reports this only
  /// once.
  func reportPassedLimit(_ failure: ScriptFailure? = nil) {
    guard !hasReportedLimit, let report = describePassedLimit(failure) else { return }
    hasReportedLimit = true
    errorCount += 1
    ErrorLines.fail(report, FailureFacts("limit"))
    lull_watchdog_keep_quiet()
  }

  /// Returns the text of the report of the exceeded limit, or nil if no limit was exceeded.
  package func describePassedLimit(_ failure: ScriptFailure?) -> String? {
    limits.passed(failure).map { describe($0) }
  }

  // MARK: Errors of requests

  /// Returns the error with which a request fails if a function that prepares the request has been
  /// collected. The request must not be sent without calling the function, because the function may
  /// have added the credentials.
  func collected(_ place: String) -> RequestError {
    scriptError(
      ScriptFailure("the \(place) was collected with its service"),
      in: place, message: "Cannot send request")
  }

  /// Reports a failure. Returns the error with which a request fails because of the failure.
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

  /// Returns the error with which a request fails if a script function that runs for the request
  /// raises an error. A raised request error is returned unchanged. Any other error is reported.
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

  /// Reports in one line the work that is dropped because the script ended without `lull.run()`.
  /// This happens only in an interpreter that does not belong to Lull.
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

  /// Reports an error while the state is closing, when script handlers can no longer be called.
  func reportWithoutLua(
    _ failure: ScriptFailure, in place: String, showsPlace: Bool = true
  ) {
    errorCount += 1
    if let program { return program(failure, place) }
    write(failure, place: showsPlace ? place : nil, request: nil, isLast: false)
  }

  func reportWithoutLua(sharedContent text: String) {
    reportWithoutLua(
      ScriptFailure(message: text), in: Reporter.sharedContent, showsPlace: false)
  }

  private static func count(_ count: Int, _ noun: String, _ state: String) -> String? {
    count == 0 ? nil : "\(count) \(noun)\(count == 1 ? "" : "s") \(state)"
  }
}
