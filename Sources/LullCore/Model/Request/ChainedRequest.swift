/// A request together with a decision about its response: use the response, use another, or
/// continue with a further request. Made by `Request.chained`.
///
/// Order of events: the wrapped request runs. When it has completed, whatever the outcome, the
/// decision is made once (CHN-10). The chain then completes with a response, or with that of the
/// request that it passes to. Hooks of the wrapped request get its own response (CHN-08). A chain
/// around a request that has started starts automatically. Otherwise `start()` starts the chain and
/// the wrapped request (CHN-09). Home thread only. Lua: `request:chained(fn)`.
public final class ChainedRequest: Request {
  /// Returns the action, or nil if `proceed(with:)` will be called once, later.
  package typealias Decision = (Response, ChainedRequest) -> RequestChainAction?

  /// The number of times that chains may pass to chains before the last one fails.
  package static let longestChain = 100

  let wrapped: Request
  private let decide: Decision
  private let maker: AnyObject?
  /// The request that this chain waits for now.
  private var part: Request?
  private var passedTo: Request?
  private var wrappedResponse: Response?
  /// The number of chains that have passed on, one to the next, before this one.
  private var hops = 0
  private var onAbandon: (() -> Void)?
  private var link: Link?

  /// - Parameter maker: The host's object that `decide` comes from.
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

  /// Repeats the wrapped request. The decision is made again, for the new response. (CHN-15 to
  /// CHN-17)
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

  /// Called by a decision that will proceed later. `stop` ends the work that the decision waits
  /// for; it is called at once if the chain has been cancelled.
  package func waits(stoppingWith stop: @escaping () -> Void) {
    if isCompleted { stop() } else { onAbandon = stop }
  }

  /// Continues after a decision that waited. Ignored if the chain has completed.
  package func proceed(with action: RequestChainAction) {
    onAbandon = nil
    guard !isCompleted, passedTo == nil, let wrappedResponse else { return }
    switch action {
    case .useThisResponse: complete(with: wrappedResponse)
    case .useResponse(let response): complete(with: response)
    case .passTo(let next): pass(to: next)
    }
  }

  /// Whether its response is the cancellation of a request that includes this chain. (CHN-06)
  private var takesCancellation = false

  private func pass(to next: Request) {
    if next === wrapped, let wrappedResponse { return complete(with: wrappedResponse) }
    // A request that includes this chain must not become a part of it, or neither would ever end.
    if next.waits(for: self) || next.includes(self) {
      guard let response = next.response else { return fail("it would wait for itself") }
      takesCancellation = next.wasCancelled
      return complete(with: response)
    }
    guard hops < ChainedRequest.longestChain else {
      // No other chain waits for it. Left running, it would count its hops from zero again.
      if next.waitingChains == 0 { next.cancel() }
      return fail("it has been passed on \(ChainedRequest.longestChain) times")
    }
    (next as? ChainedRequest)?.lengthen(to: hops + 1)
    passedTo = next
    follow(next) { $0.complete(with: $1) }
    next.start()
  }

  private func fail(_ reason: String) {
    complete(with: .failure(endless(reason)))
  }

  /// The error of a chain that would never end.
  package func endless(_ reason: String) -> RequestError {
    var error = RequestError(
      httpStatusCode: nil, entity: nil,
      cause: .chainTooLong(message: "this chain never ends: \(reason)"),
      timestamp: pump.clock.now)
    error.method = method
    error.url = url
    return error
  }

  /// Adds earlier hops to this chain and to the chains that it wraps or passes to.
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

  /// The reference from a part to the chain that waits for it. It is strong until the part ends or
  /// the chain is abandoned.
  private final class Link {
    private var held: ChainedRequest?
    private(set) weak var chain: ChainedRequest?

    init(_ chain: ChainedRequest) {
      held = chain
      self.chain = chain
    }

    func letGo() { held = nil }
  }

  /// Makes the reference from the part weak: chain and part refer to each other, and would never be
  /// released if the part never ends. To receive a cancellation, hold the chain.
  override package func abandon() {
    super.abandon()
    link?.letGo()
  }

  /// Cancels the part that is running, unless another chain waits for it. (CHN-11, CHN-14)
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

  /// If the last part sends nothing, such as a hard-wired response, the exchange before it counts.
  override package var sending: RequestSending? { passedTo?.sending ?? wrapped.sending }

  /// The progress of the running part. (CHN-18)
  override package var currentProgress: Double { (passedTo ?? wrapped).progress }
  /// After passing on, progress is that of the new part, from its start.
  override package var mayProgressFall: Bool { true }
  override package var progressReportingInterval: Double {
    (passedTo ?? wrapped).progressReportingInterval
  }
}

extension Request {
  /// Returns a new request that continues this one: `decide` gets the response of this request,
  /// success or failure, and decides about the response of the new one.
  ///
  /// It starts automatically if this request has started (CHN-09). Cancelling the new request
  /// cancels the part that is running. Cancelling this request does not cancel the new one:
  /// `decide` then gets the cancellation (CHN-11 to CHN-13). If more than 100 chains pass to each
  /// other, they fail with the cause `chainTooLong`. Lua: `request:chained(fn)`.
  public final func chained(
    whenCompleted decide: @escaping (Response) -> RequestChainAction
  ) -> Request {
    ChainedRequest(wrapping: self) { response, _ in decide(response) }
  }
}

/// The action of a chain after the response of the wrapped request. (CHN-01 to CHN-06)
public enum RequestChainAction {
  /// The chain ends with the wrapped request's response, `isNew` included.
  case useThisResponse
  /// The chain ends with this response.
  case useResponse(Response)
  /// The chain ends with the response of that request, which is started if necessary.
  case passTo(Request)
}

extension PumpTask {
  /// The request whose transformer is the calling task.
  package static func request(on pump: Pump) -> Request? { current(on: pump)?.owner as? Request }

  /// The error if a transformer's wait for `awaited` would never end; nil if it may wait.
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
  /// The requests that the running transformer of this request waits for; empty if it waits for
  /// none.
  package var awaitedByTransformer: [Request] {
    let task = pump.guest(PumpTasks.self)?.task(of: self)
    return task?.awaited.compactMap { $0 as? Request } ?? []
  }

  /// Whether it can't complete before `goal`, directly or because of its parts and transformers.
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
