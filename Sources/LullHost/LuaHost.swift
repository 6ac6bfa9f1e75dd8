import CLullBridge
import LullCore

/// The Swift half of the bridge: one per Lua state, on the thread that made it.
///
/// It is made of owners, each of which keeps its state to itself and knows only those above it in the
/// list below. Swift holds ids, Lua holds values: nothing here keeps a pointer into Lua beyond the call
/// it came with.
package final class LuaHost {
  package let environment: any HostEnvironment
  package let bridge: BridgeRuntime
  package let handles: ObjectHandles
  package let stored: StoredValues
  package let values: ScriptValues
  package let permissions = Permissions()
  package let sources: ChunkSources
  package let reading: ScriptReading
  package let coroutines: Coroutines
  package let requests: RequestsInFlight
  package let session: SessionKeeper
  package let loop: ScriptLoop
  package let reporter: Reporter
  package let tasks: Tasks
  package let callbacks: Callbacks
  let hooks: ModelHooks

  private var parts: [any HostExtension] = []
  private var hasBegun = false

  /// - Parameter library: the functions that the module has.
  package init(environment: any HostEnvironment, library: LuaLibrary) {
    self.environment = environment
    bridge = BridgeRuntime(library)
    let pump = environment.pump
    handles = ObjectHandles(bridge)
    stored = StoredValues(handles, pump)
    values = ScriptValues(stored, pump)
    sources = ChunkSources(stored)
    reading = ScriptReading(handles, permissions, sources)
    coroutines = Coroutines(stored, sources, pump)
    requests = RequestsInFlight(stored, pump)
    session = SessionKeeper(environment, bridge)
    loop = ScriptLoop(environment, coroutines, requests, session)
    reporter = Reporter(loop, values, permissions, sources)
    tasks = Tasks(reporter)
    callbacks = Callbacks(reporter)
    hooks = ModelHooks(isGuest: environment.isShared, reporter)
    values.shared.report = { [unowned reporter] in reporter.report(sharedContent: $0) }
  }

  var pump: Pump { environment.pump }

  /// Reads settings out of tables that no call was given.
  package var settings: SettingReader { SettingReader { [unowned self] in Call(self, $0) } }

  func attach(_ runtime: OpaquePointer) {
    bridge.attach(runtime)
    lull_watch_changes(runtime, pump.changes.counter)
    begin()
  }

  /// Hears of the model, of which nothing has to be in Lua yet.
  func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    if environment.isShared { pump.add(hooks) } else { pump.host = hooks }
    environment.onTurn { [unowned self] in beginTurn() }
    session.run = { [unowned self] in _ = SessionKeeper.opener?(self) }
  }

  private func beginTurn() {
    session.deliverInterrupt()
    guard bridge.isStarted else { return session.showOutput() }
    handles.sweep()
    handles.releaseUnpushed()
    if let released = stored.released.take() {
      stored.release(released)
      callbacks.releaseObservers(released.observers)
    }
    if stored.takeLackOfMemory() {
      // No call of the script's could be told of it.
      reporter.report(ScriptFailure(message: "not enough memory"), in: "the keeping of a value")
    }
    loop.collectIfCharged()
    lull_memory_check(bridge.pointer)
    callbacks.tellOrphanedObservers()
    tasks.reportUnawaited(atEnd: session.isAtPrompt)
    if environment.isShared { reporter.unhandled.report(atEnd: false) }
    loop.collectIfStalled()
    session.showOutput()
  }

  /// Bytes that live outside of Lua's memory and end with what Lua holds.
  var heldBytes: Int {
    // On a pump that others use, what is held elsewhere is not the script's doing.
    (environment.isShared ? 0 : HeldBytes.total) + handles.heldBytes
  }

  /// Pins of the script's values and objects, without those that stay until the process ends.
  package var pinCount: Int { Int(lull_pin_count(bridge.pointer)) - stored.lastingPinCount }

  /// The extension's owner of what it keeps for this host; made at the first call.
  package func part<Part: HostExtension>(_ type: Part.Type) -> Part {
    for part in parts {
      if let part = part as? Part { return part }
    }
    let part = Part(self)
    parts.append(part)
    return part
  }

  /// What is to be told of a script when its state is going away.
  func reportEnd() {
    values.shared.report = { [unowned reporter] in
      reporter.reportWithoutLua(sharedContent: $0)
    }
    values.shared.checkAll()
    tasks.reportUnawaitedWithoutLua()
    if !loop.isInterrupted { reporter.unhandled.report(atEnd: true) }
    reporter.reportRepetitions()
    reporter.reportAbandoned()
  }

  /// Drops everything without calling into Lua. The state goes away, or has gone.
  package func close() {
    guard !bridge.isClosed else { return }
    if environment.isShared { pump.remove(hooks) }
    bridge.close()
    session.progress.close()
    loop.close()
    for part in parts { part.close() }
    parts = []
    permissions.checker = nil
    if environment.isShared {
      handles.close(keeping: environment.sharedServices)
    } else {
      handles.close()
    }
  }
}

extension LuaHost {
  /// What is in memory and under way now of this host's own, by the names scripts see.
  ///
  /// Looks at every resource; counts garbage that has not been collected yet. Changes nothing.
  package var statistics: [(name: String, count: Int)] {
    var counts = HomeStatistics()
    for service in handles.objects(.service, as: Service.self) { service.table.add(to: &counts) }
    return [
      ("services", counts.services),
      ("resources", counts.resources),
      ("resources_in_use", counts.resourcesInUse),
      ("observers", counts.observers),
      ("requests_in_flight", requests.open.count),
      ("requests_queued", environment.queuedExchangeCount),
      ("streams", requests.streamCount),
      ("handles", handles.count),
      ("pins", pinCount),
      ("lua_bytes", Int(lull_runtime_lua_bytes(bridge.pointer))),
      ("document_bytes", counts.documentBytes),
      ("body_bytes", counts.bodyBytes),
    ]
  }
}

/// What a target above the host adds to the Lua API: functions and types, and the owner of what they
/// keep for one host.
///
/// Made when it is first asked for (`LuaHost.part`), and held by the host from then on. Home thread
/// only.
package protocol HostExtension: AnyObject, SendableMetatype {
  /// What it has in the table of the module.
  static var functions: [APIEntry] { get }
  /// The types of its objects and of its tables; kinds of objects are in the list of kinds, as all are.
  static var types: [APIOwner] { get }
  /// Its objects that nothing describes.
  static var unseen: [APIOwner] { get }
  /// What the first argument of a function of the module may be, where it is a string of which there are
  /// some to choose from; nothing is run for it.
  static func choices(for function: String, typed: String) -> [String]
  init(_ host: LuaHost)
  /// The state goes away, or has gone: lets go of what holds the host, and calls nothing in Lua.
  func close()
}

extension HostExtension {
  package static var unseen: [APIOwner] { [] }
  package static func choices(for function: String, typed: String) -> [String] { [] }
}
