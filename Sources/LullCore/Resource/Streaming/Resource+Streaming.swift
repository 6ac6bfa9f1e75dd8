extension Resource {
  /// Reads the resource as a stream, item by item: `text/event-stream`, lines of JSON, or values of JSON that follow
  /// each other.
  ///
  /// Nothing is sent before the first item is asked for, and the resource's state stays as it is; see
  /// `EventStream`. Lua: `resource:events{…}`.
  ///
  ///     for try await item in api.resource("/events").events().items { … }
  public func events(_ options: StreamOptions = StreamOptions()) -> EventStream {
    EventStream(self, options)
  }

  /// Makes what the items of a stream come to the resource's content, and begins at once; see
  /// `StreamFollower`. Lua: `resource:follow{…}`.
  ///
  /// - Parameters:
  ///   - content: what the first item is added to.
  ///   - prepare: sees the follower before anything is sent.
  ///   - reduce: makes one content of the last one and an item.
  @discardableResult
  public func follow(
    _ options: StreamOptions = StreamOptions(), from content: Content? = nil,
    prepare: (StreamFollower) -> Void = { _ in }, reduce: @escaping StreamFollower.Reducer
  ) -> StreamFollower {
    let follower = StreamFollower(events(options), from: content, reduce)
    prepare(follower)
    follower.start()
    return follower
  }

  /// What items of a stream have come to.
  func streamed(_ content: Content, isFirst: Bool) {
    let event = record.state.streamed(content, now: pump.clock.now)
    endCacheCheck()
    // Later it is gone from there.
    if isFirst { removeFromCaches() }
    stateChanged()
    notify(event)
  }

  /// A stream that made its content has failed.
  func streamFailed(_ error: RequestError) {
    let event = record.state.streamFailed(error)
    endCacheCheck()
    stateChanged()
    notify(event)
  }

  /// A request for a stream, not started: without a bound in time but for silence.
  ///
  /// - Parameter timeout: seconds of its own, nil for none.
  func streamRequest(
    to inbox: StreamInbox, after lastEventID: String, within timeout: Double?, edit: AdHocMutation?
  ) -> Request {
    let mutation = AdHocMutation(by: edit?.maker) {
      (http: inout HTTPRequest) throws(RequestError) in
      if http.headers["accept"] == nil {
        http.headers["Accept"] =
          "text/event-stream, application/x-ndjson, application/jsonl, "
          + "application/json;q=0.9"
      }
      // As a browser asks for one: whatever lies between is not to answer in the server's stead.
      if http.headers["cache-control"] == nil { http.headers["Cache-Control"] = "no-store" }
      if !lastEventID.isEmpty { http.headers.set("Last-Event-ID", bytes: lastEventID.utf8) }
      var options = http.options ?? TransferOptions()
      options.sink = inbox.sink
      http.options = options
      http.boundBySilence()
      if let timeout { http.limits.timeout = timeout }
      try edit?.edit(&http)
      if let type = http.options?.responseType { inbox.expect(type) }
    }
    return prepared(.get, adHoc: mutation)
  }
}
