import LullCassettes
import LullClients
import LullCore

/// Answers requests in place of the service of an API file.
///
/// A request is processed in this order:
///
/// 1. The head is read, and its host and origin are checked.
/// 2. The body is read.
/// 3. The declared call is found, and its parameters are checked.
/// 4. The response comes from the call's function, from a recording or from an example.
///
/// Home thread only.
///
/// Behaviours: MCK-01 to MCK-176.
final class Mock {
  private let api: APIFile
  private let site: MockSite
  private let base: MockBase
  private let routes: RouteTable
  private let schemas: CallSchemas?
  private let cassettes: MockCassettes
  private let handlers: MockHandlers
  private let clock: any HostClock
  private let log: RequestLog
  /// Whether recorded responses are delayed by their recorded duration.
  private let hasDelays: Bool
  private let largestBody: Int

  init(
    _ api: APIFile, _ calls: [APICall], _ site: MockSite, _ cassettes: MockCassettes,
    _ handlers: MockHandlers, clock: any HostClock, _ options: MockOptions
  ) {
    self.api = api
    self.site = site
    self.cassettes = cassettes
    self.handlers = handlers
    self.clock = clock
    log = RequestLog(isQuiet: options.isQuiet || options.isSample)
    schemas = api.service.schemas as? CallSchemas
    hasDelays = options.hasDelays
    largestBody = options.largestBody
    base = MockBase(api.service.baseURL)
    routes = RouteTable(calls, base)
  }

  /// Answers a request, immediately or later.
  func take(_ exchange: HTTPExchange) {
    let turn = MockTurn(exchange, site, log, clock)
    do throws(Problem) {
      let (request, caller) = try admitted(exchange.asked)
      turn.request = request
      if case .permitted(let permission) = caller {
        turn.permission = permission
        if CrossOrigin.isPreflight(request) {
          return turn.answer(CrossOrigin.preflight(request, permission), by: "cors")
        }
      }
      try answer(request, turn)
    } catch {
      turn.refuse(error)
    }
  }

  /// Returns why a request is rejected regardless of its body, or nil.
  func objection(to asked: HTTPAsked) -> Problem? {
    do throws(Problem) {
      _ = try admitted(asked)
      return nil
    } catch {
      return error
    }
  }

  func refuse(_ exchange: HTTPExchange, _ problem: Problem) {
    let turn = MockTurn(exchange, site, log, clock)
    turn.refuse(problem)
  }

  /// Returns the request and its sender. Throws if the request must not be answered.
  private func admitted(
    _ asked: HTTPAsked
  ) throws(Problem) -> (request: MockRequest, caller: MockSite.Caller) {
    switch asked.state {
    case .malformed(let reason): throw Problem(400, reason)
    case .unknownCoding(let reason): throw Problem(501, reason)
    default: break
    }
    guard let request = MockRequest(asked) else {
      throw Problem(400, "the request line has no valid target")
    }
    if let problem = site.objection(to: request) { throw problem }
    let caller = site.caller(of: request)
    switch caller {
    case .own, .permitted: break
    case .foreign(let origin):
      let shown = ClientText.shown(origin)
      throw Problem(
        403,
        "the request comes from a web page of \(shown), which is not allowed: pass --cors \(shown)")
    case .otherSite:
      throw Problem(
        403,
        "the request comes from a web page of another site (Sec-Fetch-Site: cross-site)"
          + (site.isSample ? "" : ": pass --cors '*' to allow all pages"))
    }
    switch asked.state {
    case .tooLong: throw Problem(413, "the body is larger than \(largestBody >> 20) MB")
    case .noRoom: throw Problem(503, "there is no memory left for the body")
    default: return (request, caller)
    }
  }

  private func answer(_ request: MockRequest, _ turn: MockTurn) throws(Problem) {
    let found = request.path == "*" ? .nothing : routes.find(request)
    turn.queryTypes = routes.queryTypes(of: request)
    if case .calls(let matches) = found {
      // A server must refuse a query without a content type. (RFC 10008, section 2)
      guard request.method != "QUERY" || request.header("content-type") != nil else {
        throw Problem(400, "a QUERY request needs the header Content-Type")
      }
      let (call, values) = try Mock.first(of: matches, request)
      turn.isQuery = call.isQuery
      if let problem = schemas?.objection(to: request, values, of: call) { throw problem }
      return answer(request, call, values, turn)
    }
    guard let function = api.mock else { return try answer(request, found, turn) }
    let source = "mock of \(api.name)"
    handlers.call(function, of: nil, request, site, [:]) { [self] end in
      switch end {
      case .answer(let answer, let stream):
        turn.answer(answer, by: source, stream: stream, isWhole: true)
      case .failed(let message): turn.refuse(Problem(500, message), by: source)
      case .nothing:
        do throws(Problem) {
          try answer(request, found, turn)
        } catch {
          turn.refuse(error)
        }
      }
    }
  }

  /// Answers a request that matches no declared call.
  private func answer(
    _ request: MockRequest, _ found: RouteTable.Found, _ turn: MockTurn
  ) throws(Problem) {
    if request.path == "*" { return turn.answer(Mock.options(routes.methods), by: "methods") }
    switch found {
    case .calls: break
    case .methods(let methods):
      if request.method == "OPTIONS" { return turn.answer(Mock.options(methods), by: "methods") }
      // Recordings may contain undeclared calls.
      if case .entry(let entry) = cassettes.find(request) { return answer(entry, turn) }
      var problem = Problem(
        405,
        "no call of '\(api.fullName)' takes \(ClientText.shown(request.method)) for "
          + ClientText.shown(request.path))
      problem.headers = [("allow", methods.joined(separator: ", "))]
      throw problem
    case .noOperation(let name):
      if case .entry(let entry) = cassettes.find(request) { return answer(entry, turn) }
      if GraphQLRequestKey.isOnlyHash(request.body) {
        var answer = MockAnswer(status: 200)
        answer.put(
          json: Array(
            #"{"errors":[{"message":"PersistedQueryNotFound","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND"}}]}"#
              .utf8))
        return turn.answer(answer, by: "persisted query")
      }
      let wanted = name.map { "the operation '\(ClientText.shown($0))'" } ?? "this operation"
      throw Problem(400, "no call of '\(api.fullName)' has \(wanted)")
    case .nothing:
      // A recording may contain a request without a declared call: pages and links lead to such
      // paths.
      let found = cassettes.find(request)
      if case .entry(let entry) = found { return answer(entry, turn) }
      var detail = "no call of '\(api.fullName)' has the path \(ClientText.shown(request.path))"
      if case .miss(let text) = found { detail += "; the nearest recording is \(text)" }
      var problem = Problem(404, detail)
      problem.calls = routes.nearest(to: request)
      throw problem
    }
  }

  private static func options(_ methods: [String]) -> MockAnswer {
    var answer = MockAnswer(status: 204)
    answer.headers["allow"] = methods.joined(separator: ", ")
    return answer
  }

  /// Returns the first call whose parameters are valid for the request. If there is none, throws
  /// the problem of the first call.
  private static func first(
    of matches: [RouteTable.Match], _ request: MockRequest
  ) throws(Problem) -> (APICall, [String: CallValue]) {
    var problem: Problem?
    for match in matches {
      do throws(Problem) {
        let reading = ParameterReading(match.call, request, places: match.values)
        return (match.call, try reading.values())
      } catch {
        problem = problem ?? error
      }
    }
    throw problem ?? Problem(404, "no call matches")
  }

  // MARK: Sources

  private func answer(
    _ request: MockRequest, _ call: APICall, _ values: [String: CallValue], _ turn: MockTurn
  ) {
    guard let function = call.mock.function else {
      return answerWithoutFunction(request, call, values, turn)
    }
    handlers.call(function, of: call, request, site, values) { [self] end in
      switch end {
      case .answer(let answer, let stream):
        turn.answer(answer, by: "mock of \(call.name)", stream: stream)
      case .failed(let message): turn.refuse(Problem(500, message), by: "mock of \(call.name)")
      case .nothing: answerWithoutFunction(request, call, values, turn)
      }
    }
  }

  private func answer(_ entry: HAREntry, _ turn: MockTurn) {
    turn.answer(entry, base, after: hasDelays ? entry.seconds : 0)
  }

  private func answerWithoutFunction(
    _ request: MockRequest, _ call: APICall, _ values: [String: CallValue], _ turn: MockTurn
  ) {
    let found = cassettes.find(request)
    if case .entry(let entry) = found { return answer(entry, turn) }
    if let example = call.mock.examples.first(where: { $0.fits(values) }) {
      return turn.answer(example.answer.response(of: call), by: "example of \(call.name)")
    }
    if let example = call.mock.example {
      return turn.answer(example.response(of: call), by: "example of \(call.name)")
    }
    let links = MovedLinks(from: base.origin, to: turn.here)
    if let answer = schemas?.example(of: call, links) {
      return turn.answer(answer.response(of: call), by: "schema of \(call.name)")
    }
    turn.refuse(Problem(501, lack(call, found)))
  }

  /// Returns advice on how to provide a response for a call.
  private func lack(_ call: APICall, _ found: MockCassettes.Found) -> String {
    var text = "there is no response for the call '\(call.name)'"
    if case .miss(let miss) = found { text += ": \(miss)\n" } else { text += ": " }
    text +=
      call.mock.examples.isEmpty
      ? "add 'example' (content), 'examples' (responses) or 'mock' (a function) to the call in \(api.path)"
      : "no 'when' of the examples matches: add an example that matches, or one without 'when', in \(api.path)"
    return text + (cassettes.isEmpty ? ", or pass --cassette" : "")
  }
}

extension CallSchemas {
  /// Returns the problem with a request's parameters and JSON body, or nil. Forms and other bodies
  /// are not checked.
  fileprivate func objection(
    to request: MockRequest, _ values: [String: CallValue], of call: APICall
  ) -> Problem? {
    // The values of a parameter with brackets are all strings, whatever their declared type.
    let deep = Set(call.parameters.filter { $0.style == .deepObject }.map(\.name))
    for name in values.keys.sorted() where !deep.contains(name) {
      guard let value = values[name], let text = objection(to: value, for: name, of: call.name)
      else { continue }
      var problem = Problem(400, text)
      problem.parameter = name
      return problem
    }
    if request.body.isEmpty, requiresBody(call.name) {
      return Problem(400, "the body of call '\(call.name)' is missing")
    }
    let type = request.header("content-type")?.lowercased() ?? ""
    guard !request.body.isEmpty, type.isEmpty || type.contains("json") else { return nil }
    return objection(toBody: request.body, of: call.name).map { Problem(400, $0) }
  }
}
