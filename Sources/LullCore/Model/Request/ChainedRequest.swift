/// A request, and what to do when it has ended: keep its response, use another, or go on with a
/// further request. Made by `Request.chained`.
///
/// Order of events: the wrapped request runs; when it has completed, whatever the outcome, the
/// decision is made once (CHN-10); the chain completes with a response, or when the request it
/// passes to does. Hooks of the wrapped request still see that one's response (CHN-08). A chain
/// around a request that has started starts by itself; otherwise it waits for `start()`, which
/// starts the wrapped one too (CHN-09). Home thread only. Lua: `request:chained(fn)`.
public final class ChainedRequest: Request {
  /// The action, or nil: `proceed(with:)` is called once, later.
  package typealias Decision = (Response, ChainedRequest) -> RequestChainAction?

  /// How often chains may pass to chains before the last one fails.
  package static let longestChain = 100

  let wrapped: Request
  private let decide: Decision
  private let maker: AnyObject?
  /// The request this waits for now.
  private var part: Request?
  private var passedTo: Request?
  private var wrappedResponse: Response?
  /// How many chains have passed on, one to the next, before this one.
  private var hops = 0
  private var onAbandon: (() -> Void)?
  private var link: Link?

  /// - Parameter maker: what of the host's `decide` comes from.
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

  /// Repeats the wrapped request; the decision is made anew on its response. (CHN-15 to CHN-17)
  override public func repeated() -> Request {
    ChainedRequest(wrapping: wrapped.repeated(), by: maker, decide: decide)
  }

  override package func begin() {
    follow(wrapped) { chain, response in
      chain.wrappedResponse = response
      // A decision that waits may yet keep it.
      chain.pump.host?.hold(response, for: chain)
      if let action = chain.decide(response, chain) { chain.proceed(with: action) }
    }
    wrapped.start()
  }

  /// Called by a decision that will proceed later: `stop` ends what it waits for, at once if the chain
  /// has been cancelled meanwhile.
  package func waits(stoppingWith stop: @escaping () -> Void) {
    if isCompleted { stop() } else { onAbandon = stop }
  }

  /// Goes on after a decision that waited; ignored once the chain has completed.
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
    // What includes this chain must not become a part of it, or neither would ever end.
    if next.waits(for: self) || next.includes(self) {
      guard let response = next.response else { return fail("it would wait for itself") }
      takesCancellation = next.wasCancelled
      return complete(with: response)
    }
    guard hops < ChainedRequest.longestChain else {
      // Nobody waits for it, and left to itself it would begin to count anew.
      if next.waitingChains == 0 { next.cancel() }
      return fail("it has passed on \(ChainedRequest.longestChain) times")
    }
    (next as? ChainedRequest)?.lengthen(to: hops + 1)
    passedTo = next
    follow(next) { $0.complete(with: $1) }
    next.start()
  }

  private func fail(_ reason: String) {
    complete(with: .failure(endless(reason)))
  }

  /// What a chain fails with that cannot end.
  package func endless(_ reason: String) -> RequestError {
    var error = RequestError(
      httpStatusCode: nil, entity: nil,
      cause: .chainTooLong(message: "this chain never ends: \(reason)"),
      timestamp: pump.clock.now)
    error.method = method
    error.url = url
    return error
  }

  /// Chains this one wraps or passes to are links of the same, longer chain.
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

  /// How the part it waits for knows a chain: held until that part ends, unless it never will.
  private final class Link {
    private var held: ChainedRequest?
    private(set) weak var chain: ChainedRequest?

    init(_ chain: ChainedRequest) {
      held = chain
      self.chain = chain
    }

    func letGo() { held = nil }
  }

  /// The part it waits for refers to it and it to the part: one of them must not hold the other. Who
  /// wants to hear of a cancellation holds the chain.
  override package func abandon() {
    super.abandon()
    link?.letGo()
  }

  /// Cancels the part that runs, unless another chain waits for it too. (CHN-11, CHN-14)
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

  /// A part that sends nothing, such as a hard-wired response, leaves it to the exchange before it.
  override package var sending: RequestSending? { passedTo?.sending ?? wrapped.sending }

  /// That of the part that runs. (CHN-18)
  override package var currentProgress: Double { (passedTo ?? wrapped).progress }
  /// Passing on begins again with the new part's progress.
  override package var mayProgressFall: Bool { true }
  override package var progressReportingInterval: Double {
    (passedTo ?? wrapped).progressReportingInterval
  }
}

extension Request {
  /// A new request that continues this one: `decide` gets its response, success or failure, and says
  /// what the new request's is.
  ///
  /// It starts by itself if this request has started (CHN-09). Cancelling it cancels the part that
  /// runs; cancelling this request does not cancel it: `decide` then gets the cancellation (CHN-11 to
  /// CHN-13). More than 100 chains that pass to each other fail with cause `chainTooLong`. Lua:
  /// `request:chained(fn)`.
  public final func chained(
    whenCompleted decide: @escaping (Response) -> RequestChainAction
  ) -> Request {
    ChainedRequest(wrapping: self) { response, _ in decide(response) }
  }
}

/// What a chain does once it knows the response of the request it wraps. (CHN-01 to CHN-06)
public enum RequestChainAction {
  /// The chain ends with the wrapped request's response, `isNew` included.
  case useThisResponse
  /// The chain ends with this response.
  case useResponse(Response)
  /// The chain ends as that request does; it is started if nobody has.
  case passTo(Request)
}

extension PumpTask {
  /// The request that waits for what the calling task does.
  package static func request(on pump: Pump) -> Request? { current(on: pump)?.owner as? Request }

  /// Why its transformer's waiting for this would never end; nil if it may.
  func refusal(toAwait awaited: Request) -> RequestError? {
    guard let request = owner as? Request, awaited.waits(forTransformersOf: request) else {
      return nil
    }
    let message =
      "\(awaited.displayName) would wait for itself: it goes on when the transformer that waits for "
      + "it has returned; use the content that the transformer is given, or start with 'spawn' what "
      + "is to wait for the request"
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
  /// What the transformer waits for that has this request wait; nothing if none does.
  package var awaitedByTransformer: [Request] {
    let task = pump.guest(PumpTasks.self)?.task(of: self)
    return task?.awaited.compactMap { $0 as? Request } ?? []
  }

  /// Whether it cannot complete before `goal`, directly or through its parts and transformers.
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
