import LullCassettes
import LullCore
import LullHost
import LullSystem

/// The network of one test. It answers requests with responses that the test defines, after a delay
/// by the test's clock, and it records the requests. If there is no response to a request, the
/// request and the test fail.
///
/// A request is answered by the rule with the longest matching pattern. If several matching
/// patterns are equally long, a rule with the request's body is preferred, then the last rule. The responses of a rule are used in turn, and
/// the last one is repeated. If no rule matches, the recordings of the test answer, with the
/// recorded delay. Home thread only.
final class StubNetwork: NetworkingProvider {
  private struct Rule {
    let method: RequestMethod
    let glob: URLGlob
    /// The body that requests must have; nil if any body matches.
    let content: StubContent?
    var answers: [AnswerStub] = []
    var next = 0

    func isMoreSpecific(than other: Rule) -> Bool {
      glob.length == other.glob.length
        ? content != nil && other.content == nil : glob.length > other.glob.length
    }

    var shown: String { "\(method) \(glob.text)" + (content.map { " with \($0.excerpt)" } ?? "") }
  }

  private let pump: Pump
  private let clock: HeldClock
  private var rules: [Rule] = []
  private(set) var exchanges: [StubExchange] = []
  /// Messages about requests that had no response.
  private(set) var misses: [String] = []
  /// The recordings that answer if no rule matches.
  var cassettes = CassetteSet()
  /// The connection to the live network, which is recorded. `nil` if nothing is recorded.
  private let recorder: RecordingNetwork?
  /// The masks of the secrets that were sent while recording.
  private var toldMasks = ToldMasks()

  init(_ pump: Pump, _ clock: HeldClock, recorder: RecordingNetwork? = nil) {
    self.pump = pump
    self.clock = clock
    self.recorder = recorder
  }

  // MARK: Rules

  /// Adds a rule for a method, a pattern and a body, or resets the existing one. Returns its number.
  func addRule(_ method: RequestMethod, _ glob: URLGlob, _ content: StubContent?) -> Int {
    let rule = Rule(method: method, glob: glob, content: content)
    if let place = rules.firstIndex(where: {
      $0.method == method && $0.glob == glob && $0.content == content
    }) {
      rules[place] = rule
      return place
    }
    rules.append(rule)
    return rules.count - 1
  }

  func add(_ answer: AnswerStub, to rule: Int) {
    if rules.indices.contains(rule) { rules[rule].answers.append(answer) }
  }

  private func answer(for request: HTTPRequest) -> AnswerStub? {
    var best: Int?
    // A rule also matches if its pattern lacks the credentials in the query. (QRY-09)
    let bare = request.urlWithoutSecrets
    for (place, rule) in rules.enumerated()
    where rule.method == request.method && !rule.answers.isEmpty
      && (rule.glob.matches(request.url) || bare.map { rule.glob.matches($0) } ?? false)
      && rule.content?.fits(request) ?? true
    {
      if best.map({ !rules[$0].isMoreSpecific(than: rule) }) ?? true { best = place }
    }
    guard let place = best else { return nil }
    let rule = rules[place]
    rules[place].next = min(rule.next + 1, rule.answers.count - 1)
    return rule.answers[rule.next]
  }

  // MARK: Requests

  func startRequest(
    _ request: HTTPRequest, completion: NetworkCompletion
  ) -> any RequestNetworking {
    // The request may have shown the time to the test, so the initial time must not change any
    // more.
    clock.hasBeenSeen()
    let number = exchanges.count
    exchanges.append(StubExchange(request, at: pump.clock.now, after: pump.clock.uptime))
    let transfer = Transfer { [weak self] in
      guard let self else { return }
      exchanges[number].cancelled(at: pump.clock.now)
    }
    switch answer(for: request) {
    case .result(var result, let delay):
      result.response?.url = request.url
      deliver(result, after: delay, request, number, transfer, completion)
    case .fault(let fault, let delay):
      let delay = fault == .timeout ? request.limits.timeout : delay
      deliver(
        NetworkResult(error: fault.error(of: request)), after: delay, request, number, transfer,
        completion)
    case .function(let provider): ask(provider, request, number, transfer, completion)
    case nil:
      if let recorder, cassettes.isRecording {
        record(request, by: recorder, number, transfer, completion)
      } else {
        replay(request, number, transfer, completion)
      }
    }
    return transfer
  }

  /// Calls a function of the script to get the response. The same timeout applies as for a network.
  private func ask(
    _ provider: any NetworkingProvider, _ request: HTTPRequest, _ number: Int, _ transfer: Transfer,
    _ completion: NetworkCompletion
  ) {
    let own = pump.completion { [weak self, weak transfer] (result: NetworkResult) in
      transfer?.timer?.cancel()
      self?.end(number, StubNetwork.bounded(result, by: request), completion)
    }
    transfer.inner = provider.startRequest(request, completion: own)
    guard request.limits.timeout > 0, request.limits.timeout.isFinite else { return }
    transfer.timer = pump.clock.schedule(after: request.limits.timeout) {
      [weak self, weak transfer] in
      guard let self, let transfer, transfer.inner != nil else { return }
      transfer.inner?.cancel()
      transfer.inner = nil
      end(number, NetworkResult(error: NetworkFault.timeout.error(of: request)), completion)
    }
  }

  /// Returns an error, as a network would, if the response is larger than the request allows.
  private static func bounded(_ result: NetworkResult, by request: HTTPRequest) -> NetworkResult {
    guard let count = result.body?.count, count > request.limits.maxBodySize,
      request.options?.sink == nil
    else { return result }
    let error = TransportError(
      .bodyTooLarge,
      "the response body is larger than the limit of \(ByteCount.text(request.limits.maxBodySize)) "
        + "(max_body_size)")
    return NetworkResult(error: error)
  }

  // MARK: Recording

  /// Answers a request from the recording, or else sends it to the network. The test gets the
  /// response in the form that the recording will have.
  private func record(
    _ request: HTTPRequest, by recorder: RecordingNetwork, _ number: Int, _ transfer: Transfer,
    _ completion: NetworkCompletion
  ) {
    let asked: HARRequest
    do throws(TransportError) {
      asked = try HARRequest(request)
    } catch {
      return end(number, NetworkResult(error: error), completion)
    }
    if let entry = try? cassettes.answer(to: asked) {
      let result = NetworkResult(entry, url: request.url)
      return deliver(result, after: entry.seconds, request, number, transfer, completion)
    }
    if let problem = unknown(in: request, asked) {
      misses.append(problem)
      return end(number, NetworkResult(error: .final(.network, problem)), completion)
    }
    let sent: HTTPRequest
    do throws(TransportError) {
      sent = try told(request)
    } catch {
      misses.append(error.message)
      return end(number, NetworkResult(error: error), completion)
    }
    let place = cassettes.note(asked)
    transfer.inner = recorder.startRequest(
      sent, asked,
      hiding: { [weak self] in self?.cassettes.hidden($0, of: place, to: asked) ?? $0 }
    ) { [weak self, weak transfer] outcome in
      guard let self else { return }
      let entry = cassettes.end(place, with: outcome.entry)
      if let problem = outcome.problem { misses.append(problem) }
      let result = seen(outcome, as: entry, of: request)
      guard let transfer, result.error?.kind != .cancelled else {
        return end(number, result, completion)
      }
      transfer.inner = nil
      deliver(result, after: outcome.seconds, request, number, transfer, completion)
    }
  }

  /// Returns a request with the real tokens in place of stand-ins, and the real secrets in place of
  /// masks. Only secrets that were already sent to this server are restored.
  private func told(_ request: HTTPRequest) throws(TransportError) -> HTTPRequest {
    let masks = toldMasks.note(request)
    let known = masks.compactMap { mask in
      cassettes.secret(masked: mask).map { (mask: mask, text: $0) }
    }
    let token = { [cassettes] (number: Int) in cassettes.token(ofStandIn: number) }
    for mask in masks where toldMasks.isOfSeveral(mask) {
      guard try request.telling(token, [(mask: mask, text: [])]) == request.telling(token) else {
        throw .final(
          .network,
          "\(request.method) \(LogText.url(request.url)) has \(mask), which is a different secret "
            + "in each environment, so it cannot be recorded: give the secrets different names, "
            + "or stub the request with t.network:on")
      }
    }
    return try request.telling(token, known)
  }

  /// Returns why a request can't be sent to the network: it needs a value of which only a mask is
  /// known. `nil` if the request can be sent.
  private func unknown(in request: HTTPRequest, _ asked: HARRequest) -> String? {
    let shown = "\(request.method) \(LogText.url(request.url))"
    let standIns = StandIns.numbers(in: asked).union(request.standInsOfSecrets)
    guard standIns.allSatisfy({ cassettes.token(ofStandIn: $0) != nil }) else {
      return "\(shown) needs a token, but the recording has only a placeholder for it: "
        + "record everything again with lull test --record all"
    }
    guard cassettes.masksAnswers, CredentialMask.stands(in: asked) else { return nil }
    return
      "\(shown) sends a credential from a response, which is too short for a placeholder and is "
      + "masked as ***, so the request cannot be recorded: stub it with t.network:on"
  }

  /// Returns the result for the test, in the form that the recording will have. (CAS-66)
  private func seen(
    _ outcome: RecordingNetwork.Outcome, as entry: HAREntry?, of request: HTTPRequest
  ) -> NetworkResult {
    guard outcome.result.error?.kind != .cancelled else { return outcome.result }
    guard let entry else {
      guard var error = outcome.result.error else {
        return NetworkResult(error: .final(.network, outcome.problem ?? "it is not recorded"))
      }
      error.message = CredentialMask.text(cassettes.hidden(error.message))
      return NetworkResult(error: error)
    }
    var result = NetworkResult(entry, url: request.url)
    // The sink has already received the body.
    if request.options?.sink?.isRaw ?? false, outcome.result.body == nil { result.body = nil }
    return result
  }

  // MARK: Answering

  private func replay(
    _ request: HTTPRequest, _ number: Int, _ transfer: Transfer, _ completion: NetworkCompletion
  ) {
    do throws(TransportError) {
      let entry = try recorded(for: request)
      deliver(
        NetworkResult(entry, url: request.url), after: entry.seconds, request, number, transfer,
        completion)
    } catch {
      end(number, NetworkResult(error: error), completion)
    }
  }

  /// Returns the recorded response to a request. If there is none, records that and throws.
  private func recorded(for request: HTTPRequest) throws(TransportError) -> HAREntry {
    if !cassettes.isEmpty {
      let asked = try HARRequest(request)
      do throws(CassetteSet.Miss) {
        if let entry = try cassettes.answer(to: asked) { return entry }
      } catch {
        misses.append(error.description)
        throw .final(.network, error.summary)
      }
    }
    let miss = self.miss(request)
    misses.append(miss)
    throw .final(.network, miss)
  }

  private func deliver(
    _ result: NetworkResult, after delay: Double, _ request: HTTPRequest, _ number: Int,
    _ transfer: Transfer, _ completion: NetworkCompletion
  ) {
    guard delay > 0 else {
      return end(number, StubNetwork.bounded(result, by: request), completion)
    }
    // The timeout ends the request before the response arrives.
    let limit = request.limits.timeout
    let isLate = limit > 0 && delay > limit
    let result =
      isLate
      ? NetworkResult(error: NetworkFault.timeout.error(of: request))
      : StubNetwork.bounded(result, by: request)
    transfer.timer = pump.clock.schedule(after: isLate ? limit : delay) { [weak self] in
      self?.end(number, result, completion)
    }
  }

  private func end(_ number: Int, _ result: NetworkResult, _ completion: NetworkCompletion) {
    exchanges[number].ended(with: result, at: pump.clock.now)
    completion(result)
  }

  private func miss(_ request: HTTPRequest) -> String {
    let url = LogText.url(request.url)
    let bare = request.urlWithoutSecrets.map { LogText.url($0) } ?? url
    let path = bare.firstRange(of: "://").flatMap { scheme in
      bare[scheme.upperBound...].firstIndex(of: "/").map { String(bare[$0...]) }
    }
    let known = rules.map(\.shown).sorted().joined(separator: ", ")
    let asked = request.body.flatMap { body in
      request.sendsQuery ? " with \(ResourceQuery.excerpt(of: body, limit: 60))" : nil
    }
    return "tests do not use the network, and this one has no stub for \(request.method) \(url)"
      + "\(asked ?? ""): "
      + "t.network:on(\"\(request.method)\", \"\(path ?? "/")\", { json = … })"
      + (known.isEmpty ? "" : "; stubs: \(known)")
  }

  private final class Transfer: RelayedTransfer {
    var timer: (any HostTimer)?
    var inner: (any RequestNetworking)?
    private let onCancel: () -> Void

    init(onCancel: @escaping () -> Void) { self.onCancel = onCancel }

    var transferMetrics: RequestTransferMetrics {
      inner?.transferMetrics ?? RequestTransferMetrics()
    }

    func resume() { inner?.resume() }

    func cancel() {
      timer?.cancel()
      inner?.cancel()
      onCancel()
    }
  }
}

/// An exchange of a test: a request as sent to the network, after retries and limits have been
/// applied.
struct StubExchange {
  let request: HTTPRequest
  /// The time of the request in Unix seconds, by the test's clock.
  let start: Double
  /// The time of the request in seconds since the test began. Setting the clock does not change it.
  let uptime: Double
  private(set) var end: Double?
  private(set) var status: Int?
  private(set) var error: String?

  init(_ request: HTTPRequest, at start: Double, after uptime: Double) {
    self.request = request
    self.start = start
    self.uptime = uptime
  }

  mutating func ended(with result: NetworkResult, at time: Double) {
    guard end == nil else { return }
    end = time
    status = result.response?.status
    error = result.error?.message ?? result.requestError?.userMessage
  }

  /// The identity of the query that the request loads; nil for other requests.
  var query: QueryIdentity? {
    guard request.sendsQuery, let body = request.body else { return nil }
    return QueryIdentity(
      method: request.method, contentType: request.headers["content-type"] ?? "", content: body)
  }

  static let cancelled = "cancelled"

  /// Records that the request was cancelled.
  mutating func cancelled(at time: Double) {
    guard end == nil else { return }
    end = time
    error = StubExchange.cancelled
  }
}

/// A response of the test network.
enum AnswerStub {
  case result(NetworkResult, delay: Double)
  case fault(NetworkFault, delay: Double)
  /// A function of the script that produces the response.
  case function(any NetworkingProvider)
}

/// A network failure. The raw value is its name in scripts.
enum NetworkFault: String, CaseIterable {
  /// The server refuses the connection.
  case refused
  /// The connection is closed before the response.
  case reset
  /// The connection is closed in the middle of the body.
  case cut
  /// No response arrives before the timeout.
  case timeout

  /// Returns the error that a request ends with.
  func error(of request: HTTPRequest) -> TransportError {
    let host = NetworkFault.host(of: request.url)
    switch self {
    case .refused:
      var error = TransportError(.connection, "cannot connect to \(host) (Connection refused)")
      error.isUnsent = true
      return error
    case .reset: return TransportError(.connection, "the connection to \(host) was lost (reset)")
    case .cut:
      return TransportError(
        .truncatedBody, "the connection to \(host) ended before the body was complete")
    case .timeout:
      let limit = LogText.seconds(request.limits.timeout)
      return TransportError(.timeout, "no complete response from \(host) within \(limit) (timeout)")
    }
  }

  private static func host(of url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
    return parts.count > 1 ? String(parts[1].prefix { $0 != "?" }) : LogText.url(url)
  }
}

/// The masks of the secrets that were sent while recording, grouped by server and environment. For
/// each mask, the sources of its secrets are stored.
struct ToldMasks {
  private struct Owner {
    let environment: String?
    let source: Secret.Source
  }

  private var places: [CassetteClaim: Set<String>] = [:]
  private var owners: [String: [Owner]] = [:]

  /// Records the masks in a request. Returns all masks whose secrets were sent to the same server
  /// in the same environment.
  mutating func note(_ request: HTTPRequest) -> [String] {
    let claim = CassetteClaim(url: request.url, environment: request.environment)
    for secret in request.secretTexts.flatMap(\.secrets) {
      places[claim, default: []].insert(secret.mask)
      let isKnown = owners[secret.mask]?.contains {
        $0.environment == request.environment && $0.source == secret.source
      }
      guard isKnown != true else { continue }
      owners[secret.mask, default: []].append(
        Owner(environment: request.environment, source: secret.source))
    }
    return (places[claim] ?? []).sorted()
  }

  /// Returns whether different secrets in different environments have this mask. (ENV-18)
  func isOfSeveral(_ mask: String) -> Bool {
    guard let owners = owners[mask], let first = owners.first else { return false }
    return owners.contains { $0.environment != first.environment && $0.source != first.source }
  }
}
