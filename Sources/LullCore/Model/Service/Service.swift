/// A set of resources with shared configuration and networking.
///
/// Lua: `lull.service{ base_url = … }`. Home thread only. Open for subclassing (SVC-38).
open class Service {
  final var base: ServiceBase {
    didSet { warning = base.warning }
  }
  /// What logs call it; nil: by its base. Lua: `service.name`.
  public let name: String?
  /// What delivers results and callbacks on its thread.
  public let pump: Pump
  /// What its requests are sent by.
  public let networking: any NetworkingProvider
  package let table: ResourceTable
  package private(set) var configurationVersion = 0 {
    // Before its first use nothing depends on it, and it may be configured where it was made.
    didSet { if isInUse { pump.changes.note() } }
  }
  /// Whether it has made a resource.
  private(set) var isInUse = false
  /// What a configuration is being computed for now.
  package private(set) var configuring: (method: RequestMethod, url: ResourceURL)?
  /// Whether blocks run for an explanation now.
  package final var isExplaining = false
  /// Whether loads are answered by memory and caches only, whatever the age of what they have; what
  /// they do not have fails with `TransportError.Kind.offline`, and so does every other request, before
  /// it is sent. Lua: `service.is_offline`.
  public final var isOffline = false {
    willSet { checkThreadInUse() }
    didSet { if isInUse { pump.changes.note() } }
  }
  /// The environment of an API file that it is for, which keeps what it remembers apart from that of others;
  /// nil: none. (ENV-07)
  package internal(set) final var environment: ServiceEnvironment?
  /// Where that is declared, and its base URL, if it has one of its own.
  final var environmentPlaces: (whole: SourcePlace?, base: SourcePlace?) = (nil, nil)
  package internal(set) var entries: [ConfigurationEntry] = []
  private var shared = SharedConfigurations()
  /// nil until a block sets a limit.
  private var limits: LimitTable?
  /// What is to be said of the base and has not been.
  private var warning: String?
  /// What every missing URL shares. (SVC-22)
  private let missing: ResourceRecord
  /// Those of other texts that are no URLs, as far as they are in use.
  private var unparsable = UnparsableRecords()
  /// The number a script's host knows this object by; 0 if none.
  package final var hostHandle: UInt64 = 0
  /// Whether scripts get content without its nulls. (JSN-32)
  package final var omitsNulls = false
  /// Functions of a script that it has as methods, with the numbers its host knows them by.
  package final var hostFunctions: [String: Int64] = [:]
  /// What its functions of scripts need as long as it may call them.
  package final var hostOwners: [AnyObject] = []
  package final let link = ServiceLink()
  /// What is known of its answers, where an API file says it.
  package final var schemas: (any AnswerSchemas)?

  /// Where the cookies of this service's requests are kept, if they are.
  package private(set) lazy final var cookieJar = CookieJar()

  /// A service on a home, for initialisers of subclasses (SVC-38): on the home of this thread by
  /// `super.init(baseURL: url, surroundings: .current)`, on one that is named by `home.surroundings`.
  ///
  /// To the compiler it belongs to nobody; a subclass has whoever makes it be its owner by an initialiser
  /// that takes `isolated Home`, or the caller's isolation. A base that is no URL counts as none and is
  /// logged as a warning (SVC-04, SVC-05).
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

  /// A service on a pump that is turned by who made it, as in a test; otherwise as above.
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

  // Nothing here touches what others of this home use: a service may be made on another thread.
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

  /// As the pump's: until its first use it may be configured wherever it was made.
  func checkThreadInUse() {
    if isInUse { pump.checkThread() }
  }

  private func warn() {
    guard let warning else { return }
    self.warning = nil
    pump.log(.network, warning)
  }

  /// What paths are appended to, its own ending in a slash; nil if there is none. (SVC-01) Lua:
  /// `service.base_url`.
  public final var baseURL: ResourceURL? { base.url }

  /// What was given as the base and is no URL.
  package final var invalidBase: String? { base.invalid }

  // MARK: Resources

  /// The resource at a path under the base URL; slashes are joined, everything else is a path
  /// (SVC-07 to SVC-12). Lua: `service:resource(path)`.
  public func resource(_ path: String) -> Resource {
    var path = path
    return path.withUTF8 { resource(pathBytes: $0) }
  }

  /// The same for a path that need not be UTF-8. (SVC-41)
  package func resource(pathBytes path: UnsafeBufferPointer<UInt8>) -> Resource {
    guard let baseURL else {
      warn()
      let source = invalidBase ?? ResourceURL.text(ofBytes: path)
      return invalidResource(source.isEmpty ? .missing : .unparsable(source))
    }
    return resource(at: baseURL.appending(pathBytes: path))
  }

  /// The resource with exactly this URL; nil or no URL gives an invalid resource, whose requests
  /// fail (SVC-16 to SVC-22). Lua: `service:resource_at(url)`.
  public func resource(absoluteURL: (any URLConvertible)?) -> Resource {
    guard let text = absoluteURL?.urlText else { return invalidResource(.missing) }
    guard let url = ResourceURL(absolute: text) else {
      return invalidResource(.unparsable(text))
    }
    return resource(at: url)
  }

  /// The resource at a path under another base (SVC-13 to SVC-15). Lua: `service:resource_under`.
  public func resource(baseURL: any URLConvertible, path: String) -> Resource {
    var path = path
    return path.withUTF8 { resource(baseURL: baseURL.urlText, pathBytes: $0) }
  }

  /// The same for a path that need not be UTF-8. (SVC-41)
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

  /// Forgets resources nobody holds, observes or requests. (SVC-30)
  public func flushUnusedResources() {
    pump.checkThread()
    pump.host?.releaseGarbage()
    for record in table.all where record.observers.hasDead {
      record.observers.removeDead(resource: resource(of: record))
    }
    table.flushUnused()
  }

  /// Not at once: observers must not run inside the lookup that found no room. (OBS-28, OBS-37)
  private func removeDeadObserversSoon(of record: ResourceRecord) {
    pump.enqueue { [weak self] in
      guard let self else { return }
      // The resource made here goes away again at once, which lists the record as unused.
      record.observers.removeDead(resource: resource(of: record))
    }
  }

  // MARK: Configuration

  /// Registers settings for matching resources and methods; runs nothing now (CFG-13, CFG-14).
  ///
  /// - Parameters:
  ///   - file: where it is registered, for explanations; that of the caller unless given, as is the line.
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
  ///   - source: the line that registers it.
  ///   - isConstant: whether it makes the same changes for every resource, whenever it runs: then it
  ///     need not run for each.
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

  /// Forgets computed configurations; they are computed again when next needed. (CFG-12)
  public func invalidateConfiguration() {
    checkThreadInUse()
    configurationVersion += 1
    shared.removeAll()
  }

  package func resolvedConfiguration(for record: ResourceRecord, method: RequestMethod)
    -> ResolvedConfiguration
  {
    // A block may register another: what is computed now is of the version that was in force.
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
    // What is logged of a configuration is logged for every resource.
    var isShared = pump.log.enabled.isDisjoint(with: [.configuration, .pipeline])
    // Constant blocks that apply and have not run: perhaps they need not.
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
          ? "" : "; on another origin than the base: without \(withheld.joined(separator: ", "))")
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

  /// Whether a URL is on another origin than the base, if there is one.
  package func isOutside(_ url: ResourceURL) -> Bool { base.isOutside(url) }

  /// Where requests of a resource wait for their limits; nil without any.
  package func limitQueue(_ rules: Policies.Rules, for resource: Resource) -> LimitQueue? {
    guard rules.ratePattern != nil else { return rules.queue }
    return limitTable().queue(
      for: rules, origin: resource.url.origin, environment: environment?.name,
      version: configurationVersion
    ) { source in
      resource.resolvedConfiguration.senders.identity(
        with: resource.record.secretURL?.values ?? [:], now: pump.clock.uptime
      ) { source.identity(of: resource.credentials) }
    }
  }

  private func limitTable() -> LimitTable {
    let limits = limits ?? LimitTable(pump: pump)
    self.limits = limits
    return limits
  }

  /// Forgets every resource, whoever holds it; for a host that closes.
  package func forgetAll() {
    table.removeAll()
    shared.removeAll()
    missing.dropRequests()
    unparsable.dropRequests()
  }
}

/// The base of a service, and what is to be said of one that is no URL.
struct ServiceBase {
  let url: ResourceURL?
  /// What was given and is no URL.
  let invalid: String?
  /// What URLs of the base's origin begin with, as far as they are written like it.
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

  /// Whether a URL is on another origin than the base, if there is one.
  func isOutside(_ other: ResourceURL) -> Bool {
    guard let origin else { return false }
    return !other.text.utf8.starts(with: origin.utf8) && other.origin + "/" != origin
  }
}

/// Where a service is, as long as it is, for whoever must not hold it.
///
/// In the place of weak references, which would slow down every use of the service. Home thread only.
package final class ServiceLink {
  // Set by the service's initialiser, cleared by its `deinit`: it never outlives the object.
  package fileprivate(set) unowned(unsafe) var service: Service?

  init() {}

  func set(_ service: Service?) { self.service = service }
}

extension Service {
  /// Makes it that of an environment. Before its first resource, since that has a URL below the base.
  ///
  /// - Parameters:
  ///   - url: the base from now on, below which patterns are that were registered before; nil: as it is.
  ///   - place: where the environment is declared.
  ///   - basePlace: where its base URL is.
  /// - Returns: whether it could be done.
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

  /// Moves the service to another base URL; its URL patterns move with it.
  ///
  /// - Returns: whether it could be done: not after a resource has been made.
  package func rebase(to url: String) -> Bool {
    guard !isInUse else { return false }
    base = ServiceBase(url)
    entries = entries.map { $0.rebased(below: base.url) }
    invalidateConfiguration()
    return true
  }

  /// Registers the settings of its environment, which are laid over those that there are.
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
  /// A service on the home of this thread, inside `Lull.run` or on a `Home`, or on the one that is named,
  /// with its network unless another one is given. (SVC-36)
  ///
  /// It belongs to the actor that makes it, as the compiler sees to, and is used on its home only: elsewhere
  /// the program ends with a message. A home is named on another thread, as by an actor that keeps the
  /// service and whose executor is the home's. Where no home is, and none is named, it is a programming
  /// error and ends the program. A base that is no URL counts as none and is logged as a warning (SVC-04,
  /// SVC-05). A subclass calls the one with `surroundings`. Lua: `lull.service(url)`.
  // Not one that is designated: the compiler (6.3) crashes over a class that inherits a default argument
  // `#isolation`.
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

/// What takes a pattern, in whatever form it is given: see `ConfigurationPatternConvertible`.
extension Service {
  /// Registers settings for the resources that match a pattern; runs nothing now (CFG-13). Lua:
  /// `service:configure(pattern, settings)`.
  ///
  ///     api.configure("/volcanos/*/status") { $0.expirationTime = 0.5 }
  ///     api.configure("/auth/**", requestMethods: [.post]) { $0.limits.timeout = 5 }
  ///
  /// - Parameters:
  ///   - requestMethods: nil: all. Methods that have no name in `RequestMethod` use what is for GET, and what
  ///     names them. (CFG-07, CFG-16)
  ///   - description: as logs call it, in place of the pattern.
  ///   - file: where it is registered, for explanations; that of the caller unless given, as is the line.
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

  /// The same for the resources whose URL satisfies a predicate. (CFG-06) One that throws settles nothing:
  /// the block is skipped, and requests fail with its error.
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

  /// Whether a block with that description is registered.
  package func hasConfiguration(describedAs text: String) -> Bool {
    entries.contains { $0.description.hasSuffix(" (\(text))") }
  }

  /// Wipes the resources in memory that match a pattern; flushes unused ones first. (WIPE-09 to WIPE-14)
  /// A predicate that throws matches nothing: pass a `ConfigurationPattern` to hear of its error. Lua:
  /// `service:wipe_resources(pattern)`.
  public func wipeResources(matching pattern: some ConfigurationPatternConvertible) {
    let pattern = pattern.configurationPattern(for: self)
    wipeResources(matching: { (try? pattern.matches($0.url)) ?? false })
  }

  /// Wipes the resources in memory whose URL satisfies a predicate; flushes unused ones first. (WIPE-12)
  public func wipeResources(withURLsMatching predicate: (ResourceURL) -> Bool) {
    wipeResources(matching: { predicate($0.url) })
  }

  /// Invalidates the resources in memory that match a pattern, otherwise as `wipeResources(matching:)`.
  /// (INV-01 to INV-08) Lua: `service:invalidate_resources(pattern)`.
  public func invalidateResources(matching pattern: some ConfigurationPatternConvertible) {
    let pattern = pattern.configurationPattern(for: self)
    invalidateResources(matching: { (try? pattern.matches($0.url)) ?? false })
  }
}

extension Service: CustomStringConvertible {
  /// Its type, its name and its base URL without credentials: `Service shop at https://api.test/v1/`.
  /// (SWF-160)
  ///
  /// Says nothing of its resources, and asks nothing. Home thread only. Lua: `tostring(service)` is shorter.
  public final var description: String {
    let place = baseURL.map { "at \(LogText.url($0.text))" } ?? "without a base URL"
    return "\(type(of: self)) " + (name.map { "\($0) " } ?? "") + place
  }
}
