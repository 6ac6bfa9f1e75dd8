import CLullBridge
package import LullCore
import LullLibC
import LullSystem
import LullTransport

/// One run of one script by the command. This object owns the Lua state and its host, and
/// determines the exit code.
///
/// Order of events: the main chunk is compiled and runs in a coroutine. The event loop runs until
/// the main chunk has returned and no strong work is left. If a signal, `os.exit` or an error in
/// the main chunk ends the run, pending requests are cancelled and their hooks are called. At the
/// end the state is closed. Home thread only.
///
/// Behaviours: LUA-01 to LUA-150.
package final class ScriptProgram {
  package struct Script {
    /// The name of the script in messages, such as `x.lua`, `(command line)` or `stdin`. The name
    /// is stored as bytes, because a file name need not be valid UTF-8.
    package var name: [UInt8]
    package var source: [UInt8]
    /// The folder that `require` searches first, or nil if there is none.
    package var folder: [UInt8]?

    package init(name: [UInt8], source: [UInt8], folder: [UInt8]?) {
      self.name = name
      self.source = source
      self.folder = folder
    }
  }

  package enum Exit {
    static let scriptError: Int32 = 1
    static let cannotCompile: Int32 = 3
  }

  package let host: LuaHost
  /// The Lua state; nil before Lua has started and after it was closed.
  private(set) var state: OpaquePointer?
  private let environment: any HostEnvironment
  private let trust: ScriptTrust
  let limits: ScriptLimits
  private var mainHasEnded = false
  private(set) var mainHasFailed = false
  private var waitNotice: (any HostTimer)?
  private var hasReadEnvironment = false

  /// Creates a program. Returns nil if there is not enough memory.
  ///
  /// - Parameters:
  ///   - library: the functions of the Lua API.
  ///   - trust: the library functions that the script may use.
  ///   - limits: the limits on the script's resources, which apply from the moment the script
  ///     starts to run.
  ///   - startsLua: false for a command whose work may not need Lua; see `perform`.
  package init?(
    environment: any HostEnvironment, library: LuaLibrary,
    trust: ScriptTrust = .full(allowsBytecode: false), limits: ScriptLimits = .init(),
    startsLua: Bool = true
  ) {
    self.environment = environment
    self.trust = trust
    self.limits = limits
    host = LuaHost(environment: environment, library: library)
    host.permissions.isSandboxed = trust.isSandbox
    if case .inspection(_, let inspection) = trust { host.permissions.inspection = inspection }
    if case .gated(let gate) = trust { host.permissions.gate = gate }
    host.sources.readsFiles = !trust.isSandbox
    (environment.pump.limits as? SharedLimits)?.isAlone = trust.isSandbox
    if startsLua, !makeState() { return nil }
  }

  /// Creates the Lua state. Returns false if there is not enough memory.
  func makeState() -> Bool {
    guard let state = trust.makeState() else { return false }
    // This object owns both the host and the state, and `close` ends the state first. So the host
    // outlives the state.
    let pointer = Unmanaged.passUnretained(host).toOpaque()
    guard lull_state_preload(state, pointer) == 0 else {
      lull_state_close(state)
      return false
    }
    self.state = state
    return true
  }

  /// Runs the script, and returns the exit code.
  ///
  /// - Parameters:
  ///   - words: the whole command line, for the global `arg`. The words after the name of the
  ///     script are also the values of `...` in the main chunk.
  ///   - first: the index of the script's name in `words`, which becomes `arg[0]`.
  ///   - setsGlobal: whether `lull` is a global that needs no `require`.
  package func run(
    _ script: Script, words: [[UInt8]], first: Int, setsGlobal: Bool = false
  ) -> Int32 {
    defer { close() }
    return runMain(script, words: words, first: first, setsGlobal: setsGlobal) ?? finish()
  }

  /// Runs only the main chunk. Returns an exit code if the main chunk could not begin, otherwise
  /// nil.
  ///
  /// - Parameter take: called with the results of the main chunk, if the main chunk returns.
  func runMain(
    _ script: Script, words: [[UInt8]], first: Int, setsGlobal: Bool,
    take: @escaping (RunResults) -> Void = { _ in }
  ) -> Int32? {
    prepare(script, words: words, first: first, setsGlobal: setsGlobal)
    guard let runtime = lull_state_runtime(state) else {
      ErrorLines.fail("lull: not enough memory\n", FailureFacts("failed"))
      return Exit.scriptError
    }
    host.sources.folder = script.folder
    let chunk: Chunk
    do throws(Chunk.Problem) {
      chunk = try host.sources.compile(script.source, name: script.chunkName)
    } catch {
      var text = error.message
      // The message about a binary chunk has no place, so the name is added.
      if text.hasPrefix("attempt to load ") {
        text = String(escaping: script.name) + ": " + text
      }
      ErrorLines.fail(
        host.reporter.describe(
          syntaxError: text, in: script.source, name: String(escaping: script.name)),
        FailureFacts("syntax_error"))
      return Exit.cannotCompile
    }
    installSignals(runtime)
    guard host.loop.limits.set(limits) else {
      ErrorLines.fail(
        "lull: cannot start: not enough memory or threads\n", FailureFacts("failed"))
      return Exit.scriptError
    }
    startMain(chunk, words.dropFirst(1 - first), take)
    drive()
    return nil
  }

  func prepare(_ script: Script, words: [[UInt8]], first: Int, setsGlobal: Bool) {
    if !trust.isSandbox, let folder = script.folder {
      let path = folder + Array("/?.lua;".utf8) + folder + Array("/?/init.lua".utf8)
      let cpath = folder + Array("/?.so".utf8)
      lull_prepend_path(
        state, path.map(CChar.init(bitPattern:)) + [0], cpath.map(CChar.init(bitPattern:)) + [0])
    }
    // The block contains the words as C strings, one after the other.
    let block = words.flatMap { word -> [CChar] in word.map(CChar.init(bitPattern:)) + [0] }
    block.withUnsafeBufferPointer { buffer in
      _ = lull_set_arg(state, buffer.baseAddress, Int32(words.count), Int32(first))
    }
    _ = lull_state_require(state, setsGlobal ? 1 : 0)
    if let runtime = lull_state_runtime(state) {
      let exit = LuaLibrary.index(.module, "exit")
      switch trust {
      case .full(let allowsBytecode):
        if allowsBytecode { lull_allow_bytecode(runtime) }
        lull_replace_exit(runtime, exit)
      case .gated: lull_replace_exit(runtime, exit)
      case .inspection: _ = lull_inspection_open(runtime, exit)
      case .sandbox: break
      }
    }
    readEnvironment()
  }

  func readEnvironment() {
    guard !hasReadEnvironment else { return }
    hasReadEnvironment = true
    host.reporter.log.enableFromEnvironment()
    host.values.shared.readEnvironment()
  }

  /// Installs the signal handlers of the command.
  ///
  /// - Parameter isSession: whether Ctrl-C ends only the running code instead of the process.
  func installSignals(_ runtime: OpaquePointer?, isSession: Bool = false) {
    guard let wakeUp = environment.signalWakeUp else { return }
    lull_watchdog_write_json(ErrorLines.areOn ? 1 : 0)
    lull_signals_install(
      runtime, wakeUp.function, wakeUp.context,
      Int32(isSession ? LULL_SIGNALS_SESSION : LULL_SIGNALS_PROCESS))
  }

  private func startMain(
    _ chunk: Chunk, _ arguments: ArraySlice<[UInt8]>, _ take: @escaping (RunResults) -> Void
  ) {
    host.loop.taskBegan()
    let context = RunContext(purpose: "the main chunk") { [unowned self] outcome in
      host.loop.taskEnded()
      mainHasEnded = true
      if !host.bridge.isClosed { lull_main_end(host.bridge.pointer, 0) }
      waitNotice?.cancel()
      waitNotice = host.pump.clock.schedule(after: WaitNotice.delay) { [host] in
        host.reporter.reportWaiting()
      }
      if case .finished(let results) = outcome { take(results) }
      if case .failed(let failure) = outcome, lull_signals_pending() == 0 {
        mainHasFailed = true
        host.reporter.reportMain(failure)
      }
    }
    context.isStrong = true
    var main = chunk.callable
    main.isMain = true
    host.coroutines.start(main, arguments.map { .bytes($0) }, context)
    if !mainHasEnded { watch(context) }
  }

  /// Shows one notice for each long wait of the main chunk. No notice is shown for a sleep, which
  /// is intentional, or for a prompt.
  private func watch(_ main: RunContext, told: Set<String> = [], looks: Int = 1000) {
    guard looks > 0 else { return }
    var told = told
    let clock = host.pump.clock
    waitNotice = clock.schedule(after: WaitNotice.delay) { [unowned self] in
      guard !mainHasEnded else { return }
      let isLong = main.thread != nil && clock.now - main.waitsSince >= WaitNotice.delay
      let thing = main.waitsFor?() ?? ""
      if isLong, !WaitNotice.isMeant(thing), told.insert(thing).inserted {
        host.reporter.reportWaiting()
      }
      watch(main, told: told, looks: looks - 1)
    }
  }

  private func drive() {
    guard !mainHasFailed else { return }
    host.loop.run { [self] in
      mainHasFailed || host.loop.isInterrupted || (mainHasEnded && host.loop.isIdle)
    }
  }

  /// If the run was ended early, cancels the remaining work and runs the hooks of cancelled
  /// requests. Returns the exit code.
  func finish() -> Int32 {
    waitNotice?.cancel()
    let signal = lull_signals_pending()
    if mainHasFailed || host.loop.isInterrupted {
      host.loop.cancelEverything()
      // Hooks may start more work, which is then cancelled too, but only a limited number of times.
      for _ in 0..<100 where host.pump.hasWork {
        host.pump.turn()
        host.loop.cancelEverything()
      }
    }
    finishWhatIsHeld()
    host.tasks.reportUnawaited(atEnd: true)
    if !host.loop.isInterrupted { host.reporter.unhandled.report(atEnd: true) }
    host.values.shared.checkAll()
    host.reporter.reportRepetitions()
    if host.loop.limits.endsRun {
      host.reporter.reportPassedLimit()
      return Exit.scriptError
    }
    if signal != 0 { return 128 + signal }
    if let code = host.loop.exitCode { return code }
    return host.reporter.errorCount > 0 ? Exit.scriptError : 0
  }

  private func finishWhatIsHeld() {
    guard host.pump.ending.isHeld else { return }
    var isLate = false
    let timer = host.pump.clock.schedule(after: PumpEnding.patience) { isLate = true }
    host.loop.run { [pump = host.pump] in isLate || !pump.ending.isHeld }
    timer.cancel()
  }

  func close() {
    // The order is: sweep the handles, then close the state. `lua_close` finalises the runtime
    // last, and with it the host releases everything.
    host.handles.sweep()
    if let state { lull_state_close(state) } else { host.close() }
    state = nil
    lull_signals_restore()
  }
}

extension ScriptProgram.Script {
  /// The chunk name, in which `@` precedes a file name, and `=` precedes a name that is shown
  /// unchanged. (Lua 5.4 manual, lua_load)
  fileprivate var chunkName: [UInt8] {
    [UInt8(ascii: folder == nil ? "=" : "@")] + name
  }
}

/// Collects the problems of a script that is run only to check it. A problem is recorded, and the
/// script continues.
///
/// While a host has a checker, errors in callbacks and unknown settings are neither raised nor
/// reported.
package protocol ScriptChecker: AnyObject {
  /// Records a problem at a place in the script.
  func note(_ text: String, at place: SourcePlace)
  /// Records an error that the script raised.
  func note(_ failure: ScriptFailure)
  /// Checks the pattern of a configuration. `place` is the line of the call.
  func inspect(pattern: String, of service: Service, at place: SourcePlace?)
  /// Checks a credential that is written as plain text. `what` describes the credential.
  func inspect(credential text: String, _ what: String)
}
