import LullSystem

/// Several requests that one task waits for together: `Request.all` or `Request.any`.
///
/// Over with the first that decides, with the last of all, when the task is cancelled, or with the home,
/// whichever is first; the others are left then. Home thread only.
final class RequestGathering {
  enum Kind {
    /// Over with the first failure.
    case all
    /// Over with the first success.
    case any
  }

  typealias Outcome = Result<[Entity], RequestError>

  private let kind: Kind
  /// Those that are waited for.
  private var requests: [Request]
  /// Why others are not: they would wait for the one who waits.
  private var refusals: [RequestError] = []
  private let pump: Pump
  private var waiters: [RequestWaiter] = []
  private var openCount: Int
  private var firstFailure: RequestError?
  private var continuation: CheckedContinuation<Outcome, Never>?
  private var ending: PumpEnding.Number?
  /// Whether the task was cancelled before it came here.
  private var isCancelled = false
  private var isOver = false

  /// - Parameter requests: not empty.
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
    // Whoever tries for ever must let others run.
    if !refusals.isEmpty { await Task.yield() }
    for request in requests { transformer?.began(request) }
    defer { for request in requests { transformer?.ended(request) } }
    let waiting = pump.waits.began()
    defer { pump.waits.ended(waiting) }
    // Only the signal leaves the home thread: a task may be cancelled on any.
    let cancellation = pump.signal { self.cancel() }
    defer { pump.discard(cancellation) }
    return await withTaskCancellationHandler {
      // Named, or the closure would leave the caller's actor.
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

  /// Leaves what has not ended, and goes on when the hooks of what that has cancelled have run.
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
  /// Waits until all of them have succeeded and gives what they brought, in their order; throws the error
  /// of the first that fails.
  ///
  /// Order of events: all are waited for at a time; the last success or the first failure ends it, and the
  /// others are left as by a task that is cancelled: one for which nobody else waits is cancelled, unless
  /// it is a load of a resource that somebody observes. Then their hooks run, then the caller goes on.
  /// Cancelling the task leaves them all, with the cause `requestCancelled`, as does the end of the home.
  /// It starts none of them. The same request may be there twice, and requests of several services of one
  /// home; those that have ended already count as they have. Of no requests the list is empty. Runs on the
  /// caller's actor, which must be the home of the requests. Lua: `lull.all(list)`. (CMB-01 to CMB-08)
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

  /// Waits until one of them has succeeded and gives what it brought; throws the first error if all fail.
  ///
  /// The others are left then; otherwise as `all`. Of no requests nothing can succeed: that is an error at
  /// once. Lua: `lull.any(list)`. (CMB-02 to CMB-10)
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
      preconditionFailure("one has succeeded and none is there; this is a bug in Lull")
    }
    return entity
  }

  private static func gather(
    _ kind: RequestGathering.Kind, _ requests: [Request], _ pump: Pump,
    _ isolation: isolated (any Actor)?
  ) async throws(RequestError) -> [Entity] {
    pump.checkThread()
    // Whoever tries for ever must let others run.
    if pump.ending.hasEnded { await Task.yield() }
    return try await RequestGathering(kind, requests, pump).outcome(isolation: isolation).get()
  }

  private struct EmptyList: Error, CustomStringConvertible {
    let description: String
  }
}

extension Sequence {
  /// Calls a function that waits for each element, a few calls at a time, and gives the results in the order
  /// of the elements.
  ///
  /// Order of events: calls begin in the order of the sequence, at most `limit` at once, the next when one
  /// has ended. The first error begins no further ones, cancels those that run, and is thrown when they
  /// have ended. Cancelling the task cancels the calls that run and those that begin afterwards. All calls
  /// run on the caller's actor, by turns and not in parallel, so that elements, results and what the
  /// function uses need not be `Sendable`; in a function without an actor it ends the program with a
  /// message. However long the sequence, only running calls take memory beside the results. Lua:
  /// `lull.map(list, fn)`.
  /// (CMB-20 to CMB-27)
  ///
  ///     let names = try await ids.concurrentMap(limit: 4) { id in
  ///       try await api.resource("/users").child("\(id)").load().entity().jsonDict["name"]?.string
  ///     }
  ///
  /// - Parameter limit: how many calls run at once, 1 or more.
  /// - Throws: what the function throws.
  public func concurrentMap<Value, Failure: Error>(
    limit: Int = 8, isolation: isolated (any Actor)? = #isolation,
    _ transform: nonisolated(nonsending) @escaping (Element) async throws(Failure) -> Value
  ) async throws(Failure) -> [Value] {
    guard limit >= 1 else {
      ProgramMisuse.stop("concurrentMap(limit: \(limit)): the limit must be 1 or more")
    }
    guard isolation != nil else {
      ProgramMisuse.stop(
        "concurrentMap needs an actor to stay on, such as a home: call it inside Lull.run, "
          + "home.perform or an actor, in functions that are nonisolated(nonsending)")
    }
    let call = Confined(transform)
    let results: Confined<Result<[Value], Failure>> = await withTaskGroup(
      of: Confined<NumberedResult<Value, Failure>>.self, isolation: isolation
    ) { group in
      // Named, or the closure would leave the caller's actor.
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

/// What one call came to, and the how manyth it was.
private struct NumberedResult<Value, Failure: Error> {
  let number: Int
  let result: Result<Value, Failure>
}

/// One call, on the actor of whoever maps.
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
