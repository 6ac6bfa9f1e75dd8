import LullSystem

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
