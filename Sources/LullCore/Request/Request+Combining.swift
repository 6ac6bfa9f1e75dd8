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
