import CLullBridge
import Glibc
import LullCore
import LullTransport

/// The Swift half of the bridge: one per Lua state, on the thread that made it.
///
/// It is made of owners, each of which keeps its state to itself and knows only those above it in the
/// list below. Swift holds ids, Lua holds values: nothing here keeps a pointer into Lua beyond the call
/// it came with.
package final class LuaHost {
  static let versionText: StaticString = "0.1.0"
  package static let version = versionText.description

  package let environment: any HostEnvironment
  package let bridge = BridgeRuntime()
  let writer: ValueWriter
  let handles: ObjectHandles
  let kept: KeptValues
  let values: ScriptValues
  let coroutines: Coroutines
  let requests: RequestsInFlight
  package let limits: LimitKeeper
  package let loop: ScriptLoop
  let waits: Waits
  let collector: Collector
  private let hooks: ModelHooks
  let log: LogProxy
  package let permissions = Permissions()
  let reading: ScriptReading

  /// Errors reported so far that make the exit code 1.
  package internal(set) var scriptErrorCount = 0
  var errorHandler: Int64?
  var isHandlingLog = false
  /// Observers with owners, by the id of their closure.
  var ownedObservers: [Int64: WeakObserver] = [:]
  var demo: DemoServer?
  /// Pipeline stages by the names scripts know them by.
  var stageKeys = Dictionary(
    uniqueKeysWithValues: PipelineStageKey.standardOrder.map { ($0.description, $0) })
  /// Caches made of tables, by the table's address, to know one that comes again; and at how many
  /// those that are no more are dropped.
  var tableCaches: [UnsafeRawPointer?: KnownTableCache] = [:]
  var tableCacheLimit = 64
  /// Tasks that failed and were not awaited yet.
  var failedTasks: [LuaTask] = []
  /// The APIs that were loaded from files.
  var apiFiles = LoadedAPIFiles()
  /// What a predicate raised that was called for a call of the script's, to be raised there.
  var predicateFailure: ScriptFailure?
  /// The texts of chunks, for reports.
  let sources = ChunkSources()
  var reportLedger = ReportLedger()
  /// What the function given to `lull.run` raised.
  var runFailure: ScriptFailure?
  /// Whether it was said which limit was passed.
  var hasReportedLimit = false
  /// Whether somebody sits at a prompt, to be told of failed tasks at once.
  package var isAtPrompt = false
  /// Whether something has been written that is to be shown above the prompt.
  package var hasOutput: (() -> Bool)?
  /// Whether a session is open, and what it does about Ctrl-C.
  var hasSession = false
  var onInterrupt: (() -> Void)?
  /// Whether the open session is to end, since nobody waits for it any more.
  package internal(set) var isSessionEnding = false
  /// What takes over whoever drives the loop, at his next look: a session opened by a script.
  var foreground: (() -> Void)?

  package init(environment: any HostEnvironment) {
    self.environment = environment
    let pump = environment.pump
    log = LogProxy(pump.log)
    writer = ValueWriter(bridge)
    handles = ObjectHandles(bridge)
    kept = KeptValues(bridge, handles, pump)
    values = ScriptValues(bridge, handles, kept)
    reading = ScriptReading(bridge, handles, permissions, sources)
    coroutines = Coroutines(bridge, writer, handles, kept, pump)
    requests = RequestsInFlight(bridge, kept, pump)
    limits = LimitKeeper(bridge)
    loop = ScriptLoop(environment, bridge, coroutines, requests, limits)
    waits = Waits(environment, bridge, handles, coroutines, requests, loop)
    collector = Collector(bridge, handles, kept, loop)
    hooks = ModelHooks(bridge, kept, coroutines, requests, collector)
    handles.onService = { [unowned hooks] in $0.host = hooks }
    loop.leavesInterruptsToSession = { [unowned self] in onInterrupt != nil }
    loop.takeForeground = { [unowned self] in takeForeground() }
  }

  var pump: Pump { environment.pump }

  func attach(_ runtime: OpaquePointer) {
    bridge.attach(runtime)
    lull_watch_changes(runtime, pump.changes.counter)
    pump.requestHost = hooks
    environment.onTurn { [unowned self] in beginTurn() }
  }

  private func beginTurn() {
    deliverInterrupt()
    handles.sweep()
    handles.releaseUnpushed()
    kept.releaseUnused()
    releaseObservers()
    reportLackOfMemory()
    collector.collectIfCharged()
    lull_memory_check(bridge.pointer)
    tellOrphans()
    if !failedTasks.isEmpty { reportUnawaitedTasks(atEnd: isAtPrompt) }
    collector.collectIfStalled()
    // Work, so that the turn which begins does not wait with it.
    if isAtPrompt, hasOutput?() == true { pump.enqueue {} }
  }

  /// What could not be held, and no call of the script's could be told of.
  private func reportLackOfMemory() {
    guard kept.takeLackOfMemory() else { return }
    report(ScriptFailure(message: "not enough memory"), in: "the keeping of a value")
  }

  /// Bytes that live outside of Lua's memory and end with what Lua holds.
  var heldBytes: Int { HeldBytes.total + handles.heldBytes }

  /// Pins of the script's values and objects, without those of APIs, which stay until the process ends.
  package var pinCount: Int { Int(lull_pin_count(bridge.pointer)) - apiFiles.pinnedCount }

  /// Drops everything without calling into Lua. The state goes away, or has gone.
  package func close() {
    guard !bridge.isClosed else { return }
    bridge.close()
    demo?.end()
    demo = nil
    loop.close()
    // Their services hold what holds this.
    apiFiles.loaded = [:]
    permissions.checker = nil
    handles.close()
  }
}
