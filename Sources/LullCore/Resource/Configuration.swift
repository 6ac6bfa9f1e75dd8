/// The settings that apply to one resource and method. A value, built by the service's entries in
/// order of registration (CFG-09). Times are seconds, sizes are bytes.
public struct Configuration {
  /// What every request is sent with; of a service with a base, to the base's origin only. (CFG-02)
  public var headers = Headers()
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
