import CLullBridge
import LullCore
import LullLibC
import LullSystem

/// The implementation of `Lua`: one Lua state with its host, on a pump that something else drives.
/// It creates, limits, calls and closes the state.
///
/// The pump holds it until it is closed; releasing the `Lua` closes it. Functions and tables held
/// by Swift also refer to it, and find it closed afterwards. Home thread only.
final class RuntimeCore {
  let host: LuaHost
  let home: (any ServiceHome)?
  let limits: Lua.Limits
  let environment: PumpEnvironment
  private var state: OpaquePointer?
  private let thread = pthread_self()
  /// Whether closing has begun, so that no new calls start. Once `isClosed` is true, the state is
  /// freed.
  private(set) var isClosing = false
  private var isClosed = false
  var madeHelpers: LuaHelpers?
  /// The nesting depth of the tables that are being read.
  var readingDepth = 0

  init(
    _ environment: PumpEnvironment, home: (any ServiceHome)?, limits: Lua.Limits,
    access: Lua.Access
  ) throws(LuaError) {
    try limits.check()
    let trust = access.trust
    guard let state = trust.makeState() else { throw .lacksMemory }
    self.environment = environment
    self.home = home
    self.limits = limits
    self.state = state
    host = LuaHost(environment: environment, library: .embedded)
    host.permissions.isSandboxed = trust.isSandbox
    host.sources.readsFiles = !trust.isSandbox
    host.sources.folder = access.folder
    // The state retains the host when attached, and releases it when it closes.
    let pointer = Unmanaged.passUnretained(host).toOpaque()
    guard lull_state_preload(state, pointer) == 0, lull_state_require(state, 1) == 0 else {
      lull_state_close(state)
      self.state = nil
      isClosed = true
      throw .lacksMemory
    }
    host.part(SwiftFunctions.self).core = self
    environment.pump.add(self)
    do throws(LuaError) {
      try prepare(access)
    } catch {
      close()
      throw error
    }
  }

  /// Creates a runtime on a home that the caller is isolated to.
  convenience init(
    _ home: isolated some ServiceHome, limits: Lua.Limits, access: Lua.Access
  ) throws(LuaError) {
    let context = home.surroundings.context
    try self.init(
      PumpEnvironment(context.pump, context.networking), home: home, limits: limits, access: access)
  }

  private func prepare(_ access: Lua.Access) throws(LuaError) {
    if case .full(let folder) = access {
      if let folder { prepend(Array(folder.utf8)) }
      let text = """
        os.exit = function()
          error("os.exit is not available in an embedded script: return instead", 2)
        end
        """
      _ = try runNow(Array(text.utf8), name: "=lull")
    }
    guard limits != .none else { return }
    guard host.loop.limits.setStretches(limits.bridged) else { throw .lacksMemory }
  }

  private func prepend(_ folder: [UInt8]) {
    let path = folder + Array("/?.lua;".utf8) + folder + Array("/?/init.lua".utf8)
    let cpath = folder + Array("/?.so".utf8)
    lull_prepend_path(
      state, path.map(CChar.init(bitPattern:)) + [0], cpath.map(CChar.init(bitPattern:)) + [0])
  }

  var pump: Pump { environment.pump }

  // MARK: Checks of thread and state

  /// A closed runtime may be used on another thread: the one on which the rest of an ended home
  /// runs.
  func requireThread() {
    guard !isClosed, pthread_equal(pthread_self(), thread) == 0 else { return }
    ProgramMisuse.stop(
      """
      a Lua runtime was used on another thread than its home's: use it in the body of Lull.run, in \
      home.perform { home in … }, or in an actor whose executor is the home's
      """)
  }

  /// Checks the thread and that the runtime is open, and frees released values. Every operation
  /// starts with it.
  func requireOpen() throws(LuaError) {
    requireThread()
    guard !isClosing else { throw .closed }
    if let released = host.stored.released.take() { host.stored.release(released) }
  }

  /// Sets the function that gets errors without another receiver.
  func setProgram(_ tell: ((LuaError, String) -> Void)?) {
    requireThread()
    host.reporter.program = tell.map { tell in
      { [unowned self] failure, place in tell(error(of: failure), place) }
    }
  }

  // MARK: Closing

  func closeSoon() {
    guard !isClosing else { return }
    // A `deinit` does not call into the runtime. Once the pump has closed, no Lua code runs.
    if pump.isClosed { close() } else { pump.enqueue { self.close() } }
  }

  func close() {
    guard !isClosed else { return }
    isClosing = true
    guard !host.bridge.isRunning else { return pump.enqueue { self.close() } }
    isClosed = true
    pump.remove(self)
    host.loop.cancelOwn()
    host.requests.give(self)
    host.tasks.reportUnawaited(atEnd: true)
    host.reporter.unhandled.report(atEnd: true)
    host.values.shared.checkAll()
    host.handles.sweep()
    let empty = EmptyState.of(environment)
    if let state { lull_state_close(state) }
    state = nil
    // Swift services that still refer to this runtime get a state in which every value is gone.
    if let empty { host.bridge.attach(empty.runtime) }
    self.empty = empty
    environment.release(self)
    host.reporter.program = nil
    pump.enqueue { [pump, self] in pump.enqueue { _ = self } }
  }

  private var empty: EmptyState?
}

extension RuntimeCore: PumpGuest {
  func turnBegins() { environment.beginTurn() }

  /// Resumes coroutines in `lull.run` when nothing else is left to do.
  func turnEnded() { host.loop.resumeIdleWaiters() }

  func pumpCloses() { close() }
}

extension Lua.Access {
  var folder: [UInt8]? {
    switch self {
    case .sandbox(let folder), .full(let folder): folder.map { Array($0.utf8) }
    }
  }

  fileprivate var trust: ScriptTrust {
    switch self {
    case .sandbox: .sandbox(folder: folder)
    case .full: .full(allowsBytecode: false)
    }
  }
}

extension RuntimeCore {
  /// Creates a Lua function for a Swift function.
  func makeFunction(_ function: SwiftFunction) throws(LuaError) -> Lua.Function {
    guard home != nil || !function.waits else {
      throw LuaError(
        .misuse, "a runtime made with a pump has no asynchronous functions: make it on a Home")
    }
    try requireOpen()
    let handle = host.handles.insert(function, kind: .swiftFunction)
    let value = LuaValue.method(index: SwiftFunctions.method, handle: handle, service: 0)
    return try ask(helpers().same, [value]) { results throws(LuaError) in
      try .first(of: [self.read(at: results.index(0), in: results.state)])
    }
  }
}
