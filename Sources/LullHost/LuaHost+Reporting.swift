import CLullBridge
import LullCore

extension LuaHost {
  /// An error in a callback: to the script's handler, else to standard error. It makes the exit code
  /// 1 unless the handler returns true.
  func report(_ failure: ScriptFailure, in place: String) {
    // The interruption of whatever ran when the signal came is not an error of the script.
    guard !isInterruption(failure) else { return reportPassedLimit(failure) }
    if let errorHandler {
      // The handler is not called for its own errors.
      self.errorHandler = nil
      defer { if self.errorHandler == nil { self.errorHandler = errorHandler } }
      let error: LuaValue =
        failure.requestError.map { value(ErrorBox($0), .error) }
        ?? failure.value.map { .ref($0.id) } ?? .string(failure.message)
      let arguments: [LuaValue] = [error, .string(failure.traceback), .string(place)]
      switch ask(
        Callable(id: errorHandler, isHandler: true), arguments, kind: "lull.on_error handler",
        read: {
          LuaHost.bool($0[0]) == true
        })
      {
      case .success(let isHandled):
        if !isHandled { scriptErrorCount += 1 }
        return
      case .failure(.failed(let second)):
        if isInterruption(second) { return }
        scriptErrorCount += 1
        StandardError.write(describe(second, place: "lull.on_error handler"))
      case .failure(.gone): break
      }
    }
    scriptErrorCount += 1
    StandardError.write(describe(failure, place: place))
  }

  /// What a signal or `os.exit` raised to get out, as opposed to an error of the script.
  private func isInterruption(_ failure: ScriptFailure) -> Bool {
    isInterrupted
      && (hasPassedLimit || failure.message.hasSuffix("interrupted!")
        || failure.message.hasSuffix("the script called os.exit"))
  }

  /// An error that ended the main chunk: as the stock interpreter shows it.
  func reportMain(_ failure: ScriptFailure) {
    guard !isInterruption(failure) else { return reportPassedLimit(failure) }
    scriptErrorCount += 1
    var text = "lull: \(failure.message)\n"
    if !failure.traceback.isEmpty { text += failure.traceback + "\n" }
    StandardError.write(text)
  }

  func describe(_ failure: ScriptFailure, place: String) -> String {
    var text = "lull: error in \(place): \(failure.message)\n"
    if !failure.traceback.isEmpty { text += failure.traceback + "\n" }
    return text
  }
}

extension LuaHost {
  /// In somebody else's interpreter: a script that ends without `lull.run()` drops what is in flight,
  /// and one line says so.
  func reportAbandonedRequests() {
    reportUnawaitedTasksWithoutLua()
    guard !environment.ownsProcess else { return }
    let what = [
      LuaHost.count(inFlightDescriptions.count, "request", "in flight"),
      LuaHost.count(strongTasks, "task", "unfinished"),
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
      StandardError.write(describe(failure, place: "a task nobody has awaited"))
    }
    failedTasks = []
  }
}
