import CLullBridge
import LullCore

/// The Swift half of the bridge. There is one host for each Lua state, on the thread that created
/// the state.
///
/// A host consists of parts with private state. In the list below, each part refers only to the
/// parts above it. Swift stores IDs, and Lua stores the values. Swift does not keep a pointer into
/// Lua after the end of the call that passed the pointer.
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

  /// Creates a host.
  ///
  /// - Parameter library: the functions of the Lua API.
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

  /// Reads settings from Lua tables outside of a call.
  package var settings: SettingReader { SettingReader { [unowned self] in Call(self, $0) } }

  func attach(_ runtime: OpaquePointer) {
    bridge.attach(runtime)
    lull_watch_changes(runtime, pump.changes.counter)
    begin()
  }

  /// Starts observing the model. This may happen before the Lua state exists.
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
      // There is no script call that could raise the error.
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

  /// The memory outside Lua that is freed when Lua releases its objects, in bytes.
  var heldBytes: Int {
    // On a shared pump, memory that other code holds does not belong to the script.
    (environment.isShared ? 0 : HeldBytes.total) + handles.heldBytes
  }

  /// The number of pins on script values and objects. Pins that remain until the process ends do
  /// not count.
  package var pinCount: Int { Int(lull_pin_count(bridge.pointer)) - stored.lastingPinCount }

  /// Returns the object in which an extension keeps its state for this host. The object is created
  /// at the first call.
  package func part<Part: HostExtension>(_ type: Part.Type) -> Part {
    for part in parts {
      if let part = part as? Part { return part }
    }
    let part = Part(self)
    parts.append(part)
    return part
  }

  /// Writes the last reports about a script. Called while its state is closing.
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

  /// Releases everything without calling into Lua. Called when the state is closed or about to be
  /// closed.
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
  /// Statistics of this host: numbers of objects, requests and bytes. `name` is the name that
  /// scripts use.
  ///
  /// Reading this property visits every resource and changes nothing. The numbers include garbage
  /// that has not been collected yet.
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

/// An extension of the Lua API by a module that depends on the host. It consists of functions and
/// types, and of an object that keeps the extension's state for one host.
///
/// The object is created on first use by `LuaHost.part`, and the host then holds it. Home thread
/// only.
package protocol HostExtension: AnyObject, SendableMetatype {
  /// The functions that the extension adds to the module table `lull`.
  static var functions: [APIEntry] { get }
  /// The types of the extension's objects and tables. `HandleKind` contains a case for each kind of
  /// object.
  static var types: [APIOwner] { get }
  /// The owners for objects of the extension that have no documentation.
  static var unseen: [APIOwner] { get }
  /// Returns the possible values of the first argument of a module function, if that argument is a
  /// string from a fixed set. Runs no script code.
  static func choices(for function: String, typed: String) -> [String]
  init(_ host: LuaHost)
  /// Releases the extension's references to the host. Must not call into Lua. Called when the state
  /// is closed or about to be closed.
  func close()
}

extension HostExtension {
  package static var unseen: [APIOwner] { [] }
  package static func choices(for function: String, typed: String) -> [String] { [] }
}
