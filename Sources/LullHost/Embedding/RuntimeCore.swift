import CLullBridge
import LullCore
import LullLibC
import LullSystem

/// The implementation of `Lua`: one Lua state with its host, on a pump that a home or the program
/// drives. This object creates the state, applies limits to it, calls functions in it and closes
/// it.
///
/// The pump holds this object until the object is closed. Releasing the `Lua` object closes this
/// object. Swift objects for functions and tables also refer to this object, and calls to them fail
/// once it is closed. Home thread only.
final class RuntimeCore {
  let host: LuaHost
  let home: (any ServiceHome)?
  let limits: Lua.Limits
  let environment: PumpEnvironment
  private var state: OpaquePointer?
  private let thread = pthread_self()
  /// Whether closing has begun, so that no new calls start. The state is freed when `isClosed`
  /// becomes true.
  private(set) var isClosing = false
  private var isClosed = false
  var madeHelpers: LuaHelpers?
  /// The current nesting depth while nested tables are being converted to Swift.
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
    // The state retains the host when it attaches the host, and releases the host when the state
    // closes.
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

  /// Creates a runtime on the home to which the caller is isolated.
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

  /// Ends the program with a message if the runtime is open and this is not the home's thread. A
  /// closed runtime may be used on another thread, because the last code of an ended home runs
  /// there.
  func requireThread() {
    guard !isClosed, pthread_equal(pthread_self(), thread) == 0 else { return }
    ProgramMisuse.stop(
      """
      a Lua runtime was used on another thread than its home's: use it in the body of Lull.run, in \
      home.perform { home in … }, or in an actor whose executor is the home's
      """)
  }

  /// Checks that this is the home thread and that the runtime is open, and frees released values.
  /// Every operation calls this first.
  func requireOpen() throws(LuaError) {
    requireThread()
    guard !isClosing else { throw .closed }
    if let released = host.stored.released.take() { host.stored.release(released) }
  }

  /// Sets the function that gets the errors which are not handled anywhere else.
  func setProgram(_ tell: ((LuaError, String) -> Void)?) {
    requireThread()
    host.reporter.program = tell.map { tell in
      { [unowned self] failure, place in tell(error(of: failure), place) }
    }
  }

  // MARK: Closing

  func closeSoon() {
    guard !isClosing else { return }
    // A `deinit` must not call into the runtime, so closing is deferred. If the pump has already
    // closed, no Lua code runs any more, so the runtime can be closed here.
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
    // Services of the Swift program may still refer to this runtime. They get an empty state, in
    // which none of the runtime's values exist.
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

  /// Resumes the coroutines that wait in `lull.run`, if no other work is left.
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
  /// Creates the Lua function that calls a Swift function.
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
