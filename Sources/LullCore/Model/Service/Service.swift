/// A set of resources that share configuration and networking.
///
/// Lua: `lull.service{ base_url = … }`. Home thread only. Open for subclassing (SVC-38).
open class Service {
  final var base: ServiceBase {
    didSet { warning = base.warning }
  }
  /// The name of the service in logs; nil if logs show the base URL instead. Lua: `service.name`.
  public let name: String?
  /// The pump of the service's home, which delivers results and callbacks on the home thread.
  public let pump: Pump
  /// Sends the requests of the service.
  public let networking: any NetworkingProvider
  package let table: ResourceTable
  package private(set) var configurationVersion = 0 {
    // Before the service is in use, no other object depends on it, and it may be configured on the
    // thread that created it.
    didSet { if isInUse { pump.changes.note() } }
  }
  /// Whether the service has created a resource.
  private(set) var isInUse = false
  /// The method and URL for which a configuration is being computed now; nil if no configuration is
  /// being computed.
  package private(set) var configuring: (method: RequestMethod, url: ResourceURL)?
  /// Whether configuration blocks are running for an explanation now.
  package final var isExplaining = false
  /// Whether the service is offline. Loads then use only the data in memory and caches, whatever
  /// the age of the data. If there is no data, a load fails with `TransportError.Kind.offline`.
  /// Every other request fails with the same error before it is sent. Lua: `service.is_offline`.
  public final var isOffline = false {
    willSet { checkThreadInUse() }
    didSet { if isInUse { pump.changes.note() } }
  }
  /// Whether the server has responded that it does not support hashes of GraphQL documents. (GQL-46)
  final var refusesPersistedQueries = false
  /// The environment of an API file that the service is assigned to; nil if the service is not
  /// assigned to an environment. Each environment has its own caches and cookies. (ENV-07)
  package internal(set) final var environment: ServiceEnvironment?
  /// The source positions of the environment's declaration (`whole`) and of its base URL (`base`).
  /// A position is nil if it is unknown; `base` is also nil if the environment has no base URL.
  final var environmentPlaces: (whole: SourcePlace?, base: SourcePlace?) = (nil, nil)
  package internal(set) var entries: [ConfigurationEntry] = []
  private var shared = SharedConfigurations()
  /// The limits that configuration blocks have set; nil until a block sets a limit.
  private var limits: LimitTable?
  /// The warning about an invalid base URL, until it has been logged.
  private var warning: String?
  /// The record of the resource that is returned for a missing URL. (SVC-22)
  private let missing: ResourceRecord
  /// The records of invalid resources that callers have looked up with a text that is not a URL.
  /// They are stored while the records are in use.
  private var unparsable = UnparsableRecords()
  /// The handle of the service in the host of a script; 0 if it has no handle.
  package final var hostHandle: UInt64 = 0
  /// Whether members with the value null are left out of the JSON objects that scripts get.
  /// (JSN-32)
  package final var omitsNulls = false
  /// The script functions that are methods of the service, keyed by name. The numbers are the IDs
  /// of the functions as stored values of the host.
  package final var hostFunctions: [String: Int64] = [:]
  /// The objects that the script functions of the service need. The service retains them, because
  /// it may call the functions.
  package final var hostOwners: [AnyObject] = []
  package final let link = ServiceLink()
  /// The response schemas that an API file declares; nil if it declares none.
  package final var schemas: (any AnswerSchemas)?

  /// The cookies of this service's requests. Used only if the settings of the service store
  /// cookies.
  package private(set) lazy final var cookieJar = CookieJar()

  /// Creates a service on a home. The initialisers of subclasses call this initialiser (SVC-38).
  /// For the home of this thread, pass `.current` as `surroundings`; for another home, pass
  /// `home.surroundings`.
  ///
  /// For the compiler, the new service is not isolated to an actor. To isolate it to its creator,
  /// the subclass declares an initialiser that takes `isolated Home` or the caller's isolation. A
  /// base URL that is not a URL is ignored and logged as a warning (SVC-04, SVC-05).
  public init(
    baseURL: (any URLConvertible)? = nil, name: String? = nil,
    standardTransformers: [StandardTransformer] = [.json, .text],
    networking: (any NetworkingProvider)? = nil, surroundings: HomeSurroundings
  ) {
    let context = surroundings.context
    base = ServiceBase(baseURL)
    self.name = name
    self.networking =
      networking
      ?? (context === HomeContext.current ? context.networking : HomeNetworking(context))
    pump = context.pump
    table = ResourceTable(changes: pump.changes)
    missing = ResourceRecord(url: .invalid, invalidSource: .missing, changes: pump.changes)
    begin(with: standardTransformers)
  }

  /// Creates a service on the given pump. The code that has created the pump has to call
  /// `Pump.turn()`, as in a test. A base URL that is not a URL is ignored and logged as a warning
  /// (SVC-04, SVC-05).
  public init(
    baseURL: (any URLConvertible)? = nil, name: String? = nil,
    standardTransformers: [StandardTransformer] = [.json, .text],
    networking: any NetworkingProvider, pump: Pump
  ) {
    base = ServiceBase(baseURL)
    self.name = name
    self.networking = networking
    self.pump = pump
    table = ResourceTable(changes: pump.changes)
    missing = ResourceRecord(url: .invalid, invalidSource: .missing, changes: pump.changes)
    begin(with: standardTransformers)
  }

  // A service may be created on another thread, so this code does not touch objects that other
  // services of the home use.
  private func begin(with standardTransformers: [StandardTransformer]) {
    table.onForget = { [unowned self] in pump.host?.recordForgotten($0, of: self) }
    table.onDeadObservers = { [unowned self] in removeDeadObserversSoon(of: $0) }
    warning = base.warning
    for transformer in standardTransformers {
      let made = transformer.make()
      register(
        nil, requestMethods: nil, description: made.description, source: nil, isConstant: true
      ) { configuration in
        configuration.pipeline[transformer.stage].add(made)
      }
    }
    if pump.isOnThread { warn() }
    link.set(self)
    pump.countedParts.add(table)
  }

  deinit {
    pump.countedParts.remove(table)
    link.set(nil)
  }

  /// If the service is in use, checks that the calling thread is its home thread. Before it is in
  /// use, the service may be configured on any thread.
  func checkThreadInUse() {
    if isInUse { pump.checkThread() }
  }

  private func warn() {
    guard let warning else { return }
    self.warning = nil
    pump.log(.network, warning)
  }

  /// The URL to which the paths of resources are appended; nil if the service has no base URL. The
  /// path of the base URL ends with a slash. (SVC-01) Lua: `service.base_url`.
  public final var baseURL: ResourceURL? { base.url }

  /// The text that was given as the base URL if it is not a URL; otherwise nil.
  package final var invalidBase: String? { base.invalid }

  // MARK: Resources

  /// Returns the resource at a path below the base URL. The base URL and the path are joined with
  /// exactly one slash, whether or not the path begins with a slash. Characters such as `?` and `%`
  /// are escaped, so that the whole text is part of the path (SVC-07 to SVC-12). Lua:
  /// `service:resource(path)`.
  public func resource(_ path: String) -> Resource {
    var path = path
    return path.withUTF8 { resource(pathBytes: $0) }
  }

  /// Returns the resource at a path below the base URL. The path need not be UTF-8. (SVC-41)
  package func resource(pathBytes path: UnsafeBufferPointer<UInt8>) -> Resource {
    guard let baseURL else {
      warn()
      let source = invalidBase ?? ResourceURL.text(ofBytes: path)
      return invalidResource(source.isEmpty ? .missing : .unparsable(source))
    }
    return resource(at: baseURL.appending(pathBytes: path))
  }

  /// Returns the resource with exactly this URL. For nil or a text that is not a URL, the result is
  /// an invalid resource, whose requests fail (SVC-16 to SVC-22). Lua: `service:resource_at(url)`.
  public func resource(absoluteURL: (any URLConvertible)?) -> Resource {
    guard let text = absoluteURL?.urlText else { return invalidResource(.missing) }
    guard let url = ResourceURL(absolute: text) else {
      return invalidResource(.unparsable(text))
    }
    return resource(at: url)
  }

  /// Returns the resource at a path below `baseURL`, which may differ from the base URL of the
  /// service (SVC-13 to SVC-15). Lua: `service:resource_under`.
  public func resource(baseURL: any URLConvertible, path: String) -> Resource {
    var path = path
    return path.withUTF8 { resource(baseURL: baseURL.urlText, pathBytes: $0) }
  }

  /// Returns the resource at a path below `baseURL`. The path need not be UTF-8. (SVC-41)
  package func resource(baseURL: String, pathBytes path: UnsafeBufferPointer<UInt8>) -> Resource {
    guard let base = ResourceURL.base(baseURL) else { return invalidResource(.unparsable(baseURL)) }
    return resource(at: base.appending(pathBytes: path))
  }

  package func resource(at url: ResourceURL) -> Resource {
    resource(of: record(for: url))
  }

  package func knows(_ url: ResourceURL) -> Bool { table.contains(url) }

  package func record(for url: ResourceURL) -> ResourceRecord {
    pump.checkThread()
    isInUse = true
    return table.record(for: url)
  }

  /// Returns the record of a query. The query has the URL of the record `base`, with the same
  /// secrets in the URL.
  func record(for base: ResourceRecord, _ query: ResourceQuery) -> ResourceRecord {
    pump.checkThread()
    isInUse = true
    let record = table.record(for: base.url, query)
    if record.secretURL == nil { record.secretURL = base.secretURL }
    guard record.secretURL != base.secretURL else { return record }
    // Different secrets of the same name have the same mask, so this URL needs a record of its own.
    let own = ResourceRecord(url: base.url, query: query, changes: pump.changes)
    own.secretURL = base.secretURL
    return own
  }

  package func resourceReleased(_ record: ResourceRecord) { table.resourceReleased(record) }

  package func resource(of record: ResourceRecord) -> Resource {
    pump.checkThread()
    isInUse = true
    return record.resource ?? Resource(service: self, record: record)
  }

  package func invalidResource(_ source: ResourceRecord.InvalidSource) -> Resource {
    guard case .unparsable(let text) = source else { return resource(of: missing) }
    pump.log(
      .network,
      "warning: \(RequestError.Cause.invalidURL(source: text).message)")
    let record = ResourceRecord(url: .invalid, invalidSource: source, changes: pump.changes)
    unparsable.add(record)
    return Resource(service: self, record: record)
  }

  /// Removes the resources that are not in use. A resource is not in use if it is not held, is not
  /// observed and has no request in flight. (SVC-30)
  public func flushUnusedResources() {
    pump.checkThread()
    pump.host?.releaseGarbage()
    for record in table.all where record.observers.hasDead {
      record.observers.removeDead(resource: resource(of: record))
    }
    table.flushUnused()
  }

  /// Removes the observers whose owners have been released. This happens on a later turn, because
  /// observers must not run inside the lookup that caused the eviction. (OBS-28, OBS-37)
  private func removeDeadObserversSoon(of record: ResourceRecord) {
    pump.enqueue { [weak self] in
      guard let self else { return }
      // The resource created here is released at once, which lists the record as unused.
      record.observers.removeDead(resource: resource(of: record))
    }
  }

  // MARK: Configuration

  /// Registers settings for the resources and methods that match. The block does not run now; it
  /// runs when a configuration is computed (CFG-13, CFG-14).
  ///
  /// - Parameters:
  ///   - file: The source file of the registration. Explanations show the file together with
  ///     `line`. By default, both are the position of the caller.
  public func configure(
    _ pattern: ConfigurationPattern? = nil, requestMethods: [RequestMethod]? = nil,
    description: String? = nil, file: String = #fileID, line: Int = #line,
    configurer: @escaping ConfigurationBlock
  ) {
    configure(
      pattern, requestMethods: requestMethods.map { Set($0) }, description: description,
      source: SourcePlace(file: file, line: line), configurer: configurer)
  }

  /// - Parameters:
  ///   - source: The file and line of the registration.
  ///   - isConstant: Whether the block always makes the same changes, for every resource. If so,
  ///     the block need not run for each resource.
  package func configure(
    _ pattern: ConfigurationPattern?, requestMethods: Set<RequestMethod>?, description: String?,
    source: SourcePlace?, isConstant: Bool = false, configurer: @escaping ConfigurationBlock
  ) {
    checkThreadInUse()
    if let odd = requestMethods?.first(where: { !$0.isValid }) {
      preconditionFailure("requestMethods: '\(odd)' is not an HTTP method")
    }
    register(
      pattern, requestMethods: requestMethods, description: description, source: source,
      isConstant: isConstant, configurer: configurer)
    invalidateConfiguration()
  }

  func register(
    _ pattern: ConfigurationPattern?, requestMethods: Set<RequestMethod>?, description: String?,
    source: SourcePlace?, isConstant: Bool, configurer: @escaping ConfigurationBlock
  ) {
    let text = description ?? pattern?.description ?? "custom"
    entries.append(
      ConfigurationEntry(
        pattern: pattern, requestMethods: requestMethods, description: "\(entries.count) (\(text))",
        source: source, isConstant: isConstant, apply: configurer))
  }

  /// Discards computed configurations. They are computed again when they are next needed. (CFG-12)
  public func invalidateConfiguration() {
    checkThreadInUse()
    configurationVersion += 1
    shared.removeAll()
  }

  package func resolvedConfiguration(for record: ResourceRecord, method: RequestMethod)
    -> ResolvedConfiguration
  {
    // Read first, because a block may register another block: the result belongs to the version at
    // the start.
    let version = configurationVersion
    if let known = record.memoised(method, version: version) { return known }
    let configuration: ResolvedConfiguration
    if record.invalidSource != nil {
      configuration = .builtIn()
    } else {
      configuration = computeConfiguration(for: record.url, method: method)
    }
    record.memoise(configuration, method, version: version)
    return configuration
  }

  private func computeConfiguration(for url: ResourceURL, method: RequestMethod)
    -> ResolvedConfiguration
  {
    let outer = configuring
    configuring = (method, url)
    defer { configuring = outer }
    let isLogging = pump.log.enabled.contains(.configuration)
    let isOutside = isOutside(url)
    var computation = ConfigurationComputation(
      version: configurationVersion, isOutside: isOutside, isLogging: isLogging)
    // Logs about configurations are written for each resource, so configurations are not shared
    // while these logs are enabled.
    var isShared = pump.log.enabled.isDisjoint(with: [.configuration, .pipeline])
    // Constant blocks that apply but have not run. If a shared configuration is found, they need
    // not run.
    var waiting: [Int] = []
    let entries = entries
    for (index, entry) in entries.enumerated() {
      do throws(RequestError) {
        guard try entry.applies(to: url, method: method) else { continue }
        waiting.append(index)
        if entry.isConstant { continue }
        isShared = false
        computation.run(waiting, of: entries, limits: limitTable)
        waiting = []
      } catch {
        isShared = false
        computation.note(error)
      }
    }
    if let problem = table.settingProblem {
      isShared = false
      computation.note(RequestError(problem))
    }
    if isShared, let known = shared[waiting, isOutside, computation.version] { return known }
    computation.run(waiting, of: entries, limits: limitTable)
    let settings = computation.settings
    let applied = computation.applied
    let withheld = computation.withheld
    pump.log(
      .configuration,
      "\(method) \(LogText.url(url.text)): \(applied.joined(separator: ", "))"
        + (withheld.isEmpty
          ? ""
          : "; not on the origin of the base URL, so without "
            + withheld.joined(separator: ", "))
        + LogText.dump(settings))
    for key in settings.pipeline.omittedStages {
      pump.log(
        .pipeline,
        "warning: \(method) \(LogText.url(url.text)): the pipeline's order leaves out the stage "
          + "'\(key.description)', whose transformers will not run")
    }
    let configuration = ResolvedConfiguration(
      environment.map { settings.kept(apart: $0.name) } ?? settings, failure: computation.failure)
    if isShared { shared[waiting, isOutside, computation.version] = configuration }
    return configuration
  }

  /// Returns whether a URL is on another origin than the base URL; false without a base URL.
  package func isOutside(_ url: ResourceURL) -> Bool { base.isOutside(url) }

  /// Returns the queue in which requests of a resource wait for their limits; nil if there are no
  /// limits.
  package func limitQueue(_ rules: Policies.Rules, for resource: Resource) -> LimitQueue? {
    guard rules.ratePattern != nil else { return rules.queue }
    return limitTable().queue(
      for: rules, origin: resource.url.origin, environment: environment?.name,
      version: configurationVersion
    ) { source in
      resource.resolvedConfiguration.senders.identity(
        with: resource.record.secretURL?.values ?? [:], now: pump.clock.uptime
      ) { source.identity(of: resource.senderCredentials) }
    }
  }

  private func limitTable() -> LimitTable {
    let limits = limits ?? LimitTable(pump: pump)
    self.limits = limits
    return limits
  }

  /// Removes every resource, even if it is in use. Called when the host closes.
  package func forgetAll() {
    table.removeAll()
    shared.removeAll()
    missing.dropRequests()
    unparsable.dropRequests()
  }
}

/// The base URL of a service; or, if the given text is not a URL, a warning.
struct ServiceBase {
  let url: ResourceURL?
  /// The given text if it is not a URL; otherwise nil.
  let invalid: String?
  /// The origin of the base URL, with a slash. Every URL on this origin that is spelled like the
  /// base URL begins with this text.
  private let origin: String?

  init(_ text: (any URLConvertible)?) {
    let text = text?.urlText
    url = text.flatMap { ResourceURL.base($0) }
    invalid = url == nil ? text : nil
    origin = url.map { $0.origin + "/" }
  }

  var warning: String? {
    invalid.map { text in
      let message = RequestError.Cause.invalidURL(source: text).message
      return "warning: \(message); the service has no base URL"
    }
  }

  /// Returns whether a URL is on another origin than the base URL; false without a base URL.
  func isOutside(_ other: ResourceURL) -> Bool {
    guard let origin else { return false }
    return !other.text.utf8.starts(with: origin.utf8) && other.origin + "/" != origin
  }
}

/// A reference to a service for objects that must not retain the service. It becomes nil when the
/// service is released.
///
/// Used instead of weak references, which would slow down every use of the service. Home thread
/// only.
package final class ServiceLink {
  // The service's initialiser sets it and its `deinit` clears it, so it never outlives the object.
  package fileprivate(set) unowned(unsafe) var service: Service?

  init() {}

  func set(_ service: Service?) { self.service = service }
}

extension Service {
  /// Assigns the service to an environment. Call this method before the service creates its first
  /// resource, because the environment may change the base URL.
  ///
  /// - Parameters:
  ///   - url: The new base URL; nil if the base URL is not changed. Patterns that were registered
  ///     before become relative to the new base URL.
  ///   - place: The source position of the environment's declaration.
  ///   - basePlace: The source position of the environment's base URL.
  /// - Returns: Whether the service was assigned; false if `url` is not nil and the service has
  ///   created a resource.
  package func enter(
    _ environment: ServiceEnvironment, baseURL url: String?, place: SourcePlace? = nil,
    basePlace: SourcePlace? = nil
  ) -> Bool {
    if let url, !rebase(to: url) { return false }
    self.environment = environment
    environmentPlaces = (place, basePlace)
    invalidateConfiguration()
    return true
  }

  /// Changes the base URL of the service. Registered patterns become relative to the new base URL.
  ///
  /// - Returns: Whether the base URL was changed; false if the service has created a resource.
  package func rebase(to url: String) -> Bool {
    guard !isInUse else { return false }
    base = ServiceBase(url)
    entries = entries.map { $0.rebased(below: base.url) }
    invalidateConfiguration()
    return true
  }

  /// Registers the settings of the service's environment. They override settings that were
  /// registered before.
  package func configure(
    for environment: ServiceEnvironment, configurer: @escaping ConfigurationBlock
  ) {
    register(
      nil, requestMethods: nil, description: "environment \(environment.name)",
      source: environmentPlaces.whole, isConstant: true, configurer: configurer)
    entries[entries.count - 1].environment = environment.name
    invalidateConfiguration()
  }
}

extension Service {
  /// Creates a service on the given home. Without a home, the service is created on the home of
  /// this thread, inside `Lull.run` or on a `Home`. The service uses the network of the home unless
  /// `networking` is given. (SVC-36)
  ///
  /// The compiler isolates the service to the actor that creates the service. The service may be
  /// used only on its home; using it on another thread ends the program with a message. Pass a home
  /// if the service is created on another thread, for example by an actor that stores the service
  /// and uses the home's executor. If no home is given and this thread has no home, this call is a
  /// programming error and ends the program. A base URL that is not a URL is ignored and logged as
  /// a warning (SVC-04, SVC-05). Subclasses call the initialiser with `surroundings`. Lua:
  /// `lull.service(url)`.
  // Not a designated initialiser, because the compiler (6.3) crashes if a class inherits a default
  // argument `#isolation`.
  public convenience init(
    baseURL: (any URLConvertible)? = nil, name: String? = nil, on home: (any ServiceHome)? = nil,
    standardTransformers: [StandardTransformer] = [.json, .text],
    networking: (any NetworkingProvider)? = nil, isolation: isolated (any Actor)? = #isolation
  ) {
    self.init(
      baseURL: baseURL, name: name, standardTransformers: standardTransformers,
      networking: networking, surroundings: home?.surroundings ?? .current)
  }
}

/// Functions that select resources by a pattern. The pattern may have any form; see
/// `ConfigurationPatternConvertible`.
extension Service {
  /// Registers settings for the resources that match a pattern. The block does not run now; it runs
  /// when a configuration is computed (CFG-13). Lua: `service:configure(pattern, settings)`.
  ///
  ///     api.configure("/volcanos/*/status") { $0.expirationTime = 0.5 }
  ///     api.configure("/auth/**", requestMethods: [.post]) { $0.limits.timeout = 5 }
  ///
  /// - Parameters:
  ///   - requestMethods: The methods that the settings apply to; nil for all methods. A method
  ///     without a constant in `RequestMethod` uses the settings for GET, and the settings of
  ///     blocks that list the method. (CFG-07, CFG-16)
  ///   - description: The name of the block in logs. Without it, logs show the pattern.
  ///   - file: The source file of the registration. Explanations show the file together with
  ///     `line`. By default, both are the position of the caller.
  public func configure(
    _ pattern: some ConfigurationPatternConvertible, requestMethods: [RequestMethod]? = nil,
    description: String? = nil, file: String = #fileID, line: Int = #line,
    configurer: @escaping ConfigurationBlock
  ) {
    let pattern: ConfigurationPattern? = pattern.configurationPattern(for: self)
    configure(
      pattern, requestMethods: requestMethods, description: description, file: file, line: line,
      configurer: configurer)
  }

  /// Registers settings for the resources whose URL satisfies a predicate. (CFG-06) If the
  /// predicate throws, the block is skipped and requests fail with the predicate's error.
  public func configure(
    whenURLMatches predicate: @escaping (ResourceURL) throws(RequestError) -> Bool,
    requestMethods: [RequestMethod]? = nil, description: String? = nil,
    file: String = #fileID, line: Int = #line, configurer: @escaping ConfigurationBlock
  ) {
    let pattern: ConfigurationPattern? = .predicate("custom", predicate)
    configure(
      pattern, requestMethods: requestMethods, description: description, file: file, line: line,
      configurer: configurer)
  }

  /// Returns whether a configuration block with the given description is registered.
  package func hasConfiguration(describedAs text: String) -> Bool {
    entries.contains { $0.description.hasSuffix(" (\(text))") }
  }

  /// Flushes unused resources. Then wipes those resources in memory that match a pattern. (WIPE-09
  /// to WIPE-14) If the pattern has a predicate that throws for a resource, this resource does not
  /// match; to get the error, pass a `ConfigurationPattern`. Lua:
  /// `service:wipe_resources(pattern)`.
  public func wipeResources(matching pattern: some ConfigurationPatternConvertible) {
    let pattern = pattern.configurationPattern(for: self)
    wipeResources(matching: { (try? pattern.matches($0.url)) ?? false })
  }

  /// Flushes unused resources. Then wipes those resources in memory whose URL satisfies a
  /// predicate. (WIPE-12)
  public func wipeResources(withURLsMatching predicate: (ResourceURL) -> Bool) {
    wipeResources(matching: { predicate($0.url) })
  }

  /// Invalidates the resources in memory that match a pattern. Then flushes unused resources. If
  /// the pattern has a predicate that throws for a resource, this resource does not match; to get
  /// the error, pass a `ConfigurationPattern`. (INV-01 to INV-08) Lua:
  /// `service:invalidate_resources(pattern)`.
  public func invalidateResources(matching pattern: some ConfigurationPatternConvertible) {
    let pattern = pattern.configurationPattern(for: self)
    invalidateResources(matching: { (try? pattern.matches($0.url)) ?? false })
  }
}

extension Service: CustomStringConvertible {
  /// The type, the name and the base URL without credentials, for example
  /// `Service shop at https://api.test/v1/`. (SWF-160)
  /// The text contains no information about the service's resources. Home thread only. In Lua,
  /// `tostring(service)` returns a shorter text.
  public final var description: String {
    let place = baseURL.map { "at \(LogText.url($0.text))" } ?? "without a base URL"
    return "\(type(of: self)) " + (name.map { "\($0) " } ?? "") + place
  }
}
