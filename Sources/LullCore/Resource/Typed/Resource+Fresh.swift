extension Resource {
  /// The resource's data as a type of the program's, loaded if it is not fresh.
  ///
  /// Order of events: fresh data is given at once, without any request. Else the load in flight is
  /// waited for, or one is started, as `loadIfNeeded` decides: however many ask at a time, one request
  /// goes out, and what it brings is decoded once. While the last load's error is recent, younger than
  /// the retry time, nobody is asked and that error is thrown. Offline, data of any age is fresh. If the
  /// data comes from a stream, its first data is waited for.
  ///
  /// Content of another type leaves the resource as it is, data that is there included; with a
  /// transformer, `Service.configureTransformer(_:as:)`, it fails the load. Cancelling the waiting task
  /// does what it does to `Request.entity()`. Runs on the caller's actor, which must be the home of the
  /// resource.
  ///
  ///     let user = try await api.resource("/me").fresh(User.self)
  ///
  /// - Throws: The load's error, or why the content is not of the type: see `decoded`.
  public func fresh<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self, isolation: isolated (any Actor)? = #isolation
  ) async throws(RequestError) -> Value {
    if let load = loadIfNeeded() {
      return try decoded(try await load.entity(isolation: isolation), as: type)
    }
    if let error = latestError, !owner.isOffline || latestData == nil { throw error }
    if let data = latestData { return try decoded(data, as: type) }
    return try await streamed(type, isolation: isolation)
  }

  /// What a stream that is followed brings first.
  private func streamed<Value: Decodable & Sendable>(
    _ type: Value.Type, isolation: isolated (any Actor)?
  ) async throws(RequestError) -> Value {
    var events = events.makeAsyncIterator()
    while await events.next(isolation: isolation) != nil {
      if latestData != nil || latestError != nil { return try decoded(type) }
    }
    throw RequestError.cancelled(at: pump.clock.now)
  }
}
