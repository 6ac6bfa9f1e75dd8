/// One URL of a service: its latest data, its latest error, its requests and observers.
///
/// Resources are unique within a service: the same absolute URL gives the same object while anybody
/// holds it (SVC-24 to SVC-26), and the same state for as long as the service remembers it. State
/// changes only through loads, overrides, cache and wipe, so observers always hear of it (STA-17).
/// Home thread only. Lua: `Resource`.
public final class Resource {
  /// The service it belongs to. Lua: `resource.service`.
  public let service: Service
  /// The service's, which everything asks for.
  package let pump: Pump
  package let record: ResourceRecord
  /// The number a script's host knows this object by; 0 if none.
  package var hostHandle: UInt64 = 0

  package init(service: Service, record: ResourceRecord) {
    self.service = service
    pump = service.pump
    self.record = record
    record.resource = self
  }

  deinit {
    pump.checkThread()
    record.resource = nil
    service.resourceReleased(record)
  }

  /// What makes it this resource and no other. Lua: `resource.url`.
  public var url: ResourceURL { record.url }

  // MARK: State

  /// What the last successful load, override or cache hit left; nil if there is none. The first look
  /// at an untouched resource makes it look into its caches; what they have comes later (STA-15).
  public var latestData: Entity? {
    pump.checkThread()
    checkCaches()
    return record.state.latestData
  }

  /// The last load's failure; nil as soon as anything succeeds. (STA-07)
  public var latestError: RequestError? {
    pump.checkThread()
    return record.state.latestError
  }

  /// The later of data's and error's timestamps, 0 if there is neither. (STA-08)
  public var timestamp: Double {
    pump.checkThread()
    checkCaches()
    return record.state.timestamp
  }

  /// Whether a load is in progress. (STA-04, STA-10)
  public var isLoading: Bool {
    pump.checkThread()
    return !record.loads.isEmpty
  }

  /// Whether any request of this resource is in progress. (STA-03)
  public var isRequesting: Bool {
    pump.checkThread()
    return !record.allRequests.isEmpty
  }

  /// Whether `loadIfNeeded` would find the data, or a recent error, fresh enough. (LOAD-24) Of an offline
  /// service any data is.
  public var isUpToDate: Bool {
    if case .nothing = loadPlan(isJoining: false).step { true } else { false }
  }

  /// Loads under way, in the order they were started. Lua: `resource.load_requests`.
  public var loadRequests: [Request] {
    pump.checkThread()
    return record.loadRequests
  }
  /// Every request under way, loads included, in that order. Lua: `resource.all_requests`.
  public var allRequests: [Request] {
    pump.checkThread()
    return record.allRequests
  }

  /// The URL with the base abbreviated, and flags: L loading, D data, E error. (STA-16)
  package var shortDescription: String {
    var flags = ""
    if isLoading { flags += "L" }
    if record.state.latestData != nil { flags += "D" }
    if record.state.latestError != nil { flags += "E" }
    return displayName + " [" + flags + "]"
  }

  package var displayName: String {
    switch record.invalidSource {
    case nil: LogText.url(url.abbreviated(base: service.baseURL))
    case .missing: "<no URL>"
    case .unparsable(let source): "<invalid URL: \(CredentialMask.malformedURL(source))>"
    }
  }
}

extension Resource {
  /// The settings for GET. (CFG-08)
  public var configuration: Configuration { configuration(for: .get) }

  /// The settings that apply to requests of that method, as the service's blocks have made them.
  ///
  /// They are computed when they are first needed, and again after another `configure` and
  /// `invalidateConfiguration` (CFG-12, CFG-13). A block that throws is left out of them, and every
  /// request of that method fails with its error. Methods that have no name in `RequestMethod` have the
  /// settings of GET, and what blocks add that name them (CFG-16). Home thread only. Lua:
  /// `service:configuration_for(resource, method)`.
  public func configuration(for method: RequestMethod) -> Configuration {
    pump.checkThread()
    return resolvedConfiguration(for: method).settings
  }

  /// GET's, with what is made ready of it.
  package var resolvedConfiguration: ResolvedConfiguration { resolvedConfiguration(for: .get) }

  package func resolvedConfiguration(for method: RequestMethod) -> ResolvedConfiguration {
    service.resolvedConfiguration(for: record, method: method)
  }
}

extension Resource {
  package var wantsProgress: Bool { record.observers.wantsProgress }

  package var isObserved: Bool {
    record.observers.removeDead(resource: self)
    return !record.observers.isEmpty
  }

  package func loadProgressed(to progress: Double) {
    record.observers.broadcastProgress(progress, resource: self)
  }
}

/// What the command and API files ask of a resource beyond what scripts do.
extension Resource {
  /// A load whose request is edited for this time only. (LOAD-01 to LOAD-04, MUT-01)
  package func load(requestMutation: @escaping RequestMutation) -> Request {
    checkCaches()
    let request = prepared(
      .get, revalidation: .sending(condition), adHoc: AdHocMutation(requestMutation))
    load(using: request)
    return request.start()
  }

  /// A request as it would be sent, before decorators; nothing is sent or listed.
  package func built(
    _ method: RequestMethod, body: RequestBody?, requestMutation: RequestMutation?
  ) -> Result<HTTPRequest, RequestError> {
    let edit: AdHocMutation?
    do throws(RequestBodyFailure) {
      edit = try adHoc(body, requestMutation.map { AdHocMutation($0) })
    } catch {
      return .failure(
        RequestError(
          httpStatusCode: nil, entity: nil, cause: error.cause, timestamp: pump.clock.now))
    }
    let request = makeRequest(method, adHoc: edit)
    if let error = request.response?.error { return .failure(error) }
    guard let request = request as? NetworkRequest else {
      return .failure(RequestError(userMessage: "Cannot send request", timestamp: 0))
    }
    return .success(request.httpRequest)
  }
}

/// From one resource to others of the same service. Nothing is loaded and no configuration runs on
/// the way (SVC-34); the same URL is always the same resource (SVC-25). From an invalid resource every
/// way leads to one with the same cause (PATH-31).
extension Resource {
  /// The resource one path below this one: one joining slash, dot segments literal, everything that is
  /// no path character escaped, the query kept. (PATH-01 to PATH-08) Lua: `resource:child(path)`.
  public func child(_ path: String) -> Resource {
    var path = path
    return path.withUTF8 { child(pathBytes: $0) }
  }

  /// The same for a path that need not be UTF-8. (SVC-41)
  package func child(pathBytes path: UnsafeBufferPointer<UInt8>) -> Resource {
    guard record.invalidSource == nil else { return self }
    if let secretURL = record.secretURL {
      return derived(secretURL) { $0.appending(pathBytes: path) }
    }
    return service.resource(at: url.appending(pathBytes: path))
  }

  /// What an `href` means on a page at this URL; an invalid resource, whose requests fail, if it
  /// cannot be resolved. (PATH-09 to PATH-18) Lua: `resource:relative(href)`.
  public func relative(_ href: String) -> Resource {
    var href = href
    return href.withUTF8 { relative(hrefBytes: $0) }
  }

  /// The same for what need not be UTF-8. (SVC-41)
  package func relative(hrefBytes href: UnsafeBufferPointer<UInt8>) -> Resource {
    guard record.invalidSource == nil else { return self }
    let base = record.secretURL?.escaped ?? url
    guard let target = base.relative(hrefBytes: href) else {
      return service.invalidResource(.unparsable(ResourceURL.text(ofBytes: href)))
    }
    if let secretURL = record.secretURL, target.hasSameQuery(as: base) {
      // It is all there, secrets and their places. (PATH-16)
      return derived(secretURL) { _ in target }
    }
    return linked(target)
  }

  /// The same for an `href` that may be missing: nil gives nil. (PATH-19)
  /// Lua: `resource:optional_relative(href)`.
  public func optionalRelative(_ href: String?) -> Resource? {
    href.map { relative($0) }
  }

  /// The resource with a query parameter set, or removed by nil; all parameters sorted by name, an
  /// empty value written as the bare name. (PATH-20 to PATH-25, PATH-28 to PATH-30)
  /// Lua: `resource:with_param(name, value)`.
  public func withParam(_ name: String, _ value: String?) -> Resource {
    withParams([(name, value)])
  }

  /// The resource with several query parameters set, or removed by nil. (PATH-26, PATH-27)
  /// Lua: `resource:with_params{ name = value }`.
  public func withParams(_ params: [String: String?]) -> Resource {
    withParams(params.map { ($0.key, $0.value) })
  }

  /// The same in order: of a name given twice the last counts.
  package func withParams(_ changes: [(String, String?)]) -> Resource {
    withParams(raw: changes.map { ($0.0.utf8, $0.1?.utf8) })
  }

  /// The same of texts that need not be UTF-8. (SVC-41)
  package func withParams<Bytes: Collection<UInt8>>(raw changes: [(Bytes, Bytes?)]) -> Resource {
    guard record.invalidSource == nil else { return self }
    guard let secretURL = record.secretURL else {
      return service.resource(at: url.withParams(raw: changes))
    }
    var secrets = secretURL.values
    for (name, _) in changes {
      for known in secrets.keys where known.utf8.elementsEqual(name) { secrets[known] = nil }
    }
    return service.resource(escaped: secretURL.escaped.withParams(raw: changes), secrets: secrets)
  }
}

/// Local content by what it is. Each replaces the content as `overrideLocalContent(with:)` of a `Content` does:
/// observers get newData(localOverride) during the call, type and headers stay, the age is zero, loads in
/// flight go on, and nothing is sent. Home thread only. (OVR-07 to OVR-12, OVR-160)
/// Lua: `resource:override_local_content(x)`.
extension Resource {
  /// Replaces the content with JSON, as for an update of which the server has returned nothing.
  ///
  /// With a number that JSON does not have, such as NaN, the content is the value itself, which Swift reads
  /// alike: `jsonDict`, `typedContent()`. (OVR-161)
  public func overrideLocalContent(with json: JSONValue) {
    overrideLocalContent(with: Content(json: json))
  }

  /// Replaces the content with a JSON object, its members sorted by key; otherwise as above.
  ///
  ///     var content = user.jsonDict
  ///     content["name"] = "Ann"
  ///     user.overrideLocalContent(with: content)
  public func overrideLocalContent(with object: [String: JSONValue]) {
    overrideLocalContent(with: Content(json: JSONValue(sorting: object)))
  }

  /// Replaces the content with a JSON array; otherwise as above.
  public func overrideLocalContent(with array: [JSONValue]) {
    overrideLocalContent(with: Content(json: .array(array)))
  }

  /// Replaces the content with text; that of JSON is not parsed.
  public func overrideLocalContent(with text: String) {
    overrideLocalContent(with: Content.text(text))
  }

  /// Replaces the content with raw bytes, which nothing parses.
  // A literal of numbers is JSON.
  @_disfavoredOverload
  public func overrideLocalContent(with bytes: [UInt8]) {
    overrideLocalContent(with: Content.bytes(bytes))
  }

  /// Replaces the content with a value of the program's.
  ///
  /// If the content is a value of the same type, as a transformer has made it, the new value takes its place
  /// unchanged. Otherwise it is encoded as JSON, which `fresh` and `decoded` read. Text, bytes and JSON are
  /// what they are above. (OVR-160)
  ///
  ///     user.overrideLocalContent(with: User(id: 7, name: "Ann"))
  ///
  /// - Throws: A `RequestError` whose cause is `invalidJSONObject` with the coding path, or `custom` with
  ///   what its `encode(to:)` has thrown; the resource is unchanged then.
  @_disfavoredOverload
  public func overrideLocalContent(
    with value: some Encodable & Sendable
  ) throws(RequestError) {
    pump.checkThread()
    overrideLocalContent(with: try content(of: value))
  }

  private func content<Value: Encodable & Sendable>(
    of value: Value
  ) throws(RequestError) -> Content {
    switch value {
    case let text as String: return .text(text)
    case let bytes as [UInt8]: return .bytes(bytes)
    case let json as JSONValue: return Content(json: json)
    default: break
    }
    if case .value(let known)? = record.state.latestData?.content, known is Value {
      return .value(value)
    }
    do {
      return .json(try JSONDocument(encoding: value))
    } catch {
      throw RequestError(
        userMessage: "Cannot encode content", cause: RequestError.Cause(encoding: error),
        timestamp: pump.clock.now)
    }
  }
}

extension Content {
  /// JSON, or the value itself where it has no form as JSON text.
  fileprivate init(json: JSONValue) {
    do throws(JSONError) {
      self = .json(try JSONDocument(parsing: try json.encode()))
    } catch {
      self = .value(json)
    }
  }
}

extension JSONValue {
  /// The same in every process, as dictionaries are written. (COD-63)
  fileprivate init(sorting object: [String: JSONValue]) {
    self = .object(
      object.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { Member($0, $1) })
  }
}

extension Resource {
  /// Replaces the data with an entity of the caller's, as it is; pipeline and loads in flight are
  /// not touched. Observers get newData(localOverride). (OVR-01 to OVR-06, OVR-11)
  public func overrideLocalData(with entity: Entity) {
    pump.checkThread()
    overridden(record.state.override(with: entity, now: pump.clock.now))
  }

  /// Replaces the content, keeps content type and headers, age is zero. (OVR-07 to OVR-10)
  public func overrideLocalContent(with content: Content) {
    pump.checkThread()
    overridden(record.state.override(with: content, now: pump.clock.now))
  }

  private func overridden(_ event: ResourceEvent) {
    endCacheCheck()
    for updates in record.updates { updates.drop() }
    removeFromCaches()
    stateChanged()
    notify(event)
  }

  /// Makes the next `loadIfNeeded` load; starts nothing and sends no event. What caches keep of it is stale from
  /// now on, also for other processes. (INV-01 to INV-59)
  public func invalidate() {
    pump.checkThread()
    record.state.invalidate(at: pump.nextPlace())
    expireInCaches()
  }

  /// The server has changed it: what was known of it is stale, without an event. (AGE-07)
  ///
  /// - Parameter isLoad: whether the answer that says so becomes the data.
  func expire(at place: UInt64, isLoad: Bool) {
    if isLoad { record.state.expired(at: place) } else { record.state.invalidate(at: place) }
    expireInCaches()
  }

  /// Cancels every request and forgets data and error; observers stay and get newData(wipe) during
  /// the call. An answer that has come but was not delivered yet changes nothing any more. Cached
  /// entries stay, and the caches are asked again (WIPE-01 to WIPE-08). Lua: `resource:wipe()`.
  public func wipe() {
    pump.checkThread()
    let requests = record.allRequests + record.loadRequests
    record.allRequests = []
    record.loads = []
    // Blank before anybody is told: whoever starts a load when told starts it afterwards.
    let event = record.state.wipe()
    stateChanged()
    stopCacheCheck()
    for updates in record.updates { updates.drop() }
    for request in requests { request.cancel() }
    notify(event)
    checkCachesIfObserved()
  }

  /// Tells the host that data or error is another one now, before observers hear of it.
  func stateChanged() {
    pump.host?.resourceStateChanged(self)
  }
}

extension Resource: Hashable {
  /// Whether both are the same object; of one service and URL there is one while anybody holds it. Two services
  /// have a resource each. (SVC-24, SWF-161)
  public static func == (one: Resource, other: Resource) -> Bool { one === other }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Resource: CustomStringConvertible {
  /// The URL without credentials, and what is there: `https://api.test/users/7 has data, is loading`.
  /// (STA-16) Asks no cache. Siesta's `Resource(…)[LD]` and Lua's `tostring` are shorter.
  public var description: String {
    let name = record.invalidSource == nil ? LogText.url(url.text) : displayName
    var parts: [String] = []
    if record.state.latestData != nil { parts.append("has data") }
    if let error = record.state.latestError { parts.append("failed: \(error.userMessage)") }
    if parts.isEmpty { parts.append("has no data") }
    if isLoading { parts.append("is loading") }
    return name + " " + parts.joined(separator: ", ")
  }
}
