import LullSystem

/// The wait of one task for several requests, in `Request.all` or `Request.any`.
///
/// The wait ends with the first response that decides the outcome: a failure for `all`, a success
/// for `any`. If no response decides it, the wait ends with the last response. The wait also ends
/// when the task is cancelled or the home ends. The task then stops waiting for the remaining
/// requests. Home thread only.
final class RequestGathering {
  enum Kind {
    /// The wait of `Request.all`, which ends with the first failure.
    case all
    /// The wait of `Request.any`, which ends with the first success.
    case any
  }

  typealias Outcome = Result<[Entity], RequestError>

  private let kind: Kind
  /// The requests for which the task waits.
  private var requests: [Request]
  /// The errors of requests for which the task can't wait, because these requests are waiting for
  /// the task.
  private var refusals: [RequestError] = []
  private let pump: Pump
  private var waiters: [RequestWaiter] = []
  private var openCount: Int
  private var firstFailure: RequestError?
  private var continuation: CheckedContinuation<Outcome, Never>?
  private var ending: PumpEnding.Number?
  /// Whether the task was cancelled before the wait began.
  private var isCancelled = false
  private var isOver = false

  /// - Parameter requests: At least one request.
  init(_ kind: Kind, _ requests: [Request], _ pump: Pump) {
    self.kind = kind
    self.requests = requests
    self.pump = pump
    openCount = requests.count
  }

  func outcome(isolation: isolated (any Actor)?) async -> Outcome {
    let transformer = PumpTask.current(on: pump)
    requests.removeAll { request in
      guard let error = transformer?.refusal(toAwait: request) else { return false }
      refusals.append(error)
      return true
    }
    // Yields, so that a loop of failing calls does not block other tasks.
    if !refusals.isEmpty { await Task.yield() }
    for request in requests { transformer?.began(request) }
    defer { for request in requests { transformer?.ended(request) } }
    let waiting = pump.waits.began()
    defer { pump.waits.ended(waiting) }
    // A task may be cancelled on any thread, so only the signal leaves the home thread.
    let cancellation = pump.signal { self.cancel() }
    defer { pump.discard(cancellation) }
    return await withTaskCancellationHandler {
      // Captures `isolation`, so that the closure stays on the caller's actor.
      _ = isolation
      return await withCheckedContinuation { begin($0) }
    } onCancel: {
      cancellation()
    }
  }

  private func begin(_ continuation: CheckedContinuation<Outcome, Never>) {
    self.continuation = continuation
    guard !isCancelled else { return finish(.failure(cancelled())) }
    guard !pump.ending.hasEnded else { return finish(.failure(cancelled())) }
    ending = pump.ending.add { [self] in finish(.failure(cancelled())) }
    for request in requests {
      waiters.append(request.addWaiter { [self] response in ended(response) })
    }
    for error in refusals { ended(error) }
  }

  private func ended(_ response: Response) {
    switch response.outcome {
    case .failure(let error): ended(error)
    case .success(let entity):
      guard !isOver else { return }
      openCount -= 1
      switch kind {
      case .any: finish(.success([entity]))
      case .all:
        if openCount == 0 { finish(.success(requests.compactMap { $0.response?.entity })) }
      }
    }
  }

  private func ended(_ error: RequestError) {
    guard !isOver else { return }
    openCount -= 1
    let first = firstFailure ?? error
    firstFailure = first
    if kind == .all || openCount == 0 { finish(.failure(first)) }
  }

  private func cancel() {
    isCancelled = true
    if continuation != nil { finish(.failure(cancelled())) }
  }

  /// Stops waiting for the requests that have not ended, which may cancel some of them. The task
  /// continues after the hooks of the cancelled requests have run.
  private func finish(_ outcome: Outcome) {
    guard !isOver else { return }
    isOver = true
    if let ending { pump.ending.remove(ending) }
    let waiters = waiters
    self.waiters = []
    var hasCancelled = false
    for (request, waiter) in zip(requests, waiters) {
      if request.leave(waiter, isSparingObserved: true) { hasCancelled = true }
    }
    guard hasCancelled, !pump.ending.hasEnded else { return goOn(outcome) }
    // The home may end before the hooks have run.
    ending = pump.ending.add { [self] in goOn(outcome) }
    pump.enqueue { [self] in
      pump.enqueueAfterPhase { [self] in goOn(outcome) }
    }
  }

  private func goOn(_ outcome: Outcome) {
    if let ending { pump.ending.remove(ending) }
    ending = nil
    continuation?.resume(returning: outcome)
    continuation = nil
  }

  private func cancelled() -> RequestError {
    var error = RequestError.cancelled(at: pump.clock.now)
    if pump.ending.hasEnded { error.userMessage = "Request cancelled: its home has ended" }
    return error
  }
}

extension Request {
  /// Waits until all requests have succeeded and returns their entities, in the order of the
  /// requests. Throws the error of the first request that fails.
  ///
  /// Order of events: the caller waits for all requests at the same time, until the last success or
  /// the first failure. It then stops waiting for the remaining requests: a request without other
  /// waiters is cancelled, unless it is a load of a resource with observers. The hooks of cancelled
  /// requests run, and then the caller continues. If the task is cancelled or the home ends, the
  /// same happens with all requests, and the error has the cause `requestCancelled`.
  ///
  /// The call does not start requests. The list may contain the same request twice, requests that
  /// have already ended, and requests of several services of one home. For an empty list the result
  /// is empty. The call runs on the caller's actor, which must be the home of the requests. Lua:
  /// `lull.all(list)`. (CMB-01 to CMB-08)
  ///
  ///     let loads = ids.map { api.resource("/users").child("\($0)").load() }
  ///     let users = try await Request.all(loads)
  @discardableResult
  public static func all(
    _ requests: [Request], isolation: isolated (any Actor)? = #isolation
  ) async throws(RequestError) -> [Entity] {
    guard let pump = requests.first?.pump else { return [] }
    return try await gather(.all, requests, pump, isolation)
  }

  /// Waits until one request has succeeded and returns its entity. If all requests fail, throws the
  /// first error.
  ///
  /// The caller then stops waiting for the remaining requests: a request without other waiters is
  /// cancelled, unless it is a load of a resource with observers. In all other respects the call is
  /// like `Request.all`. For an empty list it throws at once, because no request can succeed. Lua:
  /// `lull.any(list)`. (CMB-02 to CMB-10)
  ///
  ///     let mirrors = [one, two].map { $0.resource("/list").load() }
  ///     let list = try await Request.any(mirrors)
  @discardableResult
  public static func any(
    _ requests: [Request], isolation: isolated (any Actor)? = #isolation
  ) async throws(RequestError) -> Entity {
    let nothing = "Request.any has no request to wait for: its list is empty"
    guard let pump = requests.first?.pump else {
      throw RequestError(userMessage: nothing, cause: .custom(EmptyList(description: nothing)))
    }
    let entities = try await gather(.any, requests, pump, isolation)
    guard let entity = entities.first else {
      preconditionFailure("a request succeeded without a result; this is a bug in Lull")
    }
    return entity
  }

  private static func gather(
    _ kind: RequestGathering.Kind, _ requests: [Request], _ pump: Pump,
    _ isolation: isolated (any Actor)?
  ) async throws(RequestError) -> [Entity] {
    pump.checkThread()
    // Yields, so that a loop of failing calls does not block other tasks.
    if pump.ending.hasEnded { await Task.yield() }
    return try await RequestGathering(kind, requests, pump).outcome(isolation: isolation).get()
  }

  private struct EmptyList: Error, CustomStringConvertible {
    let description: String
  }
}

extension Sequence {
  /// Calls an asynchronous function for each element, a few calls at a time, and returns the
  /// results in the order of the elements.
  ///
  /// Order of events: calls begin in the order of the sequence, at most `limit` at the same time.
  /// When a call has ended, the next call begins. After the first error no further calls begin, and
  /// the running calls are cancelled. When the running calls have ended, the error is thrown.
  /// Cancelling the task cancels the running calls and all calls that begin afterwards.
  ///
  /// All calls run on the caller's actor, interleaved but not in parallel, so elements, results and
  /// captured values need not be `Sendable`. If the caller is not isolated to an actor, the program
  /// ends with a message. Apart from the results, only running calls take memory, however long the
  /// sequence is. Lua: `lull.map(list, fn)`. (CMB-20 to CMB-27)
  ///
  ///     let names = try await ids.concurrentMap(limit: 4) { id in
  ///       try await api.resource("/users").child("\(id)").load().entity().jsonDict["name"]?.string
  ///     }
  ///
  /// - Parameter limit: The maximum number of calls that run at the same time, at least 1.
  /// - Throws: Any error that the function throws.
  public func concurrentMap<Value, Failure: Error>(
    limit: Int = 8, isolation: isolated (any Actor)? = #isolation,
    _ transform: nonisolated(nonsending) @escaping (Element) async throws(Failure) -> Value
  ) async throws(Failure) -> [Value] {
    guard limit >= 1 else {
      ProgramMisuse.stop("concurrentMap(limit: \(limit)): the limit must be 1 or more")
    }
    guard isolation != nil else {
      ProgramMisuse.stop(
        "concurrentMap needs an actor to run on, such as a home: call it inside Lull.run, "
          + "home.perform or an actor, in functions that are nonisolated(nonsending)")
    }
    let call = Confined(transform)
    let results: Confined<Result<[Value], Failure>> = await withTaskGroup(
      of: Confined<NumberedResult<Value, Failure>>.self, isolation: isolation
    ) { group in
      // Captures `isolation`, so that the closure stays on the caller's actor.
      _ = isolation
      var elements = makeIterator()
      var values: [Value?] = []
      var failure: Failure?
      func begin() -> Bool {
        guard let element = elements.next() else { return false }
        let argument = Confined(element)
        let number = values.count
        values.append(nil)
        group.addTask { await perform(call, argument, number, isolation: isolation) }
        return true
      }
      for _ in 0..<limit where !begin() { break }
      while let ended = await group.next(isolation: isolation) {
        switch ended.value.result {
        case .success(let value):
          values[ended.value.number] = value
          if failure == nil { _ = begin() }
        case .failure(let error):
          guard failure == nil else { continue }
          failure = error
          group.cancelAll()
        }
      }
      return Confined(failure.map { .failure($0) } ?? .success(values.compactMap { $0 }))
    }
    return try results.value.get()
  }
}

/// The result of one call of the function, with the index of its element.
private struct NumberedResult<Value, Failure: Error> {
  let number: Int
  let result: Result<Value, Failure>
}

/// Calls the function for one element, on the actor that called `concurrentMap`.
private func perform<Element, Value, Failure: Error>(
  _ call: Confined<nonisolated(nonsending) (Element) async throws(Failure) -> Value>,
  _ argument: Confined<Element>, _ number: Int, isolation: isolated (any Actor)?
) async -> Confined<NumberedResult<Value, Failure>> {
  do throws(Failure) {
    let value = try await call.value(argument.value)
    return Confined(NumberedResult(number: number, result: .success(value)))
  } catch {
    return Confined(NumberedResult(number: number, result: .failure(error)))
  }
}
