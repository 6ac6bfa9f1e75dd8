import CLullBridge
import LullCore

// What is on its way to the owners: each of these goes as soon as nobody uses it any more.
extension LuaHost {
  package typealias Limits = ScriptLimits
  typealias WaitCompletion = Waits.Completion

  var runtime: OpaquePointer { bridge.pointer }
  package var isClosed: Bool { bridge.isClosed }
  var strict: StrictContent? {
    get { values.strict }
    set { values.strict = newValue }
  }
  var released: ReleasedValues { kept.released }
  package var exitRequest: Int32? {
    get { loop.exitCode }
    set { loop.exitCode = newValue }
  }
  var waiting: [Int32: RunContext] { coroutines.waiting }
  var innermost: RunContext? { coroutines.innermost }
  var openRequests: [Request] { requests.open }
  package var inFlightDescriptions: [String] { requests.descriptions }
  package var hasStrongWork: Bool { loop.hasStrongWork }
  package var isInterrupted: Bool { loop.isInterrupted }
  var isIdle: Bool { loop.isIdle }
  package var hasPassedLimit: Bool { limits.hasPassed }
  package var liveHandleCount: Int { handles.count }

  func makeID() -> Int64 { kept.makeID() }
  func object<T: AnyObject>(_ value: lull_value, _ kind: HandleKind, as type: T.Type) -> T? {
    handles.object(value, kind, as: type)
  }
  func handle(of service: Service) -> UInt64 { handles.handle(of: service) }
  func value(_ service: Service) -> LuaValue { values.of(service) }
  func value(_ resource: Resource) -> LuaValue { values.of(resource) }
  func value(_ request: Request) -> LuaValue { values.of(request) }
  func value(
    _ object: AnyObject, _ kind: HandleKind, service: Service? = nil, anchor: Int64 = 0
  ) -> LuaValue { values.of(object, kind, service: service, anchor: anchor) }
  func value(_ entity: Entity, service: Service?) -> LuaValue {
    values.of(entity, service: service)
  }
  func value(_ error: RequestError, service: Service?) -> LuaValue {
    values.of(error, service: service)
  }
  func value(_ response: Response, service: Service?) -> LuaValue {
    values.of(response, service: service)
  }
  func content(
    _ content: Content, holder: UInt64, key: Int64? = nil, from url: @autoclosure () -> String?
  ) -> LuaValue { values.content(content, holder: holder, key: key, from: url()) }
  func content(of resource: Resource) -> LuaValue { values.content(of: resource) }
  func content(_ content: Content, for request: Request) -> LuaValue {
    values.content(content, for: request)
  }
  func document(_ content: Content?) -> LuaValue { values.document(content) }
  func encode(_ value: LuaValue) -> lull_value { writer.encode(value) }
  package func sweep() { handles.sweep() }
  package func releaseGarbage() { collector.releaseGarbage() }
  func releaseUnclaimed(_ handle: UInt64) { handles.releaseUnclaimed(handle) }
  func releaseUnclaimed(_ values: [LuaValue]) { handles.releaseUnclaimed(values) }
  func keep(_ state: OpaquePointer?, _ index: Int32) throws(Misuse) -> Int64 {
    try kept.keep(state, index)
  }
  func keep(_ state: OpaquePointer?, _ index: Int32, anchoredTo service: Service) throws(Misuse)
    -> Int64
  { try kept.keep(state, index, anchoredTo: service) }
  func content(_ value: lull_value, _ state: OpaquePointer?, _ index: Int32) throws(Misuse)
    -> Content
  { try kept.content(value, state, index) }
  func anchor(_ id: Int64, from handle: UInt64, key: Int64? = nil) {
    kept.anchor(id, from: handle, key: key)
  }
  func anchor(for ids: [Int64]) -> Int64 { kept.anchor(for: ids) }
  func hold(_ id: Int64, for request: Request) { kept.hold(id, for: request) }
  func hold(_ response: Response, for request: Request) { kept.hold(response, for: request) }
  func holdForNow(_ ids: [Int64]) { kept.holdForNow(ids) }
  func pin(_ id: Int64) -> Bool { kept.pin(id) }
  func unpin(_ id: Int64) { kept.unpin(id) }
  func pin(_ request: Request) -> Bool { kept.pin(request) }
  func unpin(_ request: Request) { kept.unpin(request) }
  func pin(_ task: LuaTask) -> UInt64? { kept.pin(task) }
  func unpin(object handle: UInt64) { kept.unpin(object: handle) }
  func place(of id: Int64) -> String { kept.place(of: id) }
  func named(_ kind: String, _ id: Int64) -> String { kept.named(kind, id) }
  func start(_ callable: Callable, _ arguments: [LuaValue], _ context: RunContext) {
    coroutines.start(callable, arguments, context)
  }
  func resume(_ context: RunContext, with values: [LuaValue], raising: Bool = false) {
    coroutines.resume(context, with: values, raising: raising)
  }
  func cancel(_ context: RunContext) { coroutines.cancel(context) }
  func ask<R>(
    _ callable: Callable, _ arguments: [LuaValue], kind: StaticString,
    read: (RunResults) -> R
  ) -> Result<R, Coroutines.AskFailure> {
    coroutines.ask(callable, arguments, kind: kind, read: read)
  }
  func notify(_ observer: LuaObserver, of event: ResourceEvent, _ resource: Resource) {
    coroutines.notify(observer, of: event, resource)
  }
  func wait(
    _ call: Call, for what: @autoclosure @escaping () -> String, _ awaited: Awaited = Awaited(),
    _ begin: (@escaping WaitCompletion) -> () -> Void
  ) throws(Misuse) { try waits.wait(call, for: what(), awaited, begin) }
  func depends(_ awaited: Awaited, on goal: Request?, _ context: RunContext? = nil) -> Bool {
    waits.depends(awaited, on: goal, context)
  }
  func track(_ request: Request) { requests.track(request) }
  func forsake(_ request: Request) { waits.forsake(request) }
  func withInterruption(_ body: () -> Void) { waits.withInterruption(body) }
  func interruption() -> Misuse { waits.interruption() }
  package func runUntilIdle() { loop.runUntilIdle() }
  func resumeIdleWaiters() { loop.resumeIdleWaiters() }
  package func cancelEverything() { loop.cancelEverything() }
  func set(_ limits: ScriptLimits, isPerLine: Bool = false) -> Bool {
    self.limits.set(limits, isPerLine: isPerLine)
  }
  func raisedValue(_ failure: ScriptFailure) -> LuaValue { values.raised(failure) }
  func valueToRaise(_ failure: ScriptFailure) -> LuaValue { values.reraised(failure) }
  func awaited(_ request: Request) -> [LuaValue] { values.awaited(request) }
}
