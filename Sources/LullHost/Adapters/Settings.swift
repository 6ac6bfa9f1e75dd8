import CLullBridge
import LullCore

/// The settings of a configuration by their Lua names: reading, and assigning with checks.
enum Setting: String, CaseIterable {
  case headers
  case expirationTime = "expiration_time"
  case retryTime = "retry_time"
  case progressReportingInterval = "progress_reporting_interval"
  case timeout
  case connectTimeout = "connect_timeout"
  case maxBodySize = "max_body_size"
  case connectionsPerHost = "connections_per_host"
  case retry
  case rateLimit = "rate_limit"
  case concurrency
  case caFile = "ca_file"
  case insecure
  case clientCert = "client_cert"
  case clientKey = "client_key"
  case proxy
  case noProxy = "no_proxy"
  case resolve
  case httpVersion = "http_version"
  case firstByteTimeout = "first_byte_timeout"
  case idleTimeout = "idle_timeout"
  case redirects
  case cookies
  case recordTimings = "record_timings"
  case pipeline
  case mutateRequests = "mutate_requests"
  case decorateRequests = "decorate_requests"
  case auth

  static let names = allCases.map(\.rawValue)

  func value(in settings: Configuration) -> LuaValue? {
    switch self {
    case .headers: .table(settings.headers.bytePairs.map { (.bytes($0.name), .bytes($0.value)) })
    case .expirationTime: .number(settings.expirationTime)
    case .retryTime: .number(settings.retryTime)
    case .progressReportingInterval: .number(settings.progressReportingInterval)
    case .timeout: .number(settings.limits.timeout)
    case .connectTimeout: .number(settings.limits.connectTimeout)
    case .maxBodySize: .int(Int64(settings.limits.maxBodySize))
    case .connectionsPerHost: .int(Int64(settings.limits.connectionsPerHost))
    case .retry, .rateLimit, .concurrency: policy(in: settings)
    case .caFile, .insecure, .clientCert, .clientKey, .proxy, .noProxy, .resolve, .httpVersion,
      .firstByteTimeout, .idleTimeout, .redirects, .cookies, .recordTimings:
      networkValue(in: settings)
    case .pipeline: PipelineSetting.value(of: settings.pipeline)
    case .mutateRequests, .decorateRequests: nil
    case .auth: settings.auth.map { .string($0.description) }
    }
  }

  /// The change a value of the script makes; raises if the value does not fit.
  func change(_ call: Call, _ value: lull_value, _ index: Int32, service: Service) throws(Misuse)
    -> (inout Configuration) -> Void
  {
    let host = call.host
    switch self {
    case .headers:
      guard value.kind == Int32(LULL_TABLE) else { throw mustBe("a table", value) }
      // Read now, so that a mistake raises at the line that made it; applied in order later.
      var edits: [(inout Headers) -> Void] = []
      try LuaTable(index, in: call.state).forEachField { key, element throws(Misuse) in
        guard let name = key.string else {
          throw .message("header names must be strings, got \(key.typeName)")
        }
        var probe = Headers()
        try host.reading.headers.set(
          name, element, call.state, LuaTable.visitedIndex(in: call.state), in: &probe,
          allowsSecrets: true)
        edits.append { [probe] headers in headers.take(name, from: probe) }
      }
      return { settings in for edit in edits { edit(&settings.headers) } }
    case .expirationTime:
      let seconds = try seconds(value)
      return { $0.expirationTime = seconds }
    case .retryTime:
      let seconds = try seconds(value)
      return { $0.retryTime = seconds }
    case .progressReportingInterval:
      let seconds = try seconds(value)
      return { $0.progressReportingInterval = seconds }
    case .timeout:
      let seconds = try seconds(value)
      return { $0.limits.timeout = seconds }
    case .connectTimeout:
      let seconds = try seconds(value)
      return { $0.limits.connectTimeout = seconds }
    case .maxBodySize:
      let count = try count(value, minimum: 0)
      return { $0.limits.maxBodySize = count }
    case .connectionsPerHost:
      let count = try count(value, minimum: 1)
      return { $0.limits.connectionsPerHost = count }
    case .retry, .rateLimit, .concurrency: return try policyChange(call, value, index)
    case .mutateRequests:
      let mutations = try host.functions(call, value, index, rawValue, service: service)
        .map { function in host.mutation { function.id } }
      return { settings in for mutation in mutations { settings.mutateRequests(mutation) } }
    case .decorateRequests:
      let decorators = try host.functions(call, value, index, rawValue, service: service)
        .map { host.decorator($0) }
      return { settings in for decorator in decorators { settings.decorateRequests(decorator) } }
    case .caFile, .insecure, .clientCert, .clientKey, .proxy, .noProxy, .resolve, .httpVersion,
      .firstByteTimeout, .idleTimeout, .redirects, .cookies, .recordTimings:
      return try networkChange(call, value, index, service: service)
    case .pipeline: return try PipelineSetting.change(call, value, index, service: service)
    case .auth: return try authChange(value, host.handles)
    }
  }

  /// `auth = lull.auth.bearer(…)`, or false for none.
  private func authChange(_ value: lull_value, _ handles: ObjectHandles) throws(Misuse)
    -> (inout Configuration) -> Void
  {
    if let box = handles.object(value, .auth, as: AuthBox.self) { return { $0.auth = box.auth } }
    guard value.bool == false || value.kind == Int32(LULL_NIL) else {
      throw .message(
        "'auth' must be what a function of lull.auth gives, or false, got "
          + value.typeName)
    }
    return { $0.auth = nil }
  }

  /// Those that are calls of a configuration, not fields.
  var isCall: Bool { self == .mutateRequests || self == .decorateRequests }

  func seconds(_ value: lull_value) throws(Misuse) -> Double {
    guard let seconds = value.double, seconds >= 0 else {
      throw mustBe("a number of seconds, 0 or more", value)
    }
    return seconds
  }

  func count(_ value: lull_value, minimum: Int) throws(Misuse) -> Int {
    guard let number = value.double, number == number.rounded(), number < 1e18,
      number >= Double(minimum)
    else { throw mustBe("a whole number, \(minimum) or more", value) }
    return Int(number)
  }

  func mustBe(_ expectation: String, _ value: lull_value) -> Misuse {
    .message("'\(rawValue)' must be \(expectation), got \(value.described)")
  }
}

extension LuaHost {
  /// The changes of a whole settings table, in the order of the settings' list.
  func changes(
    _ call: Call, table: Int32, service: Service, beside others: [String] = [],
    _ other: (String, lull_value, Int32) throws(Misuse) -> Void = { _, _, _ throws(Misuse) in }
  ) throws(Misuse) -> [(inout Configuration) -> Void] {
    var changes: [(inout Configuration) -> Void] = []
    try reading.options.forEach(of: table, in: call.state, known: others + Setting.names) {
      name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: call.state)
      if let setting = Setting(rawValue: name) {
        changes.append(try setting.change(call, value, index, service: service))
      } else {
        try other(name, value, index)
      }
    }
    return changes
  }

  /// One function, or a list of them.
  func functions(
    _ call: Call, _ value: lull_value, _ index: Int32, _ name: String, service: Service
  ) throws(Misuse) -> [KeptValue] {
    if value.kind == Int32(LULL_FUNCTION) {
      return [try kept.kept(call.state, index, for: service)]
    }
    let expected = "'\(name)' must be a function or a list of functions"
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("\(expected), got \(value.typeName)")
    }
    var functions: [(position: Int64, function: KeptValue)] = []
    try LuaTable(index, in: call.state).forEachField { key, element throws(Misuse) in
      guard element.kind == Int32(LULL_FUNCTION), key.kind == Int32(LULL_INTEGER) else {
        throw .message(expected)
      }
      functions.append(
        (
          key.integer,
          try kept.kept(call.state, LuaTable.visitedIndex(in: call.state), for: service)
        ))
    }
    return functions.sorted { $0.position < $1.position }.map(\.function)
  }

  /// A function of the script that edits a request before it is sent; if it raises, the request
  /// fails.
  func mutation(_ id: @escaping () -> Int64) -> RequestMutation {
    { [unowned self] (http: inout HTTPRequest) throws(RequestError) in
      let box = HTTPRequestBox(http)
      let argument = values.of(box, .httpRequest)
      let answer = coroutines.ask(Callable(id: id()), [argument], kind: "mutation") { _ in }
      box.isOpen = false
      switch answer {
      case .success: http = box.http
      case .failure(.gone): throw reporter.collected("mutation")
      case .failure(.failed(let failure)):
        throw reporter.scriptError(
          failure, in: kept.named("mutation", id()), message: "Cannot send request",
          request: RequestFacts(http))
      }
    }
  }

  /// A function of the script that sees each request before it starts and returns the one to use; if
  /// it raises, or returns something else, the request fails. (DEC-01 to DEC-15)
  func decorator(_ function: KeptValue) -> RequestDecorator {
    { [unowned self] (resource, request) throws(RequestError) in
      let answer = coroutines.ask(
        Callable(id: function.id), [values.of(resource), values.of(request)], kind: "decorator"
      ) { results -> Result<Request, ScriptFailure.Thrown> in
        if let decorated = handles.object(results[0], .request, as: Request.self) {
          return .success(decorated)
        }
        return .failure(
          .init("a decorator must return a Request, got \(results[0].typeName)"))
      }
      let failure: ScriptFailure
      switch answer {
      case .success(.success(let decorated)): return decorated
      case .success(.failure(let thrown)):
        failure = ScriptFailure(thrown.message, definedAt: kept.definition(of: function.id))
      case .failure(.failed(let raised)): failure = raised
      case .failure(.gone): throw reporter.collected("decorator")
      }
      throw reporter.scriptError(
        failure, in: kept.named("decorator", function.id), message: "Cannot send request",
        request: RequestFacts(request))
    }
  }

  // MARK: Patterns

  /// The first argument of `configure` and its kin: a wildcard string, a regular expression, a
  /// predicate of the URL, a resource; nil for every resource.
  ///
  /// An error in a predicate is reported, unless it is to be `raised` by the caller.
  func pattern(_ call: Call, _ position: Int, service: Service, raising: Bool = false)
    throws(Misuse) -> ConfigurationPattern?
  {
    let value = call.raw(position)
    switch Int(value.kind) {
    case Int(LULL_NIL): return nil
    case Int(LULL_STRING):
      let text = try call.text(position)
      permissions.checker?.look(atPattern: text, of: service, at: call.place)
      return .wildcard(text, base: service.baseURL)
    case Int(LULL_FUNCTION):
      return predicate(
        try kept.kept(call.state, call.index(position), for: service), raising: raising)
    default:
      if let resource = handles.object(value, .resource, as: Resource.self) {
        return .url(resource.url)
      }
      if let regex = handles.object(value, .regex, as: RegexBox.self) {
        return .regex(regex.regex, source: regex.source)
      }
      throw .argument(
        position,
        "pattern expected (string, lull.regex, function or Resource), got "
          + value.typeName)
    }
  }

  /// The error a predicate raised, as its caller's own.
  func raised(_ error: RequestError) -> Misuse {
    guard let failure = predicateFailure else { return .message(error.longDescription) }
    predicateFailure = nil
    if let error = failure.requestError { return .value(values.of(error, service: nil)) }
    if let value = failure.value { return .value(LuaValue(value)) }
    return .value(.string(failure.message))
  }

  private func predicate(_ function: KeptValue, raising: Bool) -> ConfigurationPattern {
    .predicate { [unowned self] (url) throws(RequestError) in
      let answer = coroutines.ask(Callable(id: function.id), [.string(url.text)], kind: "predicate")
      {
        $0[0].isTruthy
      }
      switch answer {
      case .success(let matches): return matches
      case .failure(.gone): throw reporter.collected("predicate of a pattern")
      case .failure(.failed(let failure)):
        if raising {
          predicateFailure = failure
          throw RequestError(userMessage: failure.message, timestamp: pump.clock.now)
        }
        throw reporter.scriptError(
          failure, in: kept.named("predicate of a pattern", function.id),
          message: "Cannot send request", request: RequestFacts(name: LogText.url(url.text)))
      }
    }
  }
}
