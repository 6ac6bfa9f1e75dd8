/// The settings that apply to one resource and method. A value, built by the service's entries in
/// order of registration (CFG-09). Times are seconds, sizes are bytes.
public struct Configuration {
  /// What every request is sent with; of a service with a base, to the base's origin only. (CFG-02)
  public var headers = RequestHeaders()
  /// How old data may be and still count as up to date.
  public var expirationTime: ExpirationTime = 30
  /// How long after an error `loadIfNeeded` waits before it tries again.
  public var retryTime = 1.0
  /// Whether a successful unsafe request makes what is known of its URL stale, in memory and in caches. (AGE-07)
  /// Lua: `writes_invalidate`.
  public var writesInvalidate = true
  /// How often progress is measured while somebody wants it.
  public var progressReportingInterval = 0.05
  /// Time-outs, body cap and connections per host.
  public var limits = TransferLimits()
  /// What requests ask of the network besides; nil when nothing was set.
  public private(set) var options: TransferOptions?
  /// What is done about answers that are not as their schema says; nil: nobody looks. It takes an API file that
  /// names schemas. Lua: `validate`.
  public var validation: ContentValidation?
  /// What responses pass on their way to hooks and state.
  public var pipeline = Pipeline()
  /// What proves who sends a request; nil for nothing.
  public var auth: Auth? {
    didSet { authStage = auth?.stage }
  }
  package var mutations: [Resource.RequestMutation] = []
  package var decorators: [RequestDecorator] = []
  /// What the functions of settings are, in the order in which they were added, by the setting's name in Lua; of
  /// functions that come from elsewhere nothing is known.
  package var heldFunctions: [String: [AnyObject]] = [:]
  /// Retries, limits and credentials; nil if there are none of them.
  package var policies: Policies?

  /// What holds where nothing is configured. (CFG-01)
  public init() {}

  /// Changes what requests ask of the network: TLS, proxies, redirects, cookies, timings.
  public mutating func setOptions(_ change: (inout TransferOptions) -> Void) {
    var changed = options ?? TransferOptions()
    change(&changed)
    options = changed == TransferOptions() ? nil : changed
  }

  /// Changes every request built with this configuration, after headers and ad hoc mutation.
  /// (MUT-01, MUT-02)
  public mutating func mutateRequests(with mutation: @escaping Resource.RequestMutation) {
    mutations.append(mutation)
  }

  /// Sees every request before it starts and may return another to use instead. (DEC-01 to DEC-15)
  public mutating func decorateRequests(with decorator: @escaping RequestDecorator) {
    decorators.append(decorator)
  }
}

extension Resource {
  /// Edits a request before it is sent; throwing fails the request without sending it.
  public typealias RequestMutation = (inout HTTPRequest) throws(RequestError) -> Void
}

/// Returns the request to use: the one given, a chain around it, or another.
public typealias RequestDecorator = (Resource, Request) throws(RequestError) -> Request

/// A computed configuration with what is derived from it once.
package final class ResolvedConfiguration {
  package let settings: Configuration
  package let steps: [PipelineStep]
  package let caches: [Pipeline.StageCache]
  /// Whether loads may have to wait for those of others. (SCA-20)
  let takesTurns: Bool
  /// Why requests must fail: the first block that raised.
  package var failure: RequestError? { failures.first }
  // One or none, and not an optional: errors are rare and large, configurations many.
  private let failures: [RequestError]
  /// Apart from the settings, so that asking for freshness copies nothing.
  package let expirationTime: ExpirationTime
  let retryTime: Double
  let writesInvalidate: Bool
  /// Apart as well, for every request that is made.
  let policies: Policies?
  /// Whether it changes requests that are made, beyond the headers.
  let isEditing: Bool
  /// Whose requests these are, where that matters.
  private(set) lazy var senders = KnownSenders()

  package init(_ settings: Configuration, failure: RequestError?) {
    self.settings = settings
    steps = settings.pipeline.steps(validation: settings.validation)
    caches = settings.pipeline.caches(validation: settings.validation)
    let problem = failure ?? ResolvedConfiguration.problem(of: caches)
    failures = problem.map { [$0] } ?? []
    takesTurns = caches.contains { $0.cache is any FetchSharing }
    expirationTime = settings.expirationTime
    retryTime = settings.retryTime
    writesInvalidate = settings.writesInvalidate
    policies = settings.policies
    isEditing = !settings.mutations.isEmpty || settings.auth != nil
  }

  private static func problem(of caches: [Pipeline.StageCache]) -> RequestError? {
    for cache in caches {
      guard let problem = (cache.cache as? any CheckedSettings)?.settingProblem else { continue }
      return RequestError(problem)
    }
    return nil
  }

  /// What invalid resources have. (SVC-23)
  static func builtIn() -> ResolvedConfiguration {
    ResolvedConfiguration(Configuration(), failure: nil)
  }
}

extension Configuration {
  /// When a failed request is sent again; nil: never. Lua: `retry`.
  public var retry: RetryPolicy? {
    get { policies?.rules.retry }
    set { changePolicies { $0.retry = newValue } }
  }

  /// How many requests may be sent in a span of time; nil: any number. Lua: `rate_limit`.
  ///
  /// The limit belongs to the block that sets it: all requests it applies to share it, whatever their
  /// resource. A later block's limit takes its place for the resources that one matches.
  public var rateLimit: RateLimit? {
    get { policies?.rules.rateLimit }
    set { changePolicies { $0.rateLimit = newValue } }
  }

  /// How many requests may be under way at once; nil: any number. Lua: `concurrency`.
  ///
  /// Shared like `rateLimit`. With fewer than 1, requests fail unsent.
  public var concurrency: Int? {
    get { policies?.rules.concurrency }
    set { changePolicies { $0.concurrency = newValue } }
  }

  /// What puts credentials on requests. An `Auth` that needs requests of its own.
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
  /// The settings of a service of that environment: what they remember elsewhere is its own. (ENV-07)
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
  /// What is wrong with its values first; nil: nothing. (SWF-56)
  var settingProblem: SettingProblem? {
    var check = SettingCheck()
    check.check(headers)
    if case .seconds(let seconds) = expirationTime {
      check.check("expirationTime", seconds, .seconds)
    }
    check.check("retryTime", retryTime, .seconds)
    check.check("progressReportingInterval", progressReportingInterval, .seconds)
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

/// For how long data counts as up to date.
public enum ExpirationTime:
  Sendable, Equatable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral
{
  /// For that many seconds from its timestamp on, whatever its headers say. (LOAD-20)
  case seconds(Double)
  /// For as long as the answer itself says. (AGE-01; RFC 9111, section 4.2)
  case http

  public init(floatLiteral value: Double) { self = .seconds(value) }

  public init(integerLiteral value: Int) { self = .seconds(Double(value)) }

  /// For people.
  package var words: String {
    switch self {
    case .seconds(let seconds): "\(seconds) s"
    case .http: "as answers say"
    }
  }
}

/// What is done about answers that are not as their schema says, where one is known. Lua: `validate`.
public enum ContentValidation: String, Sendable, CaseIterable {
  /// They are taken, and a line on standard error says what is wrong.
  case warn
  /// The request fails, with the cause `RequestError.Cause.validation`.
  case fail
}

extension LogText {
  /// Times, headers, decorators, and the stages in order with what is on them.
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

  /// The stages that have something, in order, on a line.
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
