import LullCassettes
import LullCore

/// The network of one test: it answers as the test has said, after as much of the test's time, and notes what
/// it was asked. What nobody has said an answer for fails, and the test with it.
///
/// Of several answers that fit a request those of the longest pattern count, of equal ones the last. Answers of
/// one pattern are given in turn, the last one from then on. What no pattern fits is answered from the recordings
/// of the test, as long after as it was recorded. Home thread only.
final class ProofNetwork: NetworkingProvider {
  private struct Rule {
    let method: RequestMethod
    let glob: URLGlob
    var answers: [ProofAnswer] = []
    var next = 0
  }

  private let pump: Pump
  private var rules: [Rule] = []
  private(set) var exchanges: [ProofExchange] = []
  /// What there was no answer for, in sentences.
  private(set) var misses: [String] = []
  /// What answers where no rule does.
  var cassettes = CassetteDeck()

  init(_ pump: Pump) { self.pump = pump }

  // MARK: What is answered

  /// Takes the place of one for the same; its number.
  func addRule(_ method: RequestMethod, _ glob: URLGlob) -> Int {
    if let place = rules.firstIndex(where: { $0.method == method && $0.glob == glob }) {
      rules[place] = Rule(method: method, glob: glob)
      return place
    }
    rules.append(Rule(method: method, glob: glob))
    return rules.count - 1
  }

  func add(_ answer: ProofAnswer, to rule: Int) {
    if rules.indices.contains(rule) { rules[rule].answers.append(answer) }
  }

  private func answer(for request: HTTPRequest) -> ProofAnswer? {
    var best: Int?
    for (place, rule) in rules.enumerated()
    where rule.method == request.method && !rule.answers.isEmpty && rule.glob.matches(request.url) {
      if best.map({ rule.glob.length >= rules[$0].glob.length }) ?? true { best = place }
    }
    guard let place = best else { return nil }
    let rule = rules[place]
    rules[place].next = min(rule.next + 1, rule.answers.count - 1)
    return rule.answers[rule.next]
  }

  // MARK: Asking

  func startRequest(
    _ request: HTTPRequest, completion: NetworkCompletion
  ) -> any RequestNetworking {
    let number = exchanges.count
    exchanges.append(ProofExchange(request, at: pump.clock.now))
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
    case .function(let provider):
      let own = pump.completion { [weak self] (result: NetworkResult) in
        self?.end(number, result, completion)
      }
      transfer.inner = provider.startRequest(request, completion: own)
    case nil: replay(request, number, transfer, completion)
    }
    return transfer
  }

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

  /// Notes it if there is nothing.
  private func recorded(for request: HTTPRequest) throws(TransportError) -> HAREntry {
    if !cassettes.isEmpty {
      let asked = try HARRequest(request)
      do throws(CassetteDeck.Miss) {
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
    guard delay > 0 else { return end(number, result, completion) }
    // Whoever waits for it has lost patience before it comes.
    let limit = request.limits.timeout
    let isLate = limit > 0 && delay > limit
    let result = isLate ? NetworkResult(error: NetworkFault.timeout.error(of: request)) : result
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
    let path = url.firstRange(of: "://").flatMap { scheme in
      url[scheme.upperBound...].firstIndex(of: "/").map { String(url[$0...]) }
    }
    let known = rules.map { "\($0.method) \($0.glob.text)" }.sorted().joined(separator: ", ")
    return "no test reaches the network, and this one has no answer for \(request.method) \(url): "
      + "t.network:on(\"\(request.method)\", \"\(path ?? "/")\", { json = … })"
      + (known.isEmpty ? "" : "; there are: \(known)")
  }

  private final class Transfer: RequestNetworking {
    var timer: (any HostTimer)?
    var inner: (any RequestNetworking)?
    private let onCancel: () -> Void

    init(onCancel: @escaping () -> Void) { self.onCancel = onCancel }

    var transferMetrics: RequestTransferMetrics {
      inner?.transferMetrics ?? RequestTransferMetrics()
    }

    func cancel() {
      timer?.cancel()
      inner?.cancel()
      onCancel()
    }
  }
}
