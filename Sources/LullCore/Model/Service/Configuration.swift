/// The settings for one resource and method: a value that the service's configuration blocks build
/// in the order of their registration (CFG-09). Times are in seconds, sizes in bytes.
public struct Configuration {
  /// The headers of every request. If the service has a base URL, these headers are sent only to
  /// the origin of the base URL. (CFG-02)
  public var headers = RequestHeaders()
  /// How long data is up to date: a maximum age in seconds, or as long as the response headers
  /// allow.
  public var expirationTime: ExpirationTime = 30
  /// For this number of seconds after an error, `loadIfNeeded` does not load again.
  public var retryTime = 1.0
  /// Whether a successful unsafe request makes the data of its URL stale, in memory and in caches.
  /// (AGE-07) Lua: `writes_invalidate`.
  public var writesInvalidate = true
  /// The method that sends queries: QUERY, or POST if the server does not support QUERY. If queries
  /// are sent by POST, they are declared safe. The setting is used when a query is created. The
  /// default is QUERY, or POST if `graphQL` is set. (QUERY-07, GQL-30) Lua: `query_method`.
  public var queryMethod: RequestMethod {
    get { ownQueryMethod ?? (graphQL ? .post : .query) }
    set { ownQueryMethod = newValue }
  }
  private var ownQueryMethod: RequestMethod?
  /// The time between two measurements of a request's progress, in seconds. Progress is measured
  /// only while it is observed.
  public var progressReportingInterval = 0.05
  /// The timeouts, the maximum body size, and the maximum number of connections per host.
  public var limits = TransferLimits()
  /// Further network options of requests; nil if no option has been set.
  public private(set) var options: TransferOptions?
  /// The action for responses that don't match their schema; nil if responses are not validated.
  /// The schemas come from an API file. Lua: `validate`.
  public var validation: ContentValidation?
  /// Whether responses are read as GraphQL responses: `data` becomes the content, and `errors` become
  /// an error. Requests accept `application/graphql-response+json`, and queries are sent by POST
  /// unless `queryMethod` is set. (GQL-30) Lua: `graphql`.
  public var graphQL = false
  /// How GraphQL documents are sent as hashes; nil if they are sent as text. (GQL-46) Lua:
  /// `persisted_queries`.
  public var persistedQueries: PersistedQueries?
  /// The stages that process a response before hooks and the resource's state get it.
  public var pipeline = Pipeline()
  /// The credentials of requests; nil if requests have no credentials.
  public var auth: Auth? {
    didSet { authStage = auth?.stage }
  }
  package var mutations: [Resource.RequestMutation] = []
  package var decorators: [RequestDecorator] = []
  /// The host's functions that these settings call, keyed by the Lua name of the setting. For each
  /// setting, the functions are in the order in which they were added.
  package var heldFunctions: [String: [AnyObject]] = [:]
  /// The settings of the policy layer: retries, limits and credentials; nil if none of them is set.
  package var policies: Policies?

  /// The default settings. (CFG-01)
  public init() {}

  /// Changes the network options of requests: TLS, proxies, redirects, cookies, timings.
  public mutating func setOptions(_ change: (inout TransferOptions) -> Void) {
    var changed = options ?? TransferOptions()
    change(&changed)
    options = changed == TransferOptions() ? nil : changed
  }

  /// Adds a mutation: a function that edits every request that is built with this configuration.
  /// The mutation runs after the headers were set and after the ad hoc mutation. (MUT-01, MUT-02)
  public mutating func mutateRequests(with mutation: @escaping Resource.RequestMutation) {
    mutations.append(mutation)
  }

  /// Adds a decorator: a function that is called with every request before the request starts. The
  /// decorator may return another request instead. (DEC-01 to DEC-15)
  public mutating func decorateRequests(with decorator: @escaping RequestDecorator) {
    decorators.append(decorator)
  }
}

extension Resource {
  /// A function that edits a request before it is sent. If the function throws, the request fails
  /// without being sent.
  public typealias RequestMutation = (inout HTTPRequest) throws(RequestError) -> Void
}

/// A function that gets a request before the request starts, and returns the request to use: the
/// given request, a chain around it, or another request.
public typealias RequestDecorator = (Resource, Request) throws(RequestError) -> Request

/// A computed configuration. It also contains values that are derived from the settings once, when
/// the object is created.
package final class ResolvedConfiguration {
  package let settings: Configuration
  package let steps: [PipelineStep]
  package let caches: [Pipeline.StageCache]
  /// Whether a load may have to wait for loads of other processes, because a cache shares fetches
  /// between processes. (SCA-20)
  let takesTurns: Bool
  /// The error with which requests must fail; nil if there is none. It is the error of the first
  /// block that threw, or otherwise the error of an invalid cache setting.
  package var failure: RequestError? { failures.first }
  // Holds at most one error. An array takes less memory than an optional: errors are large and
  // rare, and there are many configurations.
  private let failures: [RequestError]
  /// A copy of the setting `expirationTime`, so that checking freshness does not copy all settings.
  package let expirationTime: ExpirationTime
  let retryTime: Double
  let writesInvalidate: Bool
  /// A copy of the setting `policies`, because every new request reads it.
  let policies: Policies?
  /// Whether mutations, credentials or GraphQL change requests, in addition to the configured headers.
  let isEditing: Bool
  /// The identities of senders, which are digests of the credentials of requests. Limits that
  /// processes share distinguish the senders by these identities.
  private(set) lazy var senders = KnownSenders()

  package init(_ settings: Configuration, failure: RequestError?) {
    self.settings = settings
    steps = settings.pipeline.steps(
      validation: settings.validation, graphQL: settings.graphQL)
    caches = settings.pipeline.caches(
      validation: settings.validation, graphQL: settings.graphQL)
    let problem = failure ?? ResolvedConfiguration.problem(of: caches)
    failures = problem.map { [$0] } ?? []
    takesTurns = caches.contains { $0.cache is any FetchSharing }
    expirationTime = settings.expirationTime
    retryTime = settings.retryTime
    writesInvalidate = settings.writesInvalidate
    policies = settings.policies
    isEditing =
      !settings.mutations.isEmpty || settings.auth != nil || settings.graphQL
      || settings.persistedQueries != nil
  }

  private static func problem(of caches: [Pipeline.StageCache]) -> RequestError? {
    for cache in caches {
      guard let problem = (cache.cache as? any CheckedSettings)?.settingProblem else { continue }
      return RequestError(problem)
    }
    return nil
  }

  /// The configuration of resources with an invalid URL: the default settings. (SVC-23)
  static func builtIn() -> ResolvedConfiguration {
    ResolvedConfiguration(Configuration(), failure: nil)
  }
}

extension Configuration {
  /// When a failed request is sent again; nil if it is never sent again. Lua: `retry`.
  public var retry: RetryPolicy? {
    get { policies?.rules.retry }
    set { changePolicies { $0.retry = newValue } }
  }

  /// How many requests may be sent within a period; nil if the number is not limited. Lua:
  /// `rate_limit`.
  ///
  /// The limit belongs to the block that sets it: all requests that the block applies to share the
  /// limit, whatever their resource. If a later block sets another limit, that limit replaces this
  /// limit for the resources that the later block matches.
  public var rateLimit: RateLimit? {
    get { policies?.rules.rateLimit }
    set { changePolicies { $0.rateLimit = newValue } }
  }

  /// How many requests may be in flight at once; nil if the number is not limited. Lua:
  /// `concurrency`.
  ///
  /// The limit belongs to the block that sets it: all requests that the block applies to share the
  /// limit, as with `rateLimit`. With a value below 1, requests fail without being sent.
  public var concurrency: Int? {
    get { policies?.rules.concurrency }
    set { changePolicies { $0.concurrency = newValue } }
  }

  /// The stage of the policy layer that adds credentials to requests. The stage is set together
  /// with `auth`; nil if the credentials of `auth` are added without a stage.
  package var authStage: (any AuthStage)? {
    get { policies?.rules.authStage }
    set { changePolicies { $0.authStage = newValue } }
  }

  package mutating func changePolicies<Failure: Error>(
    _ change: (inout Policies.Rules) throws(Failure) -> Void
  ) throws(Failure) {
    var rules = policies?.rules ?? Policies.Rules()
    try change(&rules)
    policies = rules.isEmpty ? nil : Policies(rules)
  }
}

extension Configuration {
  /// Returns the settings for an environment. Their tokens and cookies are stored separately from
  /// the tokens and cookies of other environments. (ENV-07)
  func kept(apart environment: String) -> Configuration {
    var settings = self
    if let own = auth?.stage?.auth(keptApart: environment) { settings.auth = own }
    if let file = options?.cookies?.file {
      settings.setOptions { $0.cookies = CookieJar(file: "\(file)@\(environment)") }
    }
    return settings
  }
}

extension Configuration {
  /// The problem of the first invalid setting; nil if all settings are valid. (SWF-56)
  var settingProblem: SettingProblem? {
    var check = SettingCheck()
    check.check(headers)
    if case .seconds(let seconds) = expirationTime {
      check.check("expirationTime", seconds, .seconds)
    }
    check.check("retryTime", retryTime, .seconds)
    check.check("progressReportingInterval", progressReportingInterval, .seconds)
    check.check(queryMethod: queryMethod)
    check.check(limits)
    if let options { check.check(options) }
    if let rules = policies?.rules { check.check(rules) }
    return check.problem
  }
}

extension SettingCheck {
  fileprivate mutating func check(_ rules: Policies.Rules) {
    if let retry = rules.retry {
      check("retry.times", retry.times, .count(from: 0))
      for status in retry.statuses { check("retry.statuses", status, .status) }
      check("retry.backoff.base", retry.backoff.base, .seconds)
      check("retry.backoff.max", retry.backoff.max, .seconds)
    }
    if let limit = rules.rateLimit {
      check("rateLimit.requests", limit.requests, .count(from: 1))
      check("rateLimit.per", limit.per, .span)
      for status in limit.free { check("rateLimit.free", status, .status) }
    }
    if let concurrency = rules.concurrency {
      check("concurrency", concurrency, .count(from: 1))
    }
  }
}

/// How long data is up to date.
public enum ExpirationTime:
  Sendable, Equatable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral
{
  /// Data is up to date for the given number of seconds after its timestamp, whatever its headers
  /// say. (LOAD-20)
  case seconds(Double)
  /// Data is up to date as long as the headers of its response allow. (AGE-01; RFC 9111, section
  /// 4.2)
  case http

  public init(floatLiteral value: Double) { self = .seconds(value) }

  public init(integerLiteral value: Int) { self = .seconds(Double(value)) }

  /// The expiration time as a text for messages.
  package var words: String {
    switch self {
    case .seconds(let seconds): "\(seconds) s"
    case .http: "from response headers"
    }
  }
}

/// The action for a response that doesn't match its schema. Responses without a schema are used.
/// Lua: `validate`.
public enum ContentValidation: String, Sendable, CaseIterable {
  /// The response is used, and a warning on standard error describes the mismatch.
  case warn
  /// The request fails with the cause `RequestError.Cause.validation`.
  case fail
}

extension LogText {
  /// Returns a text that lists the settings: the times, the headers, the decorators, and the stages
  /// of the pipeline in order, each with its transformers and cache.
  package static func dump(_ configuration: Configuration) -> String {
    var lines = [
      "expiration time: \(configuration.expirationTime.words), retry time: "
        + "\(configuration.retryTime) s, progress every "
        + "\(configuration.progressReportingInterval) s",
      "time-out: \(configuration.limits.timeout) s, connecting: "
        + "\(configuration.limits.connectTimeout) s",
    ]
    lines += headers(configuration.headers.lines)
    if let policies = configuration.policies { lines += policies.rules.descriptions }
    if let auth = configuration.auth { lines.append("auth: \(auth.description)") }
    lines.append(
      "\(configuration.mutations.count) mutations, \(configuration.decorators.count) decorators")
    lines.append("pipeline:" + dump(configuration.pipeline))
    return indented(lines)
  }

  /// Returns the stages that are not empty, in order, on one line.
  package static func line(_ pipeline: Pipeline) -> String {
    dump(pipeline).split(separator: "\n").map { String($0.drop { $0 == " " }) }
      .filter { !$0.hasSuffix("–") }.joined(separator: "; ")
  }

  package static func dump(_ pipeline: Pipeline) -> String {
    let lines = pipeline.order.map { key in
      let stage = pipeline[key]
      var line = "\(key.description):"
      for transformer in stage.transformerDescriptions { line += " " + part(transformer) + "," }
      if let cache = stage.cache {
        let name = (cache as? any CustomStringConvertible)?.description ?? "\(type(of: cache))"
        line += " cache \(name),"
      }
      return stage.isEmpty ? line + " –" : String(line.dropLast())
    }
    return indented(lines)
  }
}
