import CLullBridge
import LullLibC
package import LullCore
import LullSystem

extension ScriptProgram {
  /// Runs a command's own work in a state of its own; the exit code: that of the work, unless a
  /// signal, a limit, `os.exit` or an error of the script has ended it.
  ///
  /// If the program was made without a state, Lua starts when something needs it first.
  ///
  /// - Parameter folder: whose modules `require` finds first.
  package func perform(folder: [UInt8]?, words: [[UInt8]], _ body: (LuaHost) -> Int32) -> Int32 {
    defer { close() }
    if state == nil {
      startLater(folder: folder, words: words)
    } else if let problem = start(folder: folder, words: words) {
      StandardError.write(problem)
      return Exit.scriptError
    }
    let code = body(host)
    // What is only looked at does not end who looks, who has said what is to be said.
    if host.permissions.isOnlyLooking {
      host.loop.exitCode = nil
      host.reporter.forgoLimit()
    }
    let hasExited = host.loop.exitCode != nil
    let end = finish()
    return end == 0 && !hasExited ? code : end
  }

  /// Prepares the state and its limits; what is wrong if that cannot be done.
  private func start(folder: [UInt8]?, words: [[UInt8]]) -> String? {
    let script = Script(name: Array("lull".utf8), source: [], folder: folder)
    prepare(script, words: words, first: 0, setsGlobal: true)
    // Nothing is loaded past a gate that could not be opened.
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
        StandardError.write(problem)
        // The caller is in the middle of what needs Lua.
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

  /// Runs a script, and behind it a command's own work, unless the script has failed; the exit code, as
  /// above. `os.exit` of the script ends the script only.
  ///
  /// - Parameters:
  ///   - prepare: called before the script runs.
  ///   - body: gets the service that the script has returned as API files do, if it has.
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
    // What was ended from inside has failed nowhere.
    if mainHasFailed, host.loop.exitCode == nil { return finish() }
    // Nobody wants any more what it has begun.
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
  /// The first of them, or the field `service` of that.
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
    // What cannot be visited has none.
    if case .failure = visited { return nil }
    return service
  }
}
