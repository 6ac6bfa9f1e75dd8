import CLullBridge
import LullClients
import LullCore
import LullTestSupport
import LullTesting
import Testing

@testable import LullHost

/// A Lua state with its host on a stub environment. `finish` checks that nothing is left.
final class HostHarness {
  let environment = StubEnvironment()
  private(set) var host: LuaHost
  private(set) var state: OpaquePointer?

  /// - Parameter refusingBytecode: as the command does unless it is told otherwise.
  init(refusingBytecode: Bool = false) throws {
    host = LuaHost(environment: environment, library: .withClients)
    state = lull_state_new()
    try #require(state != nil)
    if refusingBytecode { try #require(lull_state_refuse_bytecode(state) == 0) }
    let status = lull_state_preload(state, Unmanaged.passUnretained(host).toOpaque())
    try #require(status == 0)
    try #require(lull_state_require(state, 1) == 0)
  }

  var provider: StubProvider { environment.provider }

  enum End: Equatable {
    case finished(String?)
    case failed(String)
    case waiting
    case other
  }

  /// Runs the code in a coroutine, as the command runs a main chunk, until nothing is left to do;
  /// how it ended, with its first result if that is a string.
  @discardableResult
  func run(_ code: String, _ arguments: [LuaValue] = [], settling: Bool = true) -> End {
    var end = End.waiting
    let context = RunContext(purpose: "the test") { [unowned host] outcome in
      host.loop.taskEnded()
      switch outcome {
      case .finished(let results): end = .finished(results[0].text)
      case .failed(let failure): end = .failed(failure.message)
      case .gone, .cancelled: end = .other
      }
    }
    let chunk = host.stored.makeID()
    var message: UnsafePointer<CChar>?
    let status = code.utf8CString.withUnsafeBufferPointer { bytes in
      lull_load(host.bridge.pointer, bytes.baseAddress, bytes.count - 1, "=test", chunk, &message)
    }
    guard status == 0 else { return .failed(message.map { String(cString: $0) } ?? "") }
    context.isStrong = true
    host.loop.taskBegan()
    host.coroutines.start(Callable(id: chunk), arguments, context)
    lull_value_unpin(host.bridge.pointer, chunk)
    if settling { settle() }
    return end
  }

  func settle() {
    host.loop.runUntilIdle()
  }

  /// Two full collections, finalisers and sweep included.
  func collect() {
    run("collectgarbage() collectgarbage()")
    environment.turn()
    host.handles.sweep()
  }

  /// Collects, and checks that scripts have left nothing behind, then closes the state and checks
  /// that Swift has let go too.
  func finish(
    expectingHandles handles: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    collect()
    // `lull.log` is one; nothing else may be left.
    #expect(host.handles.count == handles, "handles left", sourceLocation: sourceLocation)
    #expect(host.pinCount == 0, "pins left", sourceLocation: sourceLocation)
    #expect(
      host.coroutines.waiting.isEmpty, "coroutines left waiting", sourceLocation: sourceLocation)
    #expect(lull_waiting_thread_count(host.bridge.pointer) == 0, sourceLocation: sourceLocation)
    close()
    // A host without a state takes its place; the one that was here must go now.
    weak let closed = host
    let owners = owners
    host = LuaHost(environment: StubEnvironment(), library: .withClients)
    #expect(closed == nil, "the host is still held", sourceLocation: sourceLocation)
    #expect(owners.held == [], "owners are still held", sourceLocation: sourceLocation)
  }

  /// Those of the host, to be asked later whether somebody else holds them.
  private var owners: HeldOwners { HeldOwners(of: host) }

  /// Ends everything and drops all that the script has; then what is left that should not be, after
  /// the state was closed too.
  func leftovers() -> [String] {
    var found: [String] = []
    host.loop.cancelEverything()
    settle()
    removeImmortalObservers()
    // More than once: what finalisers make is garbage of the next round, and what held a value in
    // Swift lets go of it with the next turn.
    var count = Int.max
    while host.handles.count < count || count == Int.max {
      count = host.handles.count
      run(
        """
        lull.on_error(nil)
        lull.log.enabled, lull.log.handler = nil, nil
        for name in pairs(_G) do
          if not package.loaded[name] and type(_G[name]) ~= "function" and name:sub(1, 1) ~= "_" then
            _G[name] = nil
          end
        end
        lull = package.loaded.lull
        """)
      collect()
      collect()
      host.loop.releaseGarbage()
    }
    if run("return 'alive'") != .finished("alive") { found.append("no chunk runs any more") }
    if host.pinCount != 0 { found.append("\(host.pinCount) pins") }
    if !host.coroutines.waiting.isEmpty {
      found.append("\(host.coroutines.waiting.count) coroutines wait")
    }
    if lull_waiting_thread_count(host.bridge.pointer) != 0 {
      found.append("waiting coroutines in Lua")
    }
    if host.loop.hasStrongWork { found.append("strong work") }
    // `lull.log` is one.
    if host.handles.count != 1 {
      found.append("\(host.handles.count - 1) handles: \(host.handles.kindsInUse)")
    }
    close()
    weak let closed = host
    let owners = owners
    host = LuaHost(environment: StubEnvironment(), library: .withClients)
    if closed != nil { found.append("the host itself") }
    found += owners.held
    return found
  }

  /// An observer whose owner is a function of a library, a method or a coroutine of the pool lives as
  /// long as the state: no leak.
  private func removeImmortalObservers() {
    var owned: [(observer: LuaObserver, owner: Int64)] = []
    for observer in host.callbacks.ownedObservers {
      owned += observer.owners.map { (observer, $0.id) }
    }
    let end = run(
      """
      local immortal, seen = {}, { [_G] = true }
      local function note(value, depth)
        local kind = type(value)
        if kind == "function" or kind == "userdata" or kind == "thread" then
          immortal[value] = true
        end
        if kind ~= "table" or seen[value] or depth > 5 then return end
        seen[value] = true
        immortal[value] = true
        local meta = debug.getmetatable(value)
        if meta and rawget(meta, "__mode") then return end
        for _, inner in next, value do note(inner, depth + 1) end
      end
      note(debug.getregistry(), 0)
      for _, value in pairs(_G) do
        if type(value) == "function" then note(value, 0) end
      end
      local found = ""
      for i = 1, select("#", ...) do
        local owner = select(i, ...)
        found = found .. (owner ~= nil and immortal[owner] and "1" or "0")
      end
      return found
      """, owned.map { .ref($0.owner) })
    guard case .finished(let text?) = end else { return }
    for (mark, (observer, owner)) in zip(text, owned) where mark == "1" {
      observer.remove(owner: owner)
      if observer.owners.isEmpty, !observer.ownsItself { observer.stop() }
    }
  }

  func close() {
    guard let state else { return }
    lull_state_close(state)
    self.state = nil
  }

  deinit {
    close()
  }
}
