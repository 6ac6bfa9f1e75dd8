/// One URL of a service, or one query of a URL: its latest data, its latest error, its requests and
/// its observers.
///
/// Resources are unique within a service. The same absolute URL gives the same object while the
/// object is held (SVC-24 to SVC-26), and the same state as long as the service stores the state.
/// State changes only through loads, overrides, cache hits and wipes, so observers are always
/// notified (STA-17). Home thread only. Lua: `Resource`.
public final class Resource {
  /// The service that the resource belongs to. Lua: `resource.service`.
  public let service: Service
  /// The pump of the service, stored here because it is used often.
  package let pump: Pump
  package let record: ResourceRecord
  /// The handle of this resource in the host of a script; 0 if it has no handle.
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

  /// The absolute URL. It identifies the resource within its service; a query is identified by its
  /// URL and its content. Lua: `resource.url`.
  public var url: ResourceURL { record.url }

  /// The method of the resource's loads.
  package var readMethod: RequestMethod { record.query?.method ?? .get }

  /// The method whose settings apply to the loads of this resource. Queries never have the settings
  /// of POST, even if they are sent by POST. (QUERY-08)
  package var configuredMethod: RequestMethod { record.query == nil ? .get : .query }

  // MARK: State

  /// The data of the last successful load, override or cache hit; nil if there is no data. The
  /// first read of a resource without data starts a lookup in the resource's caches. If the caches
  /// have data, it arrives later (STA-15).
  public var latestData: Entity? {
    pump.checkThread()
    checkCaches()
    return record.state.latestData
  }

  /// The error of the last load. Any success sets it to nil. (STA-07)
  public var latestError: RequestError? {
    pump.checkThread()
    return record.state.latestError
  }

  /// The timestamp of the data or the error, whichever is later, in Unix seconds; 0 if there is
  /// neither. (STA-08)
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

  /// Whether the resource is up to date: no load is needed, because its data, or a recent error, is
  /// fresh enough. (LOAD-24) While the service is offline, data of any age is up to date.
  public var isUpToDate: Bool {
    if case .nothing = loadPlan(isJoining: false).step { true } else { false }
  }

  /// The loads in progress, in the order in which they were started. Lua: `resource.load_requests`.
  public var loadRequests: [Request] {
    pump.checkThread()
    return record.loadRequests
  }
  /// All requests in progress, loads included, in the order in which they were started. Lua:
  /// `resource.all_requests`.
  public var allRequests: [Request] {
    pump.checkThread()
    return record.allRequests
  }

  /// The URL, relative to the base URL, with flags in brackets: L for loading, D for data, E for
  /// error. (STA-16)
  package var shortDescription: String { described(as: displayName) }

  private func described(as name: String) -> String {
    var flags = ""
    if isLoading { flags += "L" }
    if record.state.latestData != nil { flags += "D" }
    if record.state.latestError != nil { flags += "E" }
    return name + " [" + flags + "]"
  }

  /// The same text as `shortDescription`. For a query, it also contains the beginning of the
  /// content.
  package var shownDescription: String {
    described(as: name(record.query?.summary))
  }

  package var displayName: String { name(record.query?.label) }

  private func name(_ query: @autoclosure () -> String?) -> String {
    switch record.invalidSource {
    case nil:
      LogText.url(url.abbreviated(base: service.baseURL)) + (query().map { " " + $0 } ?? "")
    case .missing: "<no URL>"
    case .unparsable(let source): "<invalid URL: \(CredentialMask.malformedURL(source))>"
    }
  }
}

extension Resource {
  /// The settings for the loads of this resource: for GET requests, or for the requests of a query.
  /// (CFG-08, QUERY-08)
  public var configuration: Configuration { configuration(for: configuredMethod) }

  /// Returns the settings for requests with the given method. The configuration blocks of the
  /// service determine these settings.
  ///
  /// The settings are computed when they are first needed, and again after each call of `configure`
  /// or `invalidateConfiguration` (CFG-12, CFG-13). If a block throws, the settings of this block
  /// are missing, and every request with that method fails with the block's error. A method without
  /// a constant in `RequestMethod` has the settings of GET, and the settings of blocks that list
  /// the method (CFG-16). Home thread only. Lua: `service:configuration_for(resource, method)`.
  public func configuration(for method: RequestMethod) -> Configuration {
    pump.checkThread()
    return resolvedConfiguration(for: method).settings
  }

  /// The configuration for the loads of this resource, with all values that are derived from the
  /// settings.
  package var resolvedConfiguration: ResolvedConfiguration {
    resolvedConfiguration(for: configuredMethod)
  }

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

/// Functions that the command and API files use, and that scripts can't call.
extension Resource {
  /// Starts a load whose request is edited by `requestMutation`. The mutation does not apply to
  /// later loads. (LOAD-01 to LOAD-04, MUT-01)
  package func load(requestMutation: @escaping RequestMutation) -> Request {
    checkCaches()
    let request = prepared(
      readMethod, revalidation: .sending(condition), adHoc: AdHocMutation(requestMutation))
    load(using: request)
    return request.start()
  }

  /// Builds a request as it would be sent, and returns it. Does not call decorators. Does not send
  /// the request and does not list it in `allRequests`.
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

/// Functions that return other resources of the same service. These functions load nothing and
/// compute no configuration (SVC-34). The same URL always gives the same resource (SVC-25). From an
/// invalid resource, these functions return an invalid resource with the same cause (PATH-31).
extension Resource {
  /// Returns the resource at `path` below the path of this resource. The paths are joined with
  /// exactly one slash. Dot segments are kept unchanged, characters that a path can't contain are
  /// percent-encoded, and the query of this resource is kept. (PATH-01 to PATH-08) Lua:
  /// `resource:child(path)`.
  public func child(_ path: String) -> Resource {
    var path = path
    return path.withUTF8 { child(pathBytes: $0) }
  }

  /// Returns the resource at `path` below the path of this resource. The path need not be UTF-8.
  /// (SVC-41)
  package func child(pathBytes path: UnsafeBufferPointer<UInt8>) -> Resource {
    guard record.invalidSource == nil else { return self }
    if let secretURL = record.secretURL {
      return derived(secretURL) { $0.appending(pathBytes: path) }
    }
    return service.resource(at: url.appending(pathBytes: path))
  }

  /// Returns the resource to which `href` refers, relative to the URL of this resource. If `href`
  /// can't be resolved, the result is an invalid resource, whose requests fail. (PATH-09 to
  /// PATH-18) Lua: `resource:relative(href)`.
  public func relative(_ href: String) -> Resource {
    var href = href
    return href.withUTF8 { relative(hrefBytes: $0) }
  }

  /// Returns the resource to which `href` refers, relative to the URL of this resource. `href` need
  /// not be UTF-8. (SVC-41)
  package func relative(hrefBytes href: UnsafeBufferPointer<UInt8>) -> Resource {
    guard record.invalidSource == nil else { return self }
    let base = record.secretURL?.escaped ?? url
    guard let target = base.relative(hrefBytes: href) else {
      return service.invalidResource(.unparsable(ResourceURL.text(ofBytes: href)))
    }
    if let secretURL = record.secretURL, target.hasSameQuery(as: base) {
      // The query is unchanged, so every secret is still in its parameter. (PATH-16)
      return derived(secretURL) { _ in target }
    }
    return linked(target)
  }

  /// Returns the resource to which `href` refers, in the same way as `relative`; nil if `href` is
  /// nil. (PATH-19) Lua: `resource:optional_relative(href)`.
  public func optionalRelative(_ href: String?) -> Resource? {
    href.map { relative($0) }
  }

  /// Returns the resource at this URL with a query parameter set. If `value` is nil, the parameter
  /// is removed. All parameters are sorted by name. A parameter with an empty value is written as
  /// its name alone. (PATH-20 to PATH-25, PATH-28 to PATH-30) Lua: `resource:with_param(name,
  /// value)`.
  public func withParam(_ name: String, _ value: String?) -> Resource {
    withParams([(name, value)])
  }

  /// Returns the resource at this URL with several query parameters set. A parameter whose value is
  /// nil is removed. (PATH-26, PATH-27) Lua: `resource:with_params{ name = value }`.
  public func withParams(_ params: [String: String?]) -> Resource {
    withParams(params.map { ($0.key, $0.value) })
  }

  /// Returns the resource at this URL with several query parameters set, in the order of `changes`.
  /// A parameter whose value is nil is removed. If a name occurs twice, the last value is used.
  package func withParams(_ changes: [(String, String?)]) -> Resource {
    withParams(raw: changes.map { ($0.0.utf8, $0.1?.utf8) })
  }

  /// Returns the resource at this URL with several query parameters set, in the order of `changes`.
  /// A parameter whose value is nil is removed. Names and values need not be UTF-8. (SVC-41)
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

/// Overrides of the content, one method for each type. Each method replaces the content in the same
/// way as `overrideLocalContent(with:)` with a `Content`:
/// - Observers get newData(localOverride) during the call.
/// - Content type and headers are kept, and the age is set to zero.
/// - Loads in flight continue, and nothing is sent.
///
/// Home thread only. (OVR-07 to OVR-12, OVR-160) Lua: `resource:override_local_content(x)`.
extension Resource {
  /// Replaces the content with JSON, for example after an update to which the server returned no
  /// body.
  ///
  /// If the value contains a number that JSON can't represent, such as NaN, the `JSONValue` itself
  /// becomes the content. `jsonDict` and `typedContent()` return the same results for this content.
  /// (OVR-161)
  public func overrideLocalContent(with json: JSONValue) {
    overrideLocalContent(with: Content(json: json))
  }

  /// Replaces the content with a JSON object whose members are sorted by key.
  ///
  ///     var content = user.jsonDict
  ///     content["name"] = "Ann"
  ///     user.overrideLocalContent(with: content)
  public func overrideLocalContent(with object: [String: JSONValue]) {
    overrideLocalContent(with: Content(json: JSONValue(sorting: object)))
  }

  /// Replaces the content with a JSON array.
  public func overrideLocalContent(with array: [JSONValue]) {
    overrideLocalContent(with: Content(json: .array(array)))
  }

  /// Replaces the content with text. JSON text is not parsed.
  public func overrideLocalContent(with text: String) {
    overrideLocalContent(with: Content.text(text))
  }

  /// Replaces the content with raw bytes, which are not parsed.
  // Disfavoured, so that an array literal of numbers is JSON, not bytes.
  @_disfavoredOverload
  public func overrideLocalContent(with bytes: [UInt8]) {
    overrideLocalContent(with: Content.bytes(bytes))
  }

  /// Replaces the content with an `Encodable` value.
  ///
  /// If the present content is a value of the same type that a transformer has made, the new value
  /// itself becomes the content. Otherwise the new value is encoded as JSON, which `fresh` and
  /// `decoded` can read. Text, bytes and a `JSONValue` become content in the same way as with the
  /// methods for these types. (OVR-160)
  ///
  ///     user.overrideLocalContent(with: User(id: 7, name: "Ann"))
  ///
  /// - Throws: A `RequestError` whose cause is `invalidJSONObject` with the coding path, or
  ///   `custom` with the error thrown by `encode(to:)`. If it throws, the resource is unchanged.
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
  /// Creates JSON content. If the value can't be written as JSON text, the content is the
  /// `JSONValue` itself.
  fileprivate init(json: JSONValue) {
    do throws(JSONError) {
      self = .json(try JSONDocument(parsing: try json.encode()))
    } catch {
      self = .value(json)
    }
  }
}

extension JSONValue {
  /// Creates a JSON object from a dictionary. Its members are sorted, because a dictionary has a
  /// different order in each process. (COD-63)
  fileprivate init(sorting object: [String: JSONValue]) {
    self = .object(
      object.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { Member($0, $1) })
  }
}

extension Resource {
  /// Replaces the data with `entity`, unchanged. The pipeline is not run, and loads in flight
  /// continue. Observers get newData(localOverride). (OVR-01 to OVR-06, OVR-11)
  public func overrideLocalData(with entity: Entity) {
    pump.checkThread()
    overridden(record.state.override(with: entity, now: pump.clock.now))
  }

  /// Replaces the content of the data. Keeps the content type and headers of the data, and sets its
  /// age to zero. (OVR-07 to OVR-10)
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

  /// Marks the resource as stale, so that the next `loadIfNeeded` loads the resource. Starts no
  /// load and sends no event. The cache entries of the resource become stale too, also for other
  /// processes. (INV-01 to INV-59)
  public func invalidate() {
    pump.checkThread()
    record.state.invalidate(at: pump.nextPlace())
    expireInCaches()
  }

  /// Marks the resource as stale, because a response shows that the resource has changed on the
  /// server. Sends no event. (AGE-07)
  ///
  /// - Parameter isLoad: Whether that response becomes the data. If so, only cache entries and
  ///   responses to earlier requests become stale.
  func expire(at place: UInt64, isLoad: Bool) {
    if isLoad { record.state.expired(at: place) } else { record.state.invalidate(at: place) }
    expireInCaches()
  }

  /// Marks the queries of this URL as stale, in memory and in caches, because a request has changed
  /// the resource at this URL on the server. (QUERY-20; RFC 9111, section 4.4)
  ///
  /// - Parameter loaded: A query that is not marked, because its own response is the change; nil if
  ///   there is no such query.
  func expireQueries(at place: UInt64, except loaded: ResourceRecord? = nil) {
    guard record.invalidSource == nil else { return }
    for record in service.table.queries(of: url) where record !== loaded {
      service.resource(of: record).expire(at: place, isLoad: false)
    }
    let now = pump.clock.now
    for stage in resolvedConfiguration.caches where stage.cache is any QueryCache {
      CacheEntry(stage, resource: self)?.expireQueries?(now)
    }
  }

  /// Cancels every request of this resource and removes its data and error. Observers are kept and
  /// get newData(wipe) during the call. A response that has arrived but was not delivered has no
  /// effect any more. Cache entries are kept, and the caches are read again (WIPE-01 to WIPE-08).
  /// Lua: `resource:wipe()`.
  public func wipe() {
    pump.checkThread()
    let requests = record.allRequests + record.loadRequests
    record.allRequests = []
    record.loads = []
    // The state is cleared before hooks and observers are called. If they start a load, it begins
    // after the wipe.
    let event = record.state.wipe()
    stateChanged()
    stopCacheCheck()
    for updates in record.updates { updates.drop() }
    for request in requests { request.cancel() }
    notify(event)
    checkCachesIfObserved()
  }

  /// Notifies the host that data or error has changed. Called before observers are notified.
  func stateChanged() {
    pump.host?.resourceStateChanged(self)
  }
}

extension Resource: Hashable {
  /// Returns whether both resources are the same object. For each service and URL there is only one
  /// object while the object is held. Two services have separate resources. (SVC-24, SWF-161)
  public static func == (one: Resource, other: Resource) -> Bool { one === other }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Resource: CustomStringConvertible {
  /// The URL without credentials, and the state, for example `https://api.test/users/7 has data, is
  /// loading`. (STA-16) Reading this property does not start a cache lookup. In Lua, `tostring`
  /// returns a shorter text, like Siesta's `Resource(…)[LD]`.
  public var description: String {
    let name = record.invalidSource == nil ? LogText.url(url.text) : displayName
    var parts: [String] = []
    if let query = record.query { parts.append("is \(query.summary)") }
    if record.state.latestData != nil { parts.append("has data") }
    if let error = record.state.latestError { parts.append("failed: \(error.userMessage)") }
    if parts.isEmpty { parts.append("has no data") }
    if isLoading { parts.append("is loading") }
    return name + " " + parts.joined(separator: ", ")
  }
}
