import CLullBridge
import LullCore
import LullSystem

extension LuaHost {
  /// An error in a callback: to the script's handler, else to standard error. It makes the exit code
  /// 1 unless the handler returns true.
  func report(
    _ failure: ScriptFailure, in place: String, request: @autoclosure () -> RequestFacts? = nil
  ) {
    if let checker = permissions.checker { return checker.note(failure, self) }
    // The interruption of whatever ran when the signal came is not an error of the script.
    guard !isInterruption(failure) else { return reportPassedLimit(failure) }
    if let errorHandler {
      // The handler is not called for its own errors.
      self.errorHandler = nil
      defer { if self.errorHandler == nil { self.errorHandler = errorHandler } }
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
        if !isHandled { scriptErrorCount += 1 }
        return
      case .failure(.failed(let second)):
        if isInterruption(second) { return }
        scriptErrorCount += 1
        write(second, place: "lull.on_error handler", request: nil)
      case .failure(.gone): break
      }
    }
    scriptErrorCount += 1
    write(failure, place: place, request: request())
  }

  /// What a signal or `os.exit` raised to get out, as opposed to an error of the script.
  func isInterruption(_ failure: ScriptFailure) -> Bool {
    loop.isInterrupted
      && (limits.hasPassed || failure.message.hasSuffix("interrupted!")
        || failure.message.hasSuffix("the script called os.exit"))
  }

  /// An error that ended the main chunk.
  func reportMain(_ failure: ScriptFailure) {
    guard !isInterruption(failure) else { return reportPassedLimit(failure) }
    scriptErrorCount += 1
    write(failure, place: nil, request: nil)
  }

  /// An error as reports show it, for standard error.
  func describe(_ failure: ScriptFailure) -> String {
    var report = FailureExplanation.report(failure, place: nil, request: nil)
    report.value = inspection(of: failure)
    report.excerpts = explanation.excerpts(for: failure)
    return report.text(.forStandardError())
  }

  /// A chunk that does not compile, by the compiler's message.
  ///
  /// - Parameters:
  ///   - source: its text, where that is not kept under its name.
  ///   - name: what messages call it.
  func describe(
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
    let (verdict, due) = reportLedger.record(report, at: pump.clock.now)
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
  package func reportRepetitions() {
    for line in reportLedger.flush() { StandardError.write("lull: \(line)\n") }
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
}

extension LuaHost {
  /// In somebody else's interpreter: a script that ends without `lull.run()` drops what is in flight,
  /// and one line says so.
  func reportAbandonedRequests() {
    reportUnawaitedTasksWithoutLua()
    reportRepetitions()
    guard !environment.ownsProcess else { return }
    let what = [
      LuaHost.count(requests.descriptions.count, "request", "in flight"),
      LuaHost.count(loop.taskCount, "task", "unfinished"),
    ].compactMap(\.self).joined(separator: " and ")
    guard !what.isEmpty else { return }
    StandardError.write(
      "lull: the script ended with \(what), which did not complete; "
        + "end it with lull.run() to wait for them\n")
  }

  private static func count(_ count: Int, _ noun: String, _ state: String) -> String? {
    count == 0 ? nil : "\(count) \(noun)\(count == 1 ? "" : "s") \(state)"
  }

  /// The state is going away: no handler can be called any more.
  private func reportUnawaitedTasksWithoutLua() {
    for task in failedTasks {
      guard let failure = task.unheardFailure else { continue }
      task.markAwaited()
      scriptErrorCount += 1
      write(failure, place: task.reportedName, request: nil)
    }
    failedTasks = []
  }
}
