extension Resource {
  /// Reads the resource as a stream, item by item: `text/event-stream`, or NDJSON.
  ///
  /// Nothing is sent before the first item is asked for, and the resource's state stays as it is; see
  /// `EventStream`. Lua: `resource:events{…}`.
  ///
  ///     for try await item in api.resource("/events").events() { … }
  public func events(_ options: StreamOptions = StreamOptions()) -> EventStream {
    EventStream(self, options)
  }

  /// A request for a stream, not started: without a bound in time but for silence.
  ///
  /// - Parameter timeout: seconds of its own, nil for none.
  func streamRequest(
    to sink: BodySink, after lastEventID: String, within timeout: Double?, edit: AdHocMutation?
  ) -> Request {
    let mutation = AdHocMutation(by: edit?.maker) {
      (http: inout HTTPRequest) throws(RequestError) in
      if http.headers["accept"] == nil {
        http.headers["Accept"] = "text/event-stream, application/x-ndjson, application/jsonl"
      }
      // As a browser asks for one: whatever lies between is not to answer in the server's stead.
      if http.headers["cache-control"] == nil { http.headers["Cache-Control"] = "no-store" }
      if !lastEventID.isEmpty { http.headers.set("Last-Event-ID", bytes: lastEventID.utf8) }
      var options = http.options ?? TransferOptions()
      options.sink = sink
      http.options = options
      http.boundBySilence()
      if let timeout { http.limits.timeout = timeout }
      try edit?.edit(&http)
    }
    return prepared("GET", adHoc: mutation)
  }
}
