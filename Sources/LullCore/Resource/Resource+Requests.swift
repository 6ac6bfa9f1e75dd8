extension Resource {
  /// Sends a request that leaves this resource's state alone. (STA-02, REQ-01)
  ///
  /// Order of events: URL and method, configured headers, the body's type and bytes, `requestMutation`,
  /// configured mutations, decorators, then tracked and started (MUT-01, DEC-11). What cannot be sent
  /// comes back already completed with a failure, untracked (REQ-25). Lua: `resource:request(…)`.
  @discardableResult
  public func request(
    _ method: RequestMethod, body: RequestBody? = nil,
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(method, body: body, adHoc: requestMutation.map { AdHocMutation($0) })
  }

  /// The same with a mutation that may be of the host's.
  package func request(_ method: RequestMethod, body: RequestBody?, adHoc mutation: AdHocMutation?)
    -> Request
  {
    do throws(RequestBodyFailure) {
      return prepared(method, adHoc: try adHoc(body, mutation)).start()
    } catch {
      return failedBeforeSending(error.cause, method: method)
    }
  }

  /// A body and what is done after it, as one edit of the request.
  func adHoc(_ body: RequestBody?, _ mutation: AdHocMutation?) throws(RequestBodyFailure)
    -> AdHocMutation?
  {
    guard let body else { return mutation }
    let encoded = try body.encoded()
    return AdHocMutation(by: mutation?.maker) {
      [unowned pump] (http: inout HTTPRequest) throws(RequestError) in
      do throws(TransportError) {
        try encoded.put(into: &http)
      } catch {
        throw RequestError(
          httpStatusCode: nil, entity: nil, cause: .transport(error), timestamp: pump.clock.now)
      }
      try mutation?.edit(&http)
    }
  }

  /// A request that failed while it was built: completed already, never tracked. (REQ-09, REQ-25)
  package func failedBeforeSending(_ cause: RequestError.Cause, method: RequestMethod) -> Request {
    failedBeforeSending(
      RequestError(
        httpStatusCode: nil, entity: nil, cause: cause, timestamp: pump.clock.now),
      method: method)
  }

  private func failedBeforeSending(_ error: RequestError, method: RequestMethod) -> FixedRequest {
    var error = error
    error.method = method
    error.url = url.text
    return FixedRequest(.failure(error), pump: pump, target: self, method: method)
  }

  /// Whether a request asks on the condition of the data that is there.
  enum Revalidation {
    case none
    /// It does, and again whenever it is repeated, with the validators of that time. (LOAD-04)
    case sending(ResourceState.Condition?)
    /// The same, but on that of what a cache on a disk may have. (CACHE-39)
    case awaiting
  }

  /// Builds without decorating, tracking or starting.
  ///
  /// - Parameter configuration: the method's, if it has been looked up.
  func makeRequest(
    _ method: RequestMethod, _ configuration: ResolvedConfiguration? = nil,
    revalidation: Revalidation = .none, adHoc: AdHocMutation? = nil, manner: FetchManner = .alone
  ) -> Request {
    switch record.invalidSource {
    case nil: break
    case .missing: return failedBeforeSending(.invalidURL(source: nil), method: method)
    case .unparsable(let source):
      return failedBeforeSending(.invalidURL(source: source), method: method)
    }
    noteClimbing(method)
    let configuration = configuration ?? self.resolvedConfiguration(for: method)
    if let failure = configuration.failure {
      return failedBeforeSending(failure.dated(pump.clock.now), method: method)
    }
    let revalidates: Bool
    let condition: ResourceState.Condition?
    var isAwaiting = false
    switch revalidation {
    case .none: (revalidates, condition) = (false, nil)
    case .sending(let found): (revalidates, condition) = (true, found)
    case .awaiting: (revalidates, condition, isAwaiting) = (true, nil, true)
    }
    let http: HTTPRequest
    do throws(RequestError) {
      http = try makeHTTP(
        method, configuration, condition: condition, isAwaiting: isAwaiting, adHoc: adHoc)
      if http.options?.connection.unixSocket != nil, let problem = socketProblem(of: http) {
        return failedBeforeSending(.transport(problem), method: method)
      }
    } catch {
      return failedBeforeSending(error, method: method)
    }
    let policies =
      http.method == method
      ? configuration.policies : self.resolvedConfiguration(for: http.method).policies
    let request = NetworkRequest(
      resource: self, initialMethod: method, revalidates: revalidates, adHoc: adHoc, http: http,
      policies: policies, manner: manner)
    if let maker = adHoc?.maker { pump.requestHost?.requestMade(request, by: maker) }
    return request
  }

  /// Why it must not go through the socket of its configuration: behind that is the service's own origin,
  /// and nothing else. nil if it may.
  private func socketProblem(of http: HTTPRequest) -> TransportError? {
    guard let home = owner.baseURL?.origin, http.origin != home else { return nil }
    return .final(
      .connection,
      "\(http.origin) is not asked through the unix_socket of \(home): unix_socket = false, for it, "
        + "asks it directly")
  }

  /// What goes out, mutations applied and secrets sealed.
  private func makeHTTP(
    _ method: RequestMethod, _ configuration: ResolvedConfiguration,
    condition: ResourceState.Condition?, isAwaiting: Bool, adHoc: AdHocMutation?
  ) throws(RequestError) -> HTTPRequest {
    var headers = configuration.settings.headers
    if let condition { headers.set(condition.name, bytes: condition.value.bytes) }
    if isAwaiting { headers.awaitCondition() }
    // Most are sent as they are made: handed on at once, since what is edited is copied, and large.
    guard
      adHoc != nil || record.secretURL != nil || headers.secrets != nil
        || configuration.isEditing
    else {
      var http = HTTPRequest(
        method: method, url: url.percentEncoded, headers: headers,
        limits: configuration.settings.limits, options: configuration.settings.options)
      http.environment = owner.environment?.name
      return http
    }
    var http = HTTPRequest(
      method: method, url: record.secretURL?.template.maskedText ?? url.percentEncoded,
      headers: headers, limits: configuration.settings.limits,
      options: configuration.settings.options)
    http.environment = owner.environment?.name
    if let secretURL = record.secretURL { http.secrets = SecretUses(url: secretURL.template) }
    try adHoc?.edit(&http)
    for mutation in configuration.settings.mutations { try mutation(&http) }
    try check(http)
    let auth = configuration.settings.auth
    if auth != nil || http.secrets != nil || http.headers.secrets != nil {
      try seal(&http, auth: auth)
    }
    return http
  }

  /// What has edited it may have set what a configuration may not.
  private func check(_ http: HTTPRequest) throws(RequestError) {
    var check = SettingCheck()
    check.check(http.headers)
    check.check(http.limits)
    if let options = http.options { check.check(options) }
    guard let problem = check.problem else { return }
    throw RequestError(
      httpStatusCode: nil, entity: nil, cause: RequestError.Cause(problem),
      timestamp: pump.clock.now)
  }

  /// Says of a request whose dot segments lead out of the base URL that they do. (SVC-39)
  private func noteClimbing(_ method: RequestMethod) {
    guard pump.log.isOn(.network), let base = owner.baseURL,
      url.climbs(above: base)
    else { return }
    pump.log(
      .network,
      "warning: \(method) \(LogText.url(url.text)) leads above the base URL "
        + "\(LogText.url(base.text)): its dot segments are sent as they are")
  }

  /// Builds, decorates and lists a request; the caller starts what comes of it.
  func prepared(
    _ method: RequestMethod, _ configuration: ResolvedConfiguration? = nil,
    revalidation: Revalidation = .none, adHoc: AdHocMutation? = nil, manner: FetchManner = .alone
  ) -> Request {
    pump.checkThread()
    let configuration = configuration ?? self.resolvedConfiguration(for: method)
    var request = makeRequest(
      method, configuration, revalidation: revalidation, adHoc: adHoc, manner: manner)
    guard !(request is FixedRequest) else { return request }
    // Decorators are those of the final method (CFG-17, DEC-13).
    let final =
      request.method == method
      ? configuration : self.resolvedConfiguration(for: request.method ?? .get)
    for decorate in final.settings.decorators {
      do throws(RequestError) {
        request = try decorate(self, request)
      } catch {
        return failedBeforeSending(error, method: request.method ?? .get)
      }
    }
    track(request)
    return request
  }

  /// Lists the request until it completes: out of the lists at once when cancelled, else when its
  /// hooks run, before those of the caller. (STA-03, STA-12 to STA-14)
  func track(_ request: Request) {
    guard !request.isCompleted else { return }
    // A decorator may give one request to several callers.
    guard !request.isTracked || !record.allRequests.contains(where: { $0 === request }) else {
      return
    }
    record.allRequests.append(request)
    request.track(by: record)
  }
}
