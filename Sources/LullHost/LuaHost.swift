import CLullBridge
import Glibc
package import LullCore
import LullTransport

/// The Swift half of the bridge: one per Lua state, on the thread that made it.
///
/// It owns the handle table, numbers the Lua values Swift refers to, runs callbacks, counts the work
/// that keeps a script alive and reports errors. Swift holds ids, Lua holds values: nothing here
/// keeps a pointer into Lua beyond the call it came with.
package final class LuaHost {
  static let versionText: StaticString = "0.1.0"
  package static let version = versionText.description

  package let environment: any HostEnvironment
  private(set) var runtime: OpaquePointer
  var handles = HandleTable()
  /// Coroutines that run now, innermost last; nil for an observer's that nobody has asked about.
  var running: [RunContext?] = []
  /// What the innermost of them is if it is nil.
  var notification: Notification?
  /// Coroutines that wait, by their number.
  var waiting: [Int32: RunContext] = [:]
  /// Those of them that a request or a cache waits for.
  var waitingParts: [Int32: RunContext] = [:]
  let log: LogProxy

  /// Callbacks and requests with closures: what keeps the process alive.
  private(set) var requestsInFlight = 0
  var strongTasks = 0
  var strongTimers = 0
  /// Coroutines that wait in `lull.run` for everything else to end.
  var idleWaiters: [RunContext] = []

  /// Errors reported so far that make the exit code 1.
  package internal(set) var scriptErrorCount = 0
  var errorHandler: Int64?
  var isHandlingLog = false
  /// Observers with owners, by the id of their closure.
  var ownedObservers: [Int64: WeakObserver] = [:]
  /// Ends the run from inside it: `os.exit` or a signal.
  package internal(set) var exitRequest: Int32?
  package private(set) var isClosed = false
  /// What was kept for a configuration or a cache that is no more.
  let released = ReleasedValues()
  /// Whether a value could not be held, which nobody has been told of yet.
  var lacksMemory = false
  /// How often each kept value, and each task by its handle, is pinned; requests know it themselves.
  var valuePins: [Int64: Int] = [:]
  var taskPins: [UInt64: Int] = [:]
  /// Requests, in flight or not settled, to cancel when the run ends.
  private(set) var liveRequests: [Request] = []
  private var nextID: Int64 = 1
  private var isSweeping = false
  /// The last number given out when a standstill was met.
  private var stalledAt: Int64 = 0
  /// Bytes that arrived since the last collection step.
  private var chargedBytes = 0
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
  /// Set if API files are loaded only to be looked at: nothing is asked of any network, and nothing
  /// started or read for them.
  package internal(set) var inspection: Inspection?
  var isInspecting: Bool { inspection != nil }
  /// Takes note of what is wrong with an API file, instead of raising it.
  var checker: APIFileChecker?
  /// The APIs that were loaded from files.
  var apiFiles = LoadedAPIFiles()
  /// Compares shared content with its documents, with `LULL_STRICT=1`.
  var strict: StrictContent?
  /// What a predicate raised that was called for a call of the script's, to be raised there.
  var predicateFailure: ScriptFailure?
  /// The texts of chunks, for reports.
  let sources = ChunkSources()
  var reportLedger = ReportLedger()
  /// What the function given to `lull.run` raised.
  var runFailure: ScriptFailure?
  /// What is said of each limit, and whether it has been.
  var limitTexts: [String] = []
  var hasReportedLimit = false
  /// What each line of a session may take.
  var lineLimits = Limits()
  /// Whether the script may do no more than what the sandbox has for it.
  package internal(set) var isSandboxed = false
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
    log = LogProxy(environment.pump.log)
    // A dummy until `attach`; the host is used only between attach and close.
    runtime = OpaquePointer(bitPattern: 1).unsafelyUnwrapped
  }

  var pump: Pump { environment.pump }

  func attach(_ runtime: OpaquePointer) {
    self.runtime = runtime
    lull_watch_changes(runtime, pump.changes.counter)
    pump.requestHost = self
    environment.onTurn { [unowned self] in
      deliverInterrupt()
      sweep()
      releaseUnpushed()
      releaseKept()
      reportLackOfMemory()
      collectIfCharged()
      lull_memory_check(self.runtime)
      tellOrphans()
      if !failedTasks.isEmpty { reportUnawaitedTasks(atEnd: isAtPrompt) }
      collectIfStalled()
      // Work, so that the turn which begins does not wait with it.
      if isAtPrompt, hasOutput?() == true { pump.enqueue {} }
    }
  }

  /// A new number for a Lua value; documents' numbers are in a range of their own.
  func makeID() -> Int64 {
    nextID += 1
    return nextID
  }

  // MARK: Objects

  func object<T: AnyObject>(_ value: lull_value, _ kind: HandleKind, as type: T.Type) -> T? {
    guard value.kind == Int32(LULL_OBJECT), value.aux == kind.rawValue,
      let object = handles.object(value.handle, kind: kind.rawValue)
    else { return nil }
    // The table holds objects of one class under each kind.
    return unsafeDowncast(object, to: type)
  }

  func value(_ service: Service) -> LuaValue {
    .object(
      handle: handle(of: service), kind: HandleKind.service.rawValue, service: 0, anchor: 0)
  }

  func value(_ resource: Resource) -> LuaValue {
    if resource.hostHandle == 0 {
      resource.hostHandle = handles.insert(resource, kind: HandleKind.resource.rawValue)
    }
    return .object(
      handle: resource.hostHandle, kind: HandleKind.resource.rawValue,
      service: handle(of: resource.service), anchor: 0)
  }

  func value(_ request: Request) -> LuaValue {
    if request.hostHandle == 0 {
      request.hostHandle = handles.insert(request, kind: HandleKind.request.rawValue)
      if !request.scriptAnchors.isEmpty { holdScripts(of: request) }
    }
    return .object(
      handle: request.hostHandle, kind: HandleKind.request.rawValue,
      service: request.resource.map { handle(of: $0.service) } ?? 0, anchor: 0)
  }

  /// A new userdata for an object that only Lua holds.
  func value(
    _ object: AnyObject, _ kind: HandleKind, service: Service? = nil, anchor: Int64 = 0
  ) -> LuaValue {
    .object(
      handle: handles.insert(object, kind: kind.rawValue), kind: kind.rawValue,
      service: service.map { handle(of: $0) } ?? 0, anchor: anchor)
  }

  func handle(of service: Service) -> UInt64 {
    if service.hostHandle == 0 {
      service.hostHandle = handles.insert(service, kind: HandleKind.service.rawValue)
      service.host = self
    }
    return service.hostHandle
  }

  /// A userdata is about to be made for `handle`: the same, or a new one if an earlier userdata of
  /// that object still awaits its finaliser.
  func claim(_ handle: UInt64) -> UInt64 {
    if handles.claim(handle) { return handle }
    guard let kind = handles.kind(handle), let object = handles.object(handle, kind: kind) else {
      return 0
    }
    let renewed = handles.insert(object, kind: kind)
    _ = handles.claim(renewed)
    setHandle(renewed, of: object)
    if let request = object as? Request, !request.scriptAnchors.isEmpty {
      pump.enqueue { [unowned self] in anchorScripts(of: request) }
    }
    return renewed
  }

  /// Objects of the other kinds do not know their handle: each has one userdata in its life.
  private static func knowsItsHandle(_ kind: Int32) -> Bool {
    switch HandleKind(rawValue: kind) {
    case .service, .resource, .request, .task: true
    default: false
    }
  }

  private func setHandle(_ handle: UInt64, of object: AnyObject) {
    switch object {
    case let service as Service: service.hostHandle = handle
    case let resource as Resource: resource.hostHandle = handle
    case let request as Request: request.hostHandle = handle
    case let task as LuaTask: task.hostHandle = handle
    default: break
    }
  }

  private func currentHandle(of object: AnyObject) -> UInt64? {
    switch object {
    case let service as Service: service.hostHandle
    case let resource as Resource: resource.hostHandle
    case let request as Request: request.hostHandle
    case let task as LuaTask: task.hostHandle
    default: nil
    }
  }

  // MARK: Sweeping

  /// Releases the objects of finalised userdata.
  ///
  /// Releasing may run finalisers, which queue more: those are taken by the same sweep.
  package func sweep() {
    guard !isSweeping else { return }
    isSweeping = true
    defer { isSweeping = false }
    var count = 0
    while let swept = lull_runtime_take_swept(runtime, &count), count > 0 {
      for index in 0..<count { release(swept[index]) }
    }
  }

  /// Lua sees a few bytes where a response holds megabytes, and a request or entity a kilobyte: a step
  /// of collection for what has come since keeps what was dropped from piling up. Without it the heap
  /// of a script that does nothing but requests would double with each cycle of the collector, since
  /// objects with finalisers outlive the cycle that finds them dead.
  private func collectIfCharged() {
    let charged = chargedBytes + handles.insertedCount * LuaHost.bytesPerHandle
    guard charged >= 8 << 20 else { return }
    lull_runtime_collect(runtime, Int32(min(charged / 1024, 1 << 20)))
    chargedBytes = 0
    handles.insertedCount = 0
    sweep()
  }

  /// When all that is in flight is for the script to complete, and it has nothing left to run, only a
  /// collection can tell whether it still could: one for each such standstill.
  private func collectIfStalled() {
    guard requestsInFlight > 0, strongTimers == 0, !pump.hasWork, stalledAt != nextID,
      liveRequests.allSatisfy(isForScriptToComplete)
    else { return }
    releaseGarbage()
    stalledAt = nextID
  }

  private func isForScriptToComplete(_ request: Request) -> Bool {
    switch request {
    case is CustomRequest, is ChainedRequest: true
    case is NetworkRequest: request.resource?.service.networking is LuaNetworking
    default: false
    }
  }

  /// What an object behind a handle holds, roughly.
  static let bytesPerHandle = 1024

  private func release(_ handle: UInt64) {
    guard let kind = handles.kind(handle), let object = handles.remove(handle) else { return }
    if LuaHost.knowsItsHandle(kind), currentHandle(of: object) == handle {
      setHandle(0, of: object)
      // Resources and requests of a service hold its userdata: it goes last, and with it the cycle
      // between a service and what it remembers.
      (object as? Service)?.forgetAll()
    }
  }

  /// Handles in use: userdata, and objects about to get one.
  package var liveHandleCount: Int { handles.count }
  /// Without those of APIs, which stay until the process ends.
  package var pinCount: Int { Int(lull_pin_count(runtime)) - apiFiles.pinnedCount }

  /// Gives back the handles of values that were meant for Lua and never got there.
  func releaseUnclaimed(_ values: [LuaValue]) {
    for value in values {
      switch value {
      case .object(let handle, _, _, _), .method(_, let handle, _): releaseUnclaimed(handle)
      case .reraised(let value, _): releaseUnclaimed([value])
      case .list(let elements): releaseUnclaimed(elements)
      case .map(let pairs), .readOnly(let pairs): releaseUnclaimed(pairs.map(\.1))
      case .table(let pairs): releaseUnclaimed(pairs.flatMap { [$0.0, $0.1] })
      case .nil, .null, .bool, .int, .number, .string, .bytes, .constant, .ref, .tables, .stack,
        .view, .unpack, .element, .globalNext:
        break
      }
    }
  }

  /// The same of encoded ones, as long as the arena holds them.
  func releaseUnclaimed(_ values: UnsafePointer<lull_value>, count: Int) {
    for index in 0..<count {
      let value = values[index]
      switch Int(value.kind) {
      case Int(LULL_OBJECT), Int(LULL_METHOD): releaseUnclaimed(value.handle)
      case Int(LULL_LIST), Int(LULL_MAP):
        guard let elements = value.pointer else { continue }
        let isMap = value.kind == Int32(LULL_MAP)
        // Written by `encodeAll`; a map has two for each pair.
        releaseUnclaimed(
          elements.assumingMemoryBound(to: lull_value.self),
          count: Int(value.extra) * (isMap ? 2 : 1))
      default: continue
      }
    }
  }

  func releaseUnclaimed(_ handle: UInt64) {
    if !handles.isClaimed(handle) { release(handle) }
  }

  /// Gives back the handles of values whose pushing an error has interrupted.
  private func releaseUnpushed() {
    var count = 0
    guard let unpushed = lull_runtime_take_unpushed(runtime, &count) else { return }
    for index in 0..<count { releaseUnclaimed(unpushed[index]) }
  }

  // MARK: Strong work

  /// Whether anything still keeps the script alive.
  package var hasStrongWork: Bool {
    requestsInFlight > 0 || strongTasks > 0 || strongTimers > 0
  }

  /// Runs the loop until nothing strong is left, or the run was ended from inside.
  package func runUntilIdle() {
    environment.run { [self] in
      takeForeground()
      resumeIdleWaiters()
      return isIdle || isInterrupted
    }
  }

  /// Whether nothing is left to do or to wait for.
  var isIdle: Bool { !hasStrongWork && !pump.hasWork && idleWaiters.isEmpty }

  /// Lets coroutines in `lull.run` go on, one after the other, once everything else has ended.
  func resumeIdleWaiters() {
    for _ in 0..<idleWaiters.count {
      guard let context = idleWaiters.first, !pump.hasWork, !hasWorkBesideIdleWaiters else {
        return
      }
      idleWaiters.removeFirst()
      resume(context, with: [])
    }
  }

  /// Whether anything but the coroutines in `lull.run` is left. What waits for one of those cannot end
  /// before it, and does not count.
  private var hasWorkBesideIdleWaiters: Bool {
    guard strongTimers == 0 else { return true }
    let idle = Set(idleWaiters.map(ObjectIdentifier.init))
    var idleTasks = 0
    for context in waiting.values where context.isStrong {
      guard reaches([], [context], isGoal: { idle.contains(ObjectIdentifier($0)) }) else {
        return true
      }
      idleTasks += 1
    }
    if strongTasks > idleTasks { return true }
    return liveRequests.contains { request in
      !reaches([request], [], isGoal: { idle.contains(ObjectIdentifier($0)) })
    }
  }

  /// Whether a signal, a limit or `os.exit` has ended the run.
  package var isInterrupted: Bool {
    if exitRequest != nil || hasPassedLimit { return true }
    let signal = lull_signals_pending()
    // Ctrl-C is a session's business.
    return signal != 0 && (onInterrupt == nil || signal != SIGINT)
  }

  /// Cancels every request, task and timer; hooks get their cancellation in the turns that follow.
  package func cancelEverything() {
    for context in Array(waiting.values) { cancel(context) }
    for request in liveRequests { request.cancel() }
  }

  /// What a script that ends leaves behind, for the line that says so: what it asked for, not the
  /// parts of that.
  package var inFlightDescriptions: [String] {
    openRequests.map { "\($0.method ?? "") \(LogText.url($0.url ?? ""))" }.sorted()
  }

  /// What is in flight, without the parts of that and cache checks.
  var openRequests: [Request] {
    let open = liveRequests.filter { !$0.isCompleted }
    let parts = Set(open.flatMap(\.openParts).map(ObjectIdentifier.init))
    return open.filter { !($0 is CacheLookup) && !parts.contains(ObjectIdentifier($0)) }
  }

  /// Drops everything without calling into Lua. The state goes away, or has gone.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    demo?.end()
    demo = nil
    environment.close()
    waiting = [:]
    waitingParts = [:]
    idleWaiters = []
    liveRequests = []
    // Their services hold what holds this.
    apiFiles.loaded = [:]
    checker = nil
    for object in handles.removeAll() {
      if let service = object as? Service { service.forgetAll() }
    }
  }
}

extension LuaHost: ServiceHost {
  package func bodyArrived(byteCount: Int) { chargedBytes += byteCount }

  /// What only garbage holds is unused (SVC-31).
  package func releaseGarbage() {
    guard !isClosed else { return }
    guard lull_runtime_collect_all(runtime) != 0 else { return }
    sweep()
    // A finaliser that had no room on the C stack, or no memory, is not called again: what it would
    // have given back is given back here.
    for handle in handles.claimed where lull_object_exists(runtime, handle) == 0 { release(handle) }
  }

  func isTracked(_ request: Request) -> Bool { request.hostPlace != nil }

  /// Holds a request, with its hooks and its service, until its hooks have been delivered.
  func track(_ request: Request) {
    guard request.hostPlace == nil, !isClosed else { return }
    requestsInFlight += 1
    request.hostPlace = liveRequests.count
    liveRequests.append(request)
    request.trackedSince = pump.clock.now
    // What it has ended with before it could begin, to be seen by its hooks.
    if let response = request.response { hold(response, for: request) }
    let isPinned = pin(request)
    if !isPinned { lacksMemory = true }
    request.onSettled = { [unowned self] in
      settle(request)
      untrack(request)
      if isPinned { unpin(request) }
    }
  }

  /// The request is no work in progress any more.
  func untrack(_ request: Request) {
    guard let place = request.hostPlace, place < liveRequests.count else { return }
    request.hostPlace = nil
    requestsInFlight -= 1
    // The last one moves into the gap: no searching, however many there are.
    let last = liveRequests.removeLast()
    guard last !== request else { return }
    last.hostPlace = place
    liveRequests[place] = last
  }

  /// What the response holds of Lua's moves from the pin of the pipeline to the request's userdata.
  private func settle(_ request: Request) {
    for id in request.scriptValues {
      anchor(id, from: request.hostHandle)
      unpin(id)
    }
    request.scriptValues = []
  }

  package func resourceStateChanged(_ resource: Resource) {
    let record = resource.record
    let data = record.state.latestData?.content.foreignID
    let error = record.state.latestError.map { anchor(for: $0.foreignIDs) } ?? 0
    guard record.hostKey != 0 || data != nil || error != 0 else { return }
    if record.hostKey == 0 {
      record.hostKey = makeID()
      _ = makeID()
    }
    let service = handle(of: resource.service)
    anchor(data, to: service, key: record.hostKey)
    anchor(error == 0 ? nil : error, to: service, key: record.hostKey + 1)
  }

  package func recordForgotten(_ record: ResourceRecord, of service: Service) {
    guard record.hostKey != 0, service.hostHandle != 0, !isClosed else { return }
    lull_value_release_from_object(runtime, service.hostHandle, record.hostKey)
    lull_value_release_from_object(runtime, service.hostHandle, record.hostKey + 1)
  }

  private func anchor(_ id: Int64?, to service: UInt64, key: Int64) {
    if let id {
      anchor(id, from: service, key: key)
    } else {
      lull_value_release_from_object(runtime, service, key)
    }
  }
}

extension Response {
  var foreignIDs: [Int64] {
    switch outcome {
    case .success(let entity): entity.content.foreignID.map { [$0] } ?? []
    case .failure(let error): error.foreignIDs
    }
  }
}

extension Content {
  var foreignID: Int64? {
    if case .foreign(let foreign) = self { return foreign.id }
    return nil
  }
}

extension RequestError {
  /// Lua values the error holds: its entity's content, and what was raised.
  var foreignIDs: [Int64] {
    var ids: [Int64] = []
    if let id = entity?.content.foreignID { ids.append(id) }
    if let id = cause?.raisedValue?.foreign?.id { ids.append(id) }
    if case .custom(let custom as ScriptCause) = cause { ids.append(custom.value.id) }
    return ids
  }
}
