import CLullBridge
import LullCore

/// The Swift half of the bridge: one per Lua state, on the thread that created it.
///
/// It consists of parts that keep their state private and know only the parts above them in the
/// list below. Swift holds IDs, Lua holds values. No pointer into Lua is kept beyond the call it
/// came with.
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

  /// - Parameter library: the functions of the module.
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

  /// Reads settings from tables outside of a call.
  package var settings: SettingReader { SettingReader { [unowned self] in Call(self, $0) } }

  func attach(_ runtime: OpaquePointer) {
    bridge.attach(runtime)
    lull_watch_changes(runtime, pump.changes.counter)
    begin()
  }

  /// Starts observing the model. Lua need not have started yet.
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
      // No script call could raise an error for it.
      reporter.report(ScriptFailure(message: "not enough memory"), in: "the storing of a value")
    }
    loop.collectIfCharged()
    lull_memory_check(bridge.pointer)
    callbacks.tellOrphanedObservers()
    tasks.reportUnawaited(atEnd: session.isAtPrompt)
    if environment.isShared { reporter.unhandled.report(atEnd: false) }
    loop.collectIfStalled()
    session.showOutput()
  }

  /// The bytes outside Lua's memory that are freed when Lua releases its objects.
  var heldBytes: Int {
    // On a shared pump, memory held elsewhere does not belong to the script.
    (environment.isShared ? 0 : HeldBytes.total) + handles.heldBytes
  }

  /// The number of pins of script values and objects, without those that remain until the process
  /// ends.
  package var pinCount: Int { Int(lull_pin_count(bridge.pointer)) - stored.lastingPinCount }

  /// Returns the extension's object for this host, created at the first call.
  package func part<Part: HostExtension>(_ type: Part.Type) -> Part {
    for part in parts {
      if let part = part as? Part { return part }
    }
    let part = Part(self)
    parts.append(part)
    return part
  }

  /// Writes the last reports about a script when its state is closing.
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

  /// Releases everything without calling into Lua. Called when the state is closed or about to be.
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
  /// The numbers of objects in memory and requests in progress of this host, by the names that
  /// scripts use.
  ///
  /// Visits every resource, and includes garbage that has not been collected yet. Changes nothing.
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

/// An extension of the Lua API by a target that depends on the host: its functions and types, and
/// the object that keeps its state for one host.
///
/// The object is created on first use (`LuaHost.part`) and then held by the host. Home thread only.
package protocol HostExtension: AnyObject, SendableMetatype {
  /// The functions in the module table.
  static var functions: [APIEntry] { get }
  /// The types of its objects and tables. Kinds of objects are in the common list of kinds.
  static var types: [APIOwner] { get }
  /// Its objects without documentation.
  static var unseen: [APIOwner] { get }
  /// Returns the possible values of a module function's first argument, if it is a string from a
  /// fixed set. Runs no script code.
  static func choices(for function: String, typed: String) -> [String]
  init(_ host: LuaHost)
  /// Releases the references to the host, and must not call into Lua. Called when the state is
  /// closed or about to be.
  func close()
}

extension HostExtension {
  package static var unseen: [APIOwner] { [] }
  package static func choices(for function: String, typed: String) -> [String] { [] }
}
