import CLullBridge
import LullCore

extension APIOwner {
  static let resourceStreams: [APIEntry] = [
    .method(
      "events", "(options?: StreamOptions): Events",
      """
      Reads the resource as a stream; returns an iterator for `for` that yields each item as it \
      arrives.
      """,
      """
      Items are `StreamEvent`s for `text/event-stream`, the value of each line for NDJSON \
      (`application/x-ndjson`, `application/jsonl`), and consecutive values for other JSON \
      (`application/json`, `application/json-seq`). The content of the resource and its pipeline \
      are not used. All other settings for a GET apply, except `timeout` and `max_body_size`: a \
      stream is limited by `idle_timeout` (60 seconds unless set), and each item to 16 MB. While \
      the body of the loop runs, at most 256 KB are read ahead from the server.

      An event stream that ends or breaks off is requested again, with `Last-Event-ID`, after the \
      time set by the server's `retry` (default 3 seconds). This time doubles after each further \
      failure, up to a minute. The stream ends when the server responds with 204, or with `break`. \
      A stream of JSON ends with its body.

      Raises the RequestError of a permanent failure, such as a wrong type or a status other than \
      200; configure `retry` for temporary failures. Also raises the error of any failure before \
      the stream was first opened. If a stream of JSON is interrupted, the error is raised after \
      the items that were received. Leaving the loop, in any way, closes the connection. A stream \
      keeps the script alive only while the loop waits for an item. May wait; cancelling the \
      waiting task ends the stream.
      """,
      example: """
        for event in api("/events"):events{ reconnect = false } do
          print(event.id, event.event, event:json().celsius)
          --> 1 message 21
          --> 2 alarm 99
        end
        for row in api("/rows"):events() do
          print(row.name)                          --> Ann
        end
        """, swift: "Resource.events(_:)", rules: "STR-01 STR-12 STR-19"
    ) { call throws(Misuse) in
      let resource = try call.resource
      let given = try StreamArguments(call, 1)
      let events = LuaEvents(
        resource.events(given.options), mutation: given.mutation, call.callbacks)
      let object = call.values.of(
        events, .events, service: resource.service, anchor: given.mutation ?? 0)
      if case .object(let handle, _, _, _) = object { events.hostHandle = handle }
      // The values for a generic `for`: function, state, control variable, and the value that `for`
      // closes when the loop ends.
      for value in [object, .nil, .nil, object] { call.return(value) }
    },
    .method(
      "follow", "(options: FollowOptions): Follow",
      "Builds the content of the resource from the items of a stream.",
      """
      The stream is requested at once, and read as by `events`. `reduce` is called for each item \
      with the content so far and the item, and returns the new content. Then observers get \
      `new_data` with the source `network`, at most once per turn of the event loop. While the \
      stream is followed, the resource counts as up to date, so `load_if_needed` loads nothing.

      An error of the stream becomes `latest_error`, and so does an error of `reduce`, which is \
      also reported. The stream continues until such an error, until the server ends the stream, \
      or until `stop` is called. The stream continues even if the returned object is dropped, and \
      keeps the script alive.
      """,
      example: """
        local weather = api("/events")
        weather:observe(function(resource, event, source)
          if event == "new_data" then print(source, resource.content.count, resource.content.last) end
        end)
        weather:follow{
          reconnect = false, initial = { count = 0 },
          reduce = function(content, event)
            return { count = content.count + 1, last = event:json().celsius }
          end,
        }:await()                                  --> network 2 99
        """, swift: "Resource.follow(_:from:prepare:reduce:)", rules: "STR-31 STR-32 STR-33 STR-35"
    ) { call throws(Misuse) in try follow(call) },
  ]

  static let eventsIterator = APIOwner.object(
    .events, receiver: "events",
    "The iterator of `resource:events`; it may also be called directly.",
    swift: "EventStream",
    entries: [
      .operation(
        "__call", "(): any", shown: "events()",
        "Waits for the next item and returns it; returns nil at the end.",
        example: """
          local events <close> = api("/events"):events()
          print(events().data, events.last_event_id)
          --> {"celsius": 21} 1
          """, swift: "StreamItems.AsyncIterator.next()", rules: "STR-01", arguments: "*"
      ) { call throws(Misuse) in try events(call).next(call) },
      .operation(
        "__close", "()", shown: "local events <close> = resource:events()",
        "Stops the stream at the end of the block or of the loop over `events`.", rules: "STR-22"
      ) { call throws(Misuse) in try events(call).end() },
      .property(
        "resource", "Resource",
        "The resource that is read.", swift: "EventStream.resource"
      ) {
        call throws(Misuse) in
        call.return(call.values.of(try events(call).stream.resource))
      },
      .property(
        "last_event_id", "string",
        """
        The id of the last event that was returned, to continue after that event later; empty if \
        there was no id.
        """,
        swift: "EventStream.lastEventID", rules: "STR-18"
      ) { call throws(Misuse) in
        call.return(.string(try events(call).stream.lastEventID))
      },
      .method(
        "stop", "()",
        "Ends the stream and closes its connection at once; a waiting call returns nil.",
        swift: "EventStream.stop()"
      ) { call throws(Misuse) in try events(call).end() },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let stream = try events(call).stream
        call.return(
          .string("Events(\(stream.resource.displayName)\(stream.isOver ? ", over" : ""))"))
      }
    ])

  static let streamEvent = APIOwner.object(
    .streamEvent, receiver: "event", "One event of a stream.", swift: "StreamEvent",
    entries: [
      .property(
        "id", "string",
        """
        The last id that the server has sent, with this event or an earlier event; empty if the \
        server has sent no id.
        """,
        swift: "StreamEvent.id",
        rules: "STR-06"
      ) { call throws(Misuse) in
        call.return(.string(try event(call).event.id))
      },
      .property(
        "event", "string", "The name of the event; default `message`.", swift: "StreamEvent.event",
        rules: "STR-05"
      ) { call throws(Misuse) in
        call.return(.string(try event(call).event.event))
      },
      .property(
        "data", "string", "The data of the event as text, with lines separated by line feeds.",
        swift: "StreamEvent.text", rules: "STR-10"
      ) { call throws(Misuse) in
        call.return(.bytes(try event(call).event.data))
      },
      .method(
        "json", "(): any", "The value of the data, parsed as JSON.",
        "Raises an error if the data is not JSON.",
        rules: "STR-10"
      ) { call throws(Misuse) in
        let box = try event(call)
        let document = try box.json()
        call.return(
          call.values.content(
            .json(document), holder: call.raw(0).handle, omitsNulls: box.omitsNulls, from: nil))
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let event = try event(call).event
        let id = event.id.isEmpty ? "" : ", id \(LogText.part(event.id, limit: 40))"
        let name = LogText.part(event.event, limit: 40)
        call.return(.string("StreamEvent(\(name)\(id), \(event.data.count) bytes)"))
      }
    ])

  static let followed = APIOwner.object(
    .follow, receiver: "follow", "A stream from which the content of a resource is built.",
    swift: "StreamFollower",
    entries: [
      .method(
        "await", "(): any, RequestError?",
        "Waits until the stream ends; returns the content, or nil and the error that ended it.",
        "May wait; cancelling the waiting task stops the stream.", rules: "STR-36"
      ) { call throws(Misuse) in try followed(call).await(call) },
      .method(
        "stop", "(): Follow",
        "Ends the stream and closes its connection at once; the content stays.",
        swift: "StreamFollower.stop()", rules: "STR-34"
      ) { call throws(Misuse) in
        try followed(call).stop()
        call.returnSelf()
      },
      .operation(
        "__close", "()", shown: "local follow <close> = resource:follow{…}",
        "Stops the stream when the block is left.", rules: "STR-34"
      ) { call throws(Misuse) in try followed(call).stop() },
      .property(
        "is_over", "boolean", "Whether the stream has ended.",
        swift: "StreamFollower.isOver"
      ) { call throws(Misuse) in
        call.return(.bool(try followed(call).follower?.isOver ?? true))
      },
      .property(
        "resource", "Resource",
        "The resource whose content is built from the stream."
      ) { call throws(Misuse) in
        call.return(try followed(call).follower.map { call.values.of($0.stream.resource) } ?? .nil)
      },
      .property(
        "last_event_id", "string",
        """
        The id of the last event that was applied, to continue after that event later; empty if \
        there was no id.
        """,
        rules: "STR-18"
      ) { call throws(Misuse) in
        call.return(.string(try followed(call).follower?.stream.lastEventID ?? ""))
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let follower = try followed(call).follower
        let name = follower?.stream.resource.displayName ?? ""
        call.return(.string("Follow(\(name)\(follower?.isOver ?? true ? ", over" : ""))"))
      }
    ])

  static let followOptions = APIOwner.table(
    "FollowOptions", extending: "StreamOptions", "Options of `resource:follow`.",
    entries: [
      .field(
        "reduce", "fun(content: any, item: any): any",
        "Returns the new content from the previous content and an item. Must return at once.",
        rules: "STR-31"),
      .field("initial", "any", "The content before the first item; default nil.", rules: "STR-31"),
    ])

  static let streamOptions = APIOwner.table(
    "StreamOptions", extending: "RequestOptions", "Options of `resource:events`.",
    """
    `headers` and `mutate` apply to each request of the stream; `timeout` limits the time of the \
    whole stream.
    """,
    swift: "StreamOptions",
    entries: [
      .field(
        "reconnect", "boolean?",
        """
        Whether an event stream that ends or breaks off is requested again; default true. With \
        false, the loop ends with the stream, and an interruption of the stream raises an error.
        """, swift: "StreamOptions.reconnects", rules: "STR-17"),
      .field(
        "last_event_id", "string?", "The id of the event to continue after.",
        swift: "StreamOptions.lastEventID", rules: "STR-18"),
    ])
}

extension APIOwner {
  private static func events(_ call: Call) throws(Misuse) -> LuaEvents {
    try call.selfObject(.events, as: LuaEvents.self)
  }

  private static func event(_ call: Call) throws(Misuse) -> StreamEventBox {
    try call.selfObject(.streamEvent, as: StreamEventBox.self)
  }

  private static func followed(_ call: Call) throws(Misuse) -> LuaFollow {
    try call.selfObject(.follow, as: LuaFollow.self)
  }

  static let followKeys = ["reduce", "initial"]

  private static func follow(_ call: Call) throws(Misuse) {
    var reduce: Int64?
    var initial: Content?
    let arguments = try StreamArguments(call, 1, besides: followKeys) {
      name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: call.state)
      guard name == "reduce" else {
        initial = try call.stored.content(value, call.state, index)
        return
      }
      guard value.kind == Int32(LULL_FUNCTION) else {
        throw .message("'reduce' must be a function, got \(value.described)")
      }
      reduce = try call.stored.keep(call.state, index)
    }
    guard let reduce else {
      throw .message(
        """
        follow needs 'reduce', a function that takes the content and an item and returns new \
        content
        """)
    }
    call.return(
      try LuaFollow.begin(
        try call.resource, arguments, reduce: reduce, initial: initial, call))
  }
}
