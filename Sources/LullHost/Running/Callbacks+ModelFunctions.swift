import CLullBridge
import LullCore

/// Converts script functions to the types of the model. The model calls these functions, and they
/// must not wait. If such a function raises an error, the error is reported and the request fails.
extension Callbacks {
  // MARK: Configurations

  /// Returns a script's configure function as a configuration block. The function runs whenever a
  /// configuration is computed, and must not wait.
  func configurationBlock(_ id: Int64, service: Service) -> ConfigurationBlock {
    { [unowned self, unowned service] (settings: inout Configuration) throws(RequestError) in
      let box = ConfigurationBox(settings, service: service)
      let argument = values.of(box, .configuration, service: service)
      let answer = coroutines.ask(
        Callable(id: id), [argument], kind: "configure function"
      ) { _ in }
      box.isOpen = false
      switch answer {
      case .success: settings = box.settings
      case .failure(.gone): throw reporter.collected("configure function")
      case .failure(.failed(let failure)):
        throw reporter.scriptError(
          failure, in: stored.named("configure function", id),
          message: "Cannot send request",
          request: service.configuring.map { target in
            RequestFacts(name: "\(target.method) \(LogText.url(target.url.text))")
          })
      }
    }
  }

  /// Returns a mutation that calls a script function. The function edits a request before the
  /// request is sent. If the function raises an error, the request fails.
  func mutation(_ id: @escaping () -> Int64) -> Resource.RequestMutation {
    { [unowned self] (http: inout HTTPRequest) throws(RequestError) in
      let box = HTTPRequestBox(http)
      let argument = values.of(box, .httpRequest)
      let answer = coroutines.ask(Callable(id: id()), [argument], kind: "mutation") { _ in
      }
      box.isOpen = false
      switch answer {
      case .success: http = box.http
      case .failure(.gone): throw reporter.collected("mutation")
      case .failure(.failed(let failure)):
        throw reporter.scriptError(
          failure, in: stored.named("mutation", id()), message: "Cannot send request",
          request: RequestFacts(http))
      }
    }
  }

  /// Returns a decorator that calls a script function. The function gets each request before the
  /// request starts, and returns the request to use instead. If the function raises an error or
  /// returns anything else, the request fails. (DEC-01 to DEC-15)
  func decorator(_ function: StoredValue) -> RequestDecorator {
    { [unowned self] (resource, request) throws(RequestError) in
      let answer = coroutines.ask(
        Callable(id: function.id),
        [values.of(resource), values.decorating(request)],
        kind: "decorator"
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
        failure = self.failure(thrown.message, of: function.id)
      case .failure(.failed(let raised)): failure = raised
      case .failure(.gone): throw reporter.collected("decorator")
      }
      throw reporter.scriptError(
        failure, in: stored.named("decorator", function.id), message: "Cannot send request",
        request: RequestFacts(request))
    }
  }

  // MARK: Patterns

  /// Reads the pattern argument of `configure` and similar functions at a position: a wildcard
  /// string, a regular expression, a predicate of the URL, a resource, or nil for every resource.
  ///
  /// - Parameter raising: whether an error in a predicate is raised by the caller, by means of
  ///   `raised(_:)`. If it is false, the error is reported.
  func pattern(_ call: Call, _ position: Int, service: Service, raising: Bool = false)
    throws(Misuse) -> ConfigurationPattern?
  {
    let value = call.raw(position)
    switch Int(value.kind) {
    case Int(LULL_NIL): return nil
    case Int(LULL_STRING):
      let text = try call.text(position)
      reporter.permissions.checker?.inspect(pattern: text, of: service, at: call.place)
      return .wildcard(text, base: service.baseURL)
    case Int(LULL_FUNCTION):
      return predicate(
        try stored.storedValue(call.state, call.index(position), for: service), raising: raising)
    default:
      if let resource = handles.object(value, .resource, as: Resource.self) {
        return .url(resource.url)
      }
      if let regex = handles.object(value, .regex, as: RegexBox.self) {
        return self.regex(regex, raising: raising)
      }
      throw .argument(
        position,
        "pattern expected (string, lull.regex, function or Resource), got "
          + value.typeName)
    }
  }

  /// Returns the error to raise if a predicate has failed, which is the error that the predicate
  /// raised.
  func raised(_ error: RequestError) -> Misuse {
    guard let failure = predicateFailure else { return .message(error.summary) }
    predicateFailure = nil
    if let error = failure.requestError { return .value(values.of(error, service: nil)) }
    if let value = failure.value { return .value(LuaValue(value)) }
    return .value(.string(failure.message))
  }

  /// Returns the pattern for a regular expression. A search that takes too many steps is handled
  /// like an error that a predicate raises.
  private func regex(_ regex: RegexBox, raising: Bool) -> ConfigurationPattern {
    .text(regex.source) { [unowned self] (url) throws(RequestError) in
      var found = RegexBox.Found.unknown
      if !loop.limits.hasPassed {
        let search = regex.find(in: url.text)
        found = search.found
        loop.limits.count(search.steps)
      }
      guard found == .unknown else { return found == .yes }
      let failure = ScriptFailure(
        "lull.regex '\(LogText.part(regex.source, limit: 100))' takes too many steps for this URL")
      if raising {
        predicateFailure = failure
        throw RequestError(userMessage: failure.message, timestamp: pump.clock.now)
      }
      throw reporter.scriptError(
        failure, in: "regular expression of a pattern", message: "Cannot send request",
        request: RequestFacts(name: LogText.url(url.text)))
    }
  }

  private func predicate(_ function: StoredValue, raising: Bool) -> ConfigurationPattern {
    .predicate { [unowned self] (url) throws(RequestError) in
      let answer = coroutines.ask(
        Callable(id: function.id), [.string(url.text)], kind: "predicate"
      ) {
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
          failure, in: stored.named("predicate of a pattern", function.id),
          message: "Cannot send request", request: RequestFacts(name: LogText.url(url.text)))
      }
    }
  }
}
