package import CLullBridge
package import LullCore

/// One call from Lua: its arguments, where its results go, and the owners of what a method works with.
/// Valid during the call only.
package struct Call {
  // One reference for all of them: a call is made for everything that a script does.
  private let host: LuaHost
  let frame: UnsafeMutablePointer<lull_frame>

  init(_ host: LuaHost, _ frame: UnsafeMutablePointer<lull_frame>) {
    self.host = host
    self.frame = frame
  }

  // MARK: What a method works with

  var environment: any HostEnvironment { host.environment }
  var bridge: BridgeRuntime { host.bridge }
  var writer: ValueWriter { host.writer }
  package var handles: ObjectHandles { host.handles }
  package var kept: KeptValues { host.kept }
  package var values: ScriptValues { host.values }
  var coroutines: Coroutines { host.coroutines }
  var requests: RequestsInFlight { host.requests }
  var loop: ScriptLoop { host.loop }
  var waits: Waits { host.waits }
  var sources: ChunkSources { host.sources }
  package var permissions: Permissions { host.permissions }
  package var reading: ScriptReading { host.reading }
  var nilContents: NilContents { host.nilContents }
  package var callbacks: Callbacks { host.callbacks }
  var functions: ModelFunctions { host.functions }
  var iterators: ScriptIterators { host.iterators }
  var session: SessionKeeper { host.session }
  var observers: ScriptObservers { host.observers }
  var caches: ScriptCaches { host.caches }
  var stages: StageNames { host.stages }
  var tasks: Tasks { host.tasks }
  var unhandled: UnhandledRequests { host.unhandled }
  var combining: Combining { host.combining }
  var progress: ProgressBars { host.progress }
  var reporter: Reporter { host.reporter }
  var sampleAPI: SampleAPI { host.sampleAPI }
  var statistics: [(name: String, count: Int)] { host.statistics }
  package var pump: Pump { host.pump }

  /// The owner of what an extension keeps.
  package func part<Part: HostExtension>(_ type: Part.Type) -> Part { host.part(type) }

  // MARK: Arguments

  /// Arguments, self included.
  var count: Int { Int(frame.pointee.argument_count) }

  package var state: OpaquePointer? { frame.pointee.L }

  /// The argument at a position, 0 being self (or the first argument of a module function); nil
  /// beyond those given.
  package func raw(_ position: Int) -> lull_value {
    guard position < count, position < Int(LULL_MAX_ARGUMENTS) else { return lull_value() }
    return lull_frame_arguments(frame)[position]
  }

  package func isNil(_ position: Int) -> Bool { raw(position).kind == Int32(LULL_NIL) }

  // MARK: Arguments whose type the bridge has checked

  /// As people read it, whatever its bytes are.
  package func string(_ position: Int) -> String { raw(position).string ?? "" }

  /// One that must be text.
  ///
  /// - Parameter number: which argument it is, if there is no self.
  func text(_ position: Int, argument number: Int? = nil) throws(Misuse) -> String {
    let value = raw(position)
    guard value.kind != Int32(LULL_STRING) || value.isValidUTF8 else {
      let text = LogText.part(string(position), limit: 100)
      throw .argument(number ?? position, "not valid UTF-8: '\(text)'")
    }
    return string(position)
  }

  func optionalString(_ position: Int) -> String? { raw(position).string }

  package func number(_ position: Int) -> Double? { raw(position).double }

  /// The position on the stack of an argument.
  package func index(_ position: Int) -> Int32 { Int32(position + 1) }

  /// The object at a position, if it is an open one of that kind.
  func object<T: AnyObject>(_ position: Int, _ kind: HandleKind, as type: T.Type) -> T? {
    host.handles.object(raw(position), kind, as: type)
  }

  /// Self, whose kind the bridge has checked; it may have been closed since.
  package func selfObject<T: AnyObject>(_ kind: HandleKind, as type: T.Type) throws(Misuse) -> T {
    guard let object = host.handles.object(raw(0), kind, as: type) else {
      throw .message("this \(kind.name) is closed")
    }
    return object
  }

  var service: Service {
    get throws(Misuse) { try selfObject(.service, as: Service.self) }
  }

  var resource: Resource {
    get throws(Misuse) { try selfObject(.resource, as: Resource.self) }
  }

  var request: Request {
    get throws(Misuse) { try selfObject(.request, as: Request.self) }
  }

  // MARK: Results

  package func `return`(_ value: LuaValue) {
    let position = Int(frame.pointee.result_count)
    lull_frame_results(frame)[position] = host.writer.encode(value)
    frame.pointee.result_count += 1
  }

  /// Until that time, in Unix seconds, the bridge answers the same call of the same object with nil
  /// itself, unless something changes before.
  func answersAlike(until time: Double) { frame.pointee.answer_until = time }

  /// The receiver itself, for chaining.
  package func returnSelf() {
    let position = Int(frame.pointee.result_count)
    var value = lull_value()
    value.kind = Int32(LULL_STACK)
    value.integer = 1
    lull_frame_results(frame)[position] = value
    frame.pointee.result_count += 1
  }
}

extension Call {
  /// Nothing is returned after all.
  func dropResults() {
    if let results = lull_frame_results(frame) {
      handles.releaseUnclaimed(results, count: Int(frame.pointee.result_count))
    }
    frame.pointee.result_count = 0
  }
}
