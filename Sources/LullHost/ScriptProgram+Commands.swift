import CLullBridge
import LullLibC
package import LullCore
import LullSystem

extension ScriptProgram {
  /// Runs the work of a command in a new Lua state. Returns the exit code of the work, or another
  /// code if a signal, a limit, `os.exit` or a script error has ended it.
  ///
  /// If the program was created without a state, Lua starts when it is first needed.
  ///
  /// - Parameter folder: the folder that `require` searches first.
  package func perform(folder: [UInt8]?, words: [[UInt8]], _ body: (LuaHost) -> Int32) -> Int32 {
    defer { close() }
    if state == nil {
      startLater(folder: folder, words: words)
    } else if let problem = start(folder: folder, words: words) {
      ErrorLines.fail(problem, FailureFacts("failed"))
      return Exit.scriptError
    }
    let code = body(host)
    // A script that is only inspected does not end the command that inspects it. That command
    // reports the script's problems itself.
    if host.permissions.isOnlyLooking {
      host.loop.exitCode = nil
      host.reporter.forgoLimit()
    }
    let hasExited = host.loop.exitCode != nil
    let end = finish()
    return end == 0 && !hasExited ? code : end
  }

  /// Prepares the state and sets its limits. Returns an error message if the preparation fails,
  /// otherwise nil.
  private func start(folder: [UInt8]?, words: [[UInt8]]) -> String? {
    let script = Script(name: Array("lull".utf8), source: [], folder: folder)
    prepare(script, words: words, first: 0, setsGlobal: true)
    // If the gate can't be opened, no file may be loaded.
    guard let runtime = lull_state_runtime(state), opensGate(runtime) else {
      return "lull: not enough memory\n"
    }
    installSignals(runtime)
    return host.loop.limits.set(limits) ? nil : "lull: cannot start: not enough memory or threads\n"
  }

  private func startLater(folder: [UInt8]?, words: [[UInt8]]) {
    host.begin()
    readEnvironment()
    installSignals(nil)
    host.bridge.start = { [unowned self] in
      let problem =
        makeState() ? start(folder: folder, words: words) : "lull: not enough memory\n"
      if let problem {
        ErrorLines.fail(problem, FailureFacts("failed"))
        ErrorLines.end(
          ScriptProgram.Exit.scriptError, isFailure: true, usual: ("failed", problem))
        // The caller can't continue without Lua, so the process ends.
        exit(ScriptProgram.Exit.scriptError)
      }
      host.bridge.tellStarted()
    }
  }

  private func opensGate(_ runtime: OpaquePointer) -> Bool {
    guard host.permissions.gate != nil else { return true }
    var length = 0
    let text = lull_script_text(LULL_SCRIPT_GATE, &length)
    return lull_gate_open(runtime, text, length) == 0
  }

  /// Runs a script and then the work of a command. If the script failed, the work is not run.
  /// Returns the exit code, as `perform(folder:words:_:)` does. A call of `os.exit` in the script
  /// ends only the script, not the command.
  ///
  /// - Parameters:
  ///   - prepare: called before the script runs.
  ///   - body: the work of the command. If the script returned a service, as API files do, `body`
  ///     gets that service.
  package func perform(
    after script: Script, words: [[UInt8]], first: Int, prepare: (LuaHost) -> Void,
    _ body: (LuaHost, Service?) -> Int32
  ) -> Int32 {
    defer { close() }
    prepare(host)
    var service: Service?
    let failure = runMain(script, words: words, first: first, setsGlobal: true) {
      [handles = host.handles] results in service = results.service(handles)
    }
    if let failure { return failure }
    // A script that ended itself with `os.exit` did not fail.
    if mainHasFailed, host.loop.exitCode == nil { return finish() }
    // Work that the script began is no longer needed.
    for _ in 0..<100 {
      host.loop.cancelEverything()
      guard host.pump.hasWork else { break }
      host.pump.turn()
    }
    host.loop.exitCode = nil
    let code = host.loop.isInterrupted ? 0 : body(host, service)
    let end = finish()
    return end == 0 ? code : end
  }
}

extension RunResults {
  /// Returns the service in the first result. The service is the result itself, or the field
  /// `service` of the result. Returns nil if there is no service.
  fileprivate func service(_ handles: ObjectHandles) -> Service? {
    guard count > 0 else { return nil }
    if let service = handles.object(self[0], .service, as: Service.self) { return service }
    guard self[0].kind == Int32(LULL_TABLE) else { return nil }
    var service: Service?
    let visited = Result { () throws(Misuse) in
      try LuaTable(index(0), in: state).forEachField { key, value throws(Misuse) in
        guard key.string == "service" else { return }
        service = handles.object(value, .service, as: Service.self)
      }
    }
    // If the table can't be visited, there is no service.
    if case .failure = visited { return nil }
    return service
  }
}
