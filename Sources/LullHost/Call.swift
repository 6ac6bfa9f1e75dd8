package import CLullBridge
package import LullCore
import LullLuaSource

/// One call of a Lull function or member by Lua code: its arguments, its results, and the parts of
/// the host that the implementation needs. The value is valid only during the call.
package struct Call {
  // There is only one reference to the host, because a `Call` is created for every operation of a
  // script.
  private let host: LuaHost
  let frame: UnsafeMutablePointer<lull_frame>

  init(_ host: LuaHost, _ frame: UnsafeMutablePointer<lull_frame>) {
    self.host = host
    self.frame = frame
  }

  // MARK: Parts of the host

  var environment: any HostEnvironment { host.environment }
  var bridge: BridgeRuntime { host.bridge }
  package var handles: ObjectHandles { host.handles }
  package var stored: StoredValues { host.stored }
  package var values: ScriptValues { host.values }
  var coroutines: Coroutines { host.coroutines }
  var requests: RequestsInFlight { host.requests }
  var loop: ScriptLoop { host.loop }
  var sources: ChunkSources { host.sources }
  package var permissions: Permissions { host.permissions }
  package var reading: ScriptReading { host.reading }
  package var callbacks: Callbacks { host.callbacks }
  var session: SessionKeeper { host.session }
  var tasks: Tasks { host.tasks }
  var reporter: Reporter { host.reporter }
  var statistics: [(name: String, count: Int)] { host.statistics }
  package var pump: Pump { host.pump }

  /// Returns the object in which an extension keeps its state for this host.
  package func part<Part: HostExtension>(_ type: Part.Type) -> Part { host.part(type) }

  // MARK: Arguments

  /// The number of arguments, including self.
  var count: Int { Int(frame.pointee.argument_count) }

  package var state: OpaquePointer? { frame.pointee.L }

  /// Returns the argument at a position. Position 0 is self, or the first argument of a module
  /// function. Returns nil beyond the last argument.
  package func raw(_ position: Int) -> lull_value {
    guard position < count, position < Int(LULL_MAX_ARGUMENTS) else { return lull_value() }
    return lull_frame_arguments(frame)[position]
  }

  package func isNil(_ position: Int) -> Bool { raw(position).kind == Int32(LULL_NIL) }

  // MARK: Arguments with a type checked by the bridge

  /// Returns the string argument at a position for display, with invalid UTF-8 escaped.
  package func string(_ position: Int) -> String { raw(position).string ?? "" }

  /// Returns the string argument at a position. Throws if it is not valid UTF-8.
  ///
  /// - Parameter number: the number of the argument in error messages. It must be given if there is
  ///   no self.
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

  /// Returns the stack index of the argument at a position.
  package func index(_ position: Int) -> Int32 { Int32(position + 1) }

  /// Returns the object in the argument at a position. Returns nil if the argument is not an object
  /// of that kind, or if the object is closed.
  func object<T: AnyObject>(_ position: Int, _ kind: HandleKind, as type: T.Type) -> T? {
    host.handles.object(raw(position), kind, as: type)
  }

  /// Returns the object on which the member is called. The bridge has checked the kind of the
  /// object. Throws if the object has been closed since that check.
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
    lull_frame_results(frame)[position] = host.bridge.encode(value)
    frame.pointee.result_count += 1
  }

  /// Allows the bridge to return nil without calling Swift if this call is repeated on the same
  /// object. The permission ends at the given time, in seconds since 1970, or as soon as anything
  /// changes.
  func answersAlike(until time: Double) { frame.pointee.answer_until = time }

  /// Returns self to the script, so that calls can be chained.
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
  /// Discards the results that the call has set so far.
  func dropResults() {
    if let results = lull_frame_results(frame) {
      handles.releaseUnclaimed(results, count: Int(frame.pointee.result_count))
    }
    frame.pointee.result_count = 0
  }
}

extension Call {
  /// Adds a hook to the request that is self. The hook is the function in the first argument. If
  /// the request's hooks have not been called yet, the request's userdata keeps the function alive.
  /// Otherwise the function is pinned until it has been called.
  func addHook(_ name: String, _ attach: (Request, ScriptHook) -> Void) throws(Misuse) {
    let request = try request
    let id = try stored.keep(state, index(1))
    let isLate = request.lifecycle.hooksDelivered
    if isLate {
      _ = stored.pin(id)
    } else if lull_value_anchor_to_object(bridge.pointer, request.mark.handle, id, id) != 0 {
      throw .message("not enough memory")
    }
    attach(request, ScriptHook(id, name, of: request, callbacks))
    // Unpins the function after the hook was due, whether or not the hook's condition applied.
    if isLate { request.onCompletion { [unowned stored] _ in stored.unpin(id) } }
    returnSelf()
  }
}

extension Call {
  /// Returns the resource whose path is the first argument. The path may contain any bytes.
  package func resource(below service: Service) -> Resource {
    noteQuery(inPath: raw(1))
    return raw(1).withBytes { service.resource(pathBytes: $0) } ?? service.resource("")
  }

  /// Returns the resource of a service for the string argument at a position: a URL with scheme and
  /// host, or a path below the base URL. (CFG-120)
  func resource(called position: Int, of service: Service) -> Resource {
    if let text = raw(position).urlText, let url = ResourceURL(absolute: text), !url.host.isEmpty {
      return service.resource(absoluteURL: text)
    }
    noteQuery(inPath: raw(position))
    return raw(position).withBytes { service.resource(pathBytes: $0) } ?? service.resource("")
  }

  /// Returns the link in the argument at a position. Returns nil if the argument is nil or JSON's
  /// null, because the content from which it was read may not have the link. (PATH-19)
  func optionalLink(_ position: Int) throws(Misuse) -> lull_value? {
    let value = raw(position)
    switch Int(value.kind) {
    case Int(LULL_NIL), Int(LULL_NULL): return nil
    case Int(LULL_STRING): return value
    default: throw .argument(position, "string expected, got \(value.typeName)")
    }
  }

  /// Warns about a path that seems to end with a query, and about a path that ends in a float such
  /// as `5.0`. A `?` in a path is sent as `%3F`, so the server will not find the resource. (SVC-11,
  /// SVC-42)
  func noteQuery(inPath path: lull_value) {
    noteFloat(inPath: path)
    guard let pair = path.withBytes({ PathQuery.first(in: $0) }) ?? nil, let place else { return }
    warn(
      "'?' is part of the path here, and sent as %3F: for a query write "
        + ":with_param(\"\(pair.name)\", \"\(pair.value)\")", at: place)
  }

  private func warn(_ text: String, at place: SourcePlace) {
    if let checker = permissions.checker {
      checker.note(text, at: place)
    } else {
      reporter.warnings.warn(text, at: place)
    }
  }

  /// Warns about a path that ends in a float which was calculated on the same line. For example,
  /// `"/users/" .. 10/2` is `/users/5.0`. (SVC-150)
  private func noteFloat(inPath path: lull_value) {
    guard let number = path.withBytes({ Call.floatAtEnd(of: $0) }) ?? nil, let place,
      let source = sources.source(named: place.file), let text = sources.text(of: source),
      place.line > 0
    else { return }
    let lines = text.split(
      separator: 10, maxSplits: place.line, omittingEmptySubsequences: false)
    guard place.line <= lines.count,
      LuaToken.all(in: lines[place.line - 1]).contains(where: { $0.isSymbol("/") })
    else { return }
    warn(
      "the path ends in \(number).0, because / returns a float: use // or math.tointeger for "
        + "\(number)", at: place)
  }

  /// Returns the digits before `.0` if the last segment of the path consists of digits and `.0`;
  /// otherwise nil.
  private static func floatAtEnd(of path: UnsafeBufferPointer<UInt8>) -> String? {
    guard path.count > 3, path.suffix(2).elementsEqual(".0".utf8) else { return nil }
    let segment =
      path.dropLast(2).split(
        separator: UInt8(ascii: "/"), omittingEmptySubsequences: false
      ).last ?? path[..<0]
    guard !segment.isEmpty, segment.count < 16, segment.allSatisfy({ (48...57).contains($0) })
    else { return nil }
    return String(decoding: segment, as: UTF8.self)
  }

  /// Returns a resource to the script as the result of a navigation. If the resource is outside the
  /// base URL and a checker inspects the script, the checker is notified.
  package func lead(to resource: Resource) {
    if let checker = permissions.checker, let place, let base = resource.service.baseURL,
      resource.url.climbs(above: base)
    {
      checker.note(
        "\(LogText.url(resource.url.text)) leads above the base URL \(LogText.url(base.text)): its "
          + "dot segments are sent unchanged, and the server resolves them", at: place)
    }
    `return`(values.of(resource))
  }
}

extension Call {
  /// Implements the methods that send a request. The argument at index `body` is the request body.
  /// The argument after it is a table of options or a mutation function.
  func sendRequest(_ method: RequestMethod, body: Int) throws(Misuse) {
    let resource = try resource
    let parsed = try reading.bodies.body(self, body)
    let adHoc = try RequestOptions.edit(self, body + 1)
    let request: Request
    switch parsed {
    case .failure(let failure)?:
      request = resource.failedBeforeSending(failure.cause, method: method)
    case .success(let body)?:
      request = resource.request(method, body: body, adHoc: adHoc)
    case nil:
      request = resource.request(method, body: nil, adHoc: adHoc)
    }
    self.return(values.of(request))
  }

  /// Implements `resource:download(path[, { resume =, headers =, timeout =, mutate = }])`.
  func sendDownload() throws(Misuse) {
    try permissions.refuseInSandbox("download")
    let resource = try resource
    let path = ByteString(try path(1, argument: 1))
    let options = try RequestOptions.ofDownload(self, 2)
    let request = resource.download(to: path, resume: options.resumes, adHoc: options.edit)
    if let label = options.label {
      session.progress.show(request, label.isEmpty ? path.lastName : label)
    }
    self.return(values.of(request))
  }

  /// Implements `resource:cancel_load_if_unobserved([delay [, callback]])` (CAN-01 to CAN-10).
  func cancelLoadIfUnobserved() throws(Misuse) {
    let resource = try resource
    guard let delay = number(1) else { return resource.cancelLoadIfUnobserved() }
    guard delay >= 0, delay.isFinite else {
      throw .argument(1, "a number of seconds, 0 or more, expected, got \(raw(1).described)")
    }
    // The resource's userdata is pinned: it holds the service's userdata, and with it all functions
    // of the configuration.
    let userdata = try stored.keep(state, index(0))
    let callback = isNil(2) ? nil : try stored.keep(state, index(2))
    guard stored.pin(userdata) else { throw .message("not enough memory") }
    if let callback, !stored.pin(callback) {
      stored.unpin(userdata)
      throw .message("not enough memory")
    }
    // The script asked for the timer, so the timer keeps the script alive.
    loop.timerBegan()
    resource.cancelLoadIfUnobserved(afterDelay: delay) { [weak loop, weak callbacks] in
      // On a shared pump the timer may outlive the script.
      guard let loop, let callbacks else { return }
      loop.timerEnded()
      defer { callbacks.stored.unpin(userdata) }
      guard let callback else { return }
      let context = RunContext(purpose: "cancel_load_if_unobserved callback") {
        [unowned callbacks] outcome in
        if case .failed(let failure) = outcome {
          callbacks.reporter.report(failure, in: "cancel_load_if_unobserved callback")
        }
      }
      callbacks.coroutines.start(Callable(id: callback), [], context)
      callbacks.stored.unpin(callback)
    }
  }
}

extension ByteString {
  /// The part of a path after its last slash.
  fileprivate var lastName: String {
    String(escaping: bytes.split(separator: UInt8(ascii: "/")).last ?? [])
  }
}
