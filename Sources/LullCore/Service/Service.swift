/// A set of resources with shared configuration and networking.
///
/// Lua: `lull.service{ base_url = … }`. Home thread only. Open for subclassing (SVC-38).
open class Service {
  public let baseURL: ResourceURL?
  public let name: String?
  public let pump: Pump
  public let networking: any NetworkingProvider
  package let table = ResourceTable()
  package private(set) var configurationVersion = 0
  private var entries: [ConfigurationEntry] = []
  private weak var missingResource: Resource?
  /// Told of what a script's host must mirror; nil without one.
  package weak var host: (any ServiceHost)?
  /// The number a script's host knows this object by; 0 if none.
  package var hostHandle: UInt64 = 0

  /// A base that is no URL counts as none and is logged as a warning (SVC-04, SVC-05).
  public init(
    baseURL: String?, name: String? = nil, networking: any NetworkingProvider, pump: Pump,
    standardTransformers: [StandardTransformer] = [.json, .text]
  ) {
    self.baseURL = baseURL.flatMap { ResourceURL.base($0) }
    self.name = name
    self.networking = networking
    self.pump = pump
    if let baseURL, self.baseURL == nil {
      pump.log(.network, "warning: '\(baseURL)' is not a URL; the service has no base URL")
    }
    for transformer in standardTransformers {
      let made = transformer.make()
      configure(description: made.description) { configuration in
        configuration.pipeline[.parsing].add(made)
      }
    }
  }

  // MARK: Resources

  /// The resource at a path under the base URL; slashes are joined, everything else is a path
  /// (SVC-07 to SVC-12). Lua: `service:resource(path)`.
  public func resource(_ path: String) -> Resource {
    guard let baseURL else { return invalidResource(path.isEmpty ? .missing : .unparsable(path)) }
    return resource(at: baseURL.appending(path: path))
  }

  /// The resource with exactly this URL; nil or no URL gives an invalid resource, whose requests
  /// fail (SVC-16 to SVC-22). Lua: `service:resource_at(url)`.
  public func resource(absoluteURL: String?) -> Resource {
    guard let absoluteURL else { return invalidResource(.missing) }
    guard let url = ResourceURL(absolute: absoluteURL) else {
      pump.log(.network, "warning: '\(absoluteURL)' is not a URL")
      return invalidResource(.unparsable(absoluteURL))
    }
    return resource(at: url)
  }

  /// The resource at a path under another base (SVC-13 to SVC-15). Lua: `service:resource_under`.
  public func resource(baseURL: String, path: String) -> Resource {
    guard let base = ResourceURL.base(baseURL) else { return invalidResource(.unparsable(baseURL)) }
    return resource(at: base.appending(path: path))
  }

  package func resource(at url: ResourceURL) -> Resource {
    resource(of: table.record(for: url))
  }

  package func resource(of record: ResourceRecord) -> Resource {
    record.resource ?? Resource(service: self, record: record)
  }

  private func invalidResource(_ source: ResourceRecord.InvalidSource) -> Resource {
    if source == .missing, let missingResource { return missingResource }
    let record = ResourceRecord(url: .invalid, invalidSource: source)
    let resource = Resource(service: self, record: record)
    if source == .missing { missingResource = resource }
    return resource
  }

  /// How many resources stay in memory; lowering it evicts at once. (SVC-31, SVC-32)
  public var cachedResourceCountLimit: Int {
    get { table.countLimit }
    set { table.countLimit = newValue }
  }

  /// Forgets resources nobody holds, observes or requests. (SVC-30)
  public func flushUnusedResources() {
    table.flushUnused()
  }

  // MARK: Configuration

  /// Registers settings for matching resources and methods; runs nothing now (CFG-13, CFG-14).
  public func configure(
    _ pattern: ConfigurationPattern? = nil, methods: Set<String>? = nil,
    description: String? = nil, _ apply: @escaping ConfigurationBlock
  ) {
    let text = description ?? pattern?.description ?? "every resource"
    entries.append(
      ConfigurationEntry(
        pattern: pattern, methods: methods, description: "\(entries.count) (\(text))",
        apply: apply))
    invalidateConfiguration()
  }

  /// Forgets computed configurations; they are computed again when next needed. (CFG-12)
  public func invalidateConfiguration() {
    configurationVersion += 1
  }

  package func resolvedConfiguration(for record: ResourceRecord, method: String)
    -> ResolvedConfiguration
  {
    let method = Service.configurableMethods.contains(method) ? method : "GET"
    return record.configuration(method, version: configurationVersion) {
      guard record.invalidSource == nil else { return ResolvedConfiguration.builtIn() }
      return computeConfiguration(for: record.url, method: method)
    }
  }

  private func computeConfiguration(for url: ResourceURL, method: String) -> ResolvedConfiguration {
    var settings = Configuration()
    var failure: RequestError?
    for entry in entries {
      do throws(RequestError) {
        guard try entry.applies(to: url, method: method) else { continue }
        var changed = settings
        try entry.apply(&changed)
        settings = changed
        pump.log(.configuration, "\(method) \(url.text): configuration \(entry.description)")
      } catch {
        failure = failure ?? error
      }
    }
    return ResolvedConfiguration(settings, failure: failure)
  }

  /// Any other method falls back to GET's. (CFG-16)
  private static let configurableMethods: Set<String> = [
    "OPTIONS", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE",
  ]

  // MARK: All resources

  /// Wipes the matching resources in memory; flushes unused ones first. (WIPE-09 to WIPE-14)
  public func wipeResources(matching pattern: ConfigurationPattern? = nil)
    throws(RequestError)
  {
    for resource in try resources(matching: pattern) { resource.wipe() }
  }

  /// Invalidates the matching resources in memory.
  public func invalidateResources(matching pattern: ConfigurationPattern? = nil)
    throws(RequestError)
  {
    for resource in try resources(matching: pattern) { resource.invalidate() }
  }

  private func resources(matching pattern: ConfigurationPattern?) throws(RequestError) -> [Resource]
  {
    table.flushUnused()
    var matching: [Resource] = []
    for record in table.all {
      if let pattern, try !pattern.matches(record.url) { continue }
      matching.append(resource(of: record))
    }
    return matching
  }

  /// Forgets every resource, whoever holds it; for a host that closes.
  package func forgetAll() {
    table.removeAll()
  }
}

/// What a script's host mirrors on its side.
package protocol ServiceHost: AnyObject {
  /// Data or error of a resource is another one now.
  func resourceStateChanged(_ resource: Resource)
  /// A request has begun; it ends with the request's `onSettled`.
  func requestStarted(_ request: Request)
}
