/// A request that wraps another request and decides what to return when the wrapped request has a
/// response: that response, another response, or the response of a further request. Created by
/// `Request.chained`.
///
/// Order of events: the wrapped request runs. When it has completed, whatever the outcome, the
/// decision is made once (CHN-10). The chain then completes with a response, or passes on to a
/// further request and completes with the response of that request. Hooks of the wrapped request
/// get the response of the wrapped request, not the response of the chain (CHN-08). A chain around
/// a request that has started starts automatically. Otherwise `start()` starts the chain and the
/// wrapped request (CHN-09). Home thread only. Lua: `request:chained(fn)`.
public final class ChainedRequest: Request {
  /// Gets the response of the wrapped request, and returns the action. Returns nil if the decision
  /// waits; the decision then calls `proceed(with:)` once, later.
  package typealias Decision = (Response, ChainedRequest) -> RequestChainAction?

  /// The maximum number of hops. A hop is the step in which a chain passes on to another request.
  /// After this many hops from chain to chain, the next hop fails.
  package static let longestChain = 100

  let wrapped: Request
  private let decide: Decision
  private let maker: AnyObject?
  /// The request that this chain waits for now.
  private var part: Request?
  private var passedTo: Request?
  private var wrappedResponse: Response?
  /// The number of hops before this chain: the number of chains that have passed on, each to the
  /// next, until this chain was reached.
  private var hops = 0
  private var onAbandon: (() -> Void)?
  private var link: Link?

  /// - Parameter maker: The host's object with the function that `decide` calls; nil without a
  ///   host.
  package init(
    wrapping wrapped: Request, by maker: AnyObject? = nil, decide: @escaping Decision
  ) {
    self.wrapped = wrapped
    self.maker = maker
    self.decide = decide
    super.init(pump: wrapped.pump)
    if let maker { pump.host?.requestMade(self, by: maker) }
    attempt = wrapped.attempt
    if wrapped.state != .notStarted { start() }
  }

  override public var resource: Resource? { wrapped.resource }
  override public var method: RequestMethod? { wrapped.method }
  override public var url: String? { wrapped.url }
  override public var attempts: [RequestAttempt] { lastPart.attempts }
  override package var cancelledAttempts: [RequestAttempt] { lastPart.cancelledAttempts }
  override package var displayName: String { wrapped.displayName }

  /// Returns a chain around a repetition of the wrapped request. Its decision is made again, for
  /// the new response. (CHN-15 to CHN-17)
  override public func repeated() -> Request {
    ChainedRequest(wrapping: wrapped.repeated(), by: maker, decide: decide)
  }

  override package func begin() {
    follow(wrapped) { chain, response in
      chain.wrappedResponse = response
      // A decision that waits may still use the response.
      chain.pump.host?.hold(response, for: chain)
      if let action = chain.decide(response, chain) { chain.proceed(with: action) }
    }
    wrapped.start()
  }

  /// Registers the function that ends the work for which a decision waits. A decision calls this
  /// method if it will call `proceed(with:)` later. `stop` is called when the chain is cancelled,
  /// or at once if the chain has been cancelled already.
  package func waits(stoppingWith stop: @escaping () -> Void) {
    if isCompleted { stop() } else { onAbandon = stop }
  }

  /// Continues the chain with the action of its decision. Does nothing if the chain has completed
  /// or has passed on.
  package func proceed(with action: RequestChainAction) {
    onAbandon = nil
    guard !isCompleted, passedTo == nil, let wrappedResponse else { return }
    switch action {
    case .useThisResponse: complete(with: wrappedResponse)
    case .useResponse(let response): complete(with: response)
    case .passTo(let next): pass(to: next)
    }
  }

  /// Whether the response of this chain is the response of a cancelled request that includes this
  /// chain. (CHN-06)
  private var takesCancellation = false

  private func pass(to next: Request) {
    if next === wrapped, let wrappedResponse { return complete(with: wrappedResponse) }
    // A request that includes this chain must not become a part of the chain, because both would
    // wait for each other.
    if next.waits(for: self) || next.includes(self) {
      guard let response = next.response else { return fail("the chain would wait for itself") }
      takesCancellation = next.wasCancelled
      return complete(with: response)
    }
    guard hops < ChainedRequest.longestChain else {
      // If no other chain waits for `next`, it is cancelled. If it kept running, it would count its
      // hops from zero again.
      if next.waitingChains == 0 { next.cancel() }
      return fail("the chain has continued \(ChainedRequest.longestChain) times")
    }
    (next as? ChainedRequest)?.lengthen(to: hops + 1)
    passedTo = next
    follow(next) { $0.complete(with: $1) }
    next.start()
  }

  private func fail(_ reason: String) {
    complete(with: .failure(endless(reason)))
  }

  /// Returns the error of a chain that would never end.
  package func endless(_ reason: String) -> RequestError {
    var error = RequestError(
      httpStatusCode: nil, entity: nil,
      cause: .chainTooLong(message: "this chain never ends: \(reason)"),
      timestamp: pump.clock.now)
    error.method = method
    error.url = url
    return error
  }

  /// Raises the number of hops before this chain to `length`. Also raises it for the chains that
  /// this chain wraps or passes on to.
  private func lengthen(to length: Int) {
    guard length > hops, length <= ChainedRequest.longestChain else { return }
    hops = length
    (wrapped as? ChainedRequest)?.lengthen(to: length)
    (passedTo as? ChainedRequest)?.lengthen(to: length + 1)
  }

  private func follow(
    _ part: Request, then receive: @escaping (ChainedRequest, Response) -> Void
  ) {
    self.part = part
    part.waitingChains += 1
    let link = Link(self)
    self.link = link
    part.onCompletion { [unowned part] response in
      guard let chain = link.chain, chain.part === part else { return }
      chain.part = nil
      chain.link = nil
      part.waitingChains -= 1
      if !chain.isCompleted { receive(chain, response) }
    }
  }

  deinit { part?.waitingChains -= 1 }

  /// The reference that the request inside a chain, its part, has to the chain that waits for it.
  /// The reference is strong until the part ends or the chain is abandoned.
  private final class Link {
    private var held: ChainedRequest?
    private(set) weak var chain: ChainedRequest?

    init(_ chain: ChainedRequest) {
      held = chain
      self.chain = chain
    }

    func letGo() { held = nil }
  }

  /// Marks the chain as abandoned. Makes the reference from its running part, the request that the
  /// chain waits for, to the chain weak. The part and the chain retain each other, and would never
  /// be released if the part never ends. From then on, the chain gets a cancellation of the part
  /// only if the caller holds the chain.
  override package func abandon() {
    super.abandon()
    link?.letGo()
  }

  /// Cancels the request that this chain waits for, unless another chain waits for it too. (CHN-11,
  /// CHN-14)
  override package func stopWork() {
    onAbandon?()
    onAbandon = nil
    guard let part else { return }
    self.part = nil
    link?.letGo()
    link = nil
    part.waitingChains -= 1
    if part.waitingChains == 0 { part.cancel() }
  }

  override package func includes(_ request: Request) -> Bool {
    self === request || wrapped.includes(request) || passedTo?.includes(request) ?? false
  }

  override package func waits(for request: Request) -> Bool {
    if self === request { return true }
    guard !isCompleted else { return false }
    return (part ?? wrapped).waits(for: request)
  }

  override package var openParts: [Request] { part.map { [$0] } ?? [] }

  override package var wrappedRequest: Request? { wrapped }

  override package var lastPart: Request { (passedTo ?? wrapped).lastPart }

  override package var wasCancelled: Bool {
    super.wasCancelled || takesCancellation || (passedTo ?? wrapped).wasCancelled
  }

  /// The positions of the last exchange of the request that this chain has passed on to. If that
  /// request sends nothing, for example because it is hard-wired: the positions of the wrapped
  /// request.
  override package var sending: RequestSending? { passedTo?.sending ?? wrapped.sending }

  /// The progress of the request that this chain waits for: the wrapped request, or the request
  /// that the chain has passed on to. (CHN-18)
  override package var currentProgress: Double { (passedTo ?? wrapped).progress }
  /// True, because after the chain has passed on, its progress is the progress of the new request.
  override package var mayProgressFall: Bool { true }
  override package var progressReportingInterval: Double {
    (passedTo ?? wrapped).progressReportingInterval
  }
}

extension Request {
  /// Returns a new request: a chain around this request. `decide` gets the response of this
  /// request, success or failure, and decides about the response of the chain.
  ///
  /// The chain starts automatically if this request has started (CHN-09). Cancelling the chain
  /// cancels the request that it waits for. Cancelling this request does not cancel the chain:
  /// `decide` then gets the cancellation (CHN-11 to CHN-13). If chains pass on to each other more
  /// than 100 times, they fail with the cause `chainTooLong`. Lua: `request:chained(fn)`.
  public final func chained(
    whenCompleted decide: @escaping (Response) -> RequestChainAction
  ) -> Request {
    ChainedRequest(wrapping: self) { response, _ in decide(response) }
  }
}

/// The action of a chain, once the wrapped request has a response. (CHN-01 to CHN-06)
public enum RequestChainAction {
  /// The chain ends with the response of the wrapped request, with the same `isNew`.
  case useThisResponse
  /// The chain ends with the given response.
  case useResponse(Response)
  /// The chain passes on to the given request. It starts that request if necessary, and ends with
  /// the response of that request.
  case passTo(Request)
}

extension PumpTask {
  /// Returns the request for which the calling task runs a transformer; nil if the task runs no
  /// transformer.
  package static func request(on pump: Pump) -> Request? { current(on: pump)?.owner as? Request }

  /// Returns an error if this task is a transformer that must not wait for `awaited`, because the
  /// wait would never end. Returns nil if the task may wait.
  func refusal(toAwait awaited: Request) -> RequestError? {
    guard let request = owner as? Request, awaited.waits(forTransformersOf: request) else {
      return nil
    }
    let message =
      "\(awaited.displayName) would wait for itself: it continues only after the transformer that "
      + "waits for it returns; use the content passed to the transformer, or wait for the request "
      + "in a task started with 'spawn'"
    var error = RequestError(
      userMessage: message, httpStatusCode: nil, entity: nil,
      cause: .custom(Circle(description: message)), timestamp: request.pump.clock.now)
    error.method = awaited.method
    error.url = awaited.url
    return error
  }

  private struct Circle: Error, CustomStringConvertible {
    let description: String
  }
}

extension Request {
  /// The requests that the running transformer of this request waits for; empty if it does not wait
  /// for a request.
  package var awaitedByTransformer: [Request] {
    let task = pump.guest(PumpTasks.self)?.task(of: self)
    return task?.awaited.compactMap { $0 as? Request } ?? []
  }

  /// Returns whether this request can't complete before `goal`. It can't if it is `goal`, or if its
  /// parts or transformers wait for `goal`, directly or through other requests.
  fileprivate func waits(forTransformersOf goal: Request) -> Bool {
    var visited: Set<ObjectIdentifier> = []
    var requests = [self]
    while let next = requests.popLast() {
      guard !next.isCompleted, visited.insert(ObjectIdentifier(next)).inserted else { continue }
      if next === goal { return true }
      requests += next.openParts + next.awaitedByTransformer
      requests += pump.host?.requestsAwaited(byScriptsOf: next) ?? []
    }
    return false
  }
}
