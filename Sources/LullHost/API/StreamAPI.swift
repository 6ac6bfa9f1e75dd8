import CLullBridge
import LullCore

extension APIOwner {
  static let resourceStreams: [APIEntry] = [
    .method(
      "events", "(options?: StreamOptions): Events",
      "Reads the resource as a stream: an iterator for `for` that yields each item as it comes.",
      """
      Of `text/event-stream` a `StreamEvent`, of NDJSON (`application/x-ndjson`, `application/jsonl`) \
      the value on each line, of any other JSON (`application/json`, `application/json-seq`) the values \
      that follow each other. The resource's own content is left alone, and so is the pipeline; all else \
      that is configured for a GET counts, but for `timeout` and `max_body_size`: silence bounds a stream \
      (`idle_timeout`, 60 seconds unless set), and 16 MB an item. While items wait for the loop's body, no \
      more is read from the server than 256 KB ahead.

      An event stream that ends or breaks off is asked for once more, with `Last-Event-ID`, after the \
      time that the server wants (3 seconds unless it says `retry`), and after each further failure \
      twice as long, up to a minute. It ends where the server answers 204, else with `break`. JSON ends \
      with its body.

      Raises the RequestError of what cannot pass, such as another status than 200 (configure `retry` \
      for those that may) or another type; of any failure before the stream has been there once; and of \
      a break of JSON, after the rows that have come. Leaving the loop, in any way, closes the \
      connection. Only while it is waited for, a stream keeps the script alive. May wait; cancelling the \
      waiting task ends it.
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
      // Function, state, control variable, and the value that `for` closes when the loop ends.
      for value in [object, .nil, .nil, object] { call.return(value) }
    },
    .method(
      "follow", "(options: FollowOptions): Follow",
      "Makes what the items of a stream come to the content of the resource.",
      """
      The stream is asked for at once, and read as by `events`. `reduce` is given the content so far and \
      an item, and returns the new content: one by one for all items that have come; then observers hear \
      `new_data` with the source `network`, once in a turn of the loop. Meanwhile the resource counts as \
      up to date, so that `load_if_needed` loads nothing.

      What fails the stream becomes `latest_error`, and so does an error of `reduce`, which is reported \
      besides. It goes on until then, until the server has no more, or until `stop`, whether or not you \
      hold what this returns, and keeps the script alive.
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
    "What `resource:events` gives to `for`; it may be called by hand as well.",
    swift: "EventStream",
    entries: [
      .operation(
        "__call", "(): any", shown: "events()", "Waits for the next item; nil at the end.",
        example: """
          local events <close> = api("/events"):events()
          print(events().data, events.last_event_id)
          --> {"celsius": 21} 1
          """, swift: "StreamItems.AsyncIterator.next()", rules: "STR-01", arguments: "*"
      ) { call throws(Misuse) in try events(call).next(call) },
      .operation(
        "__close", "()", shown: "local events <close> = resource:events()",
        "Stops it when the block, or the loop it was given to, is left.", rules: "STR-22"
      ) { call throws(Misuse) in try events(call).end() },
      .property("resource", "Resource", "What is read.", swift: "EventStream.resource") {
        call throws(Misuse) in
        call.return(call.values.of(try events(call).stream.resource))
      },
      .property(
        "last_event_id", "string",
        "The id of the last event given, to go on behind it another time; empty if there was none.",
        swift: "EventStream.lastEventID", rules: "STR-18"
      ) { call throws(Misuse) in
        call.return(.string(try events(call).stream.lastEventID))
      },
      .method(
        "stop", "()", "Ends it, its connection at once; a call that waits gets nil.",
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
        "The last id that the server has named, with this event or before; empty before the first.",
        swift: "StreamEvent.id",
        rules: "STR-06"
      ) { call throws(Misuse) in
        call.return(.string(try event(call).event.id))
      },
      .property(
        "event", "string", "Its name; `message` where none is named.", swift: "StreamEvent.event",
        rules: "STR-05"
      ) { call throws(Misuse) in
        call.return(.string(try event(call).event.event))
      },
      .property(
        "data", "string", "Its data as text, lines separated by line feeds.",
        swift: "StreamEvent.text", rules: "STR-10"
      ) { call throws(Misuse) in
        call.return(.bytes(try event(call).event.data))
      },
      .method(
        "json", "(): any", "The value of data that is JSON.", "Raises if it is none.",
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
    .follow, receiver: "follow", "A stream that makes the content of its resource.",
    swift: "StreamFollower",
    entries: [
      .method(
        "await", "(): any, RequestError?",
        "Waits until it is over: the content, or nil and the error that has ended it.",
        "May wait; cancelling the waiting task stops it.", rules: "STR-36"
      ) { call throws(Misuse) in try followed(call).await(call) },
      .method(
        "stop", "(): Follow", "Ends it, its connection at once; the content stays.",
        swift: "StreamFollower.stop()", rules: "STR-34"
      ) { call throws(Misuse) in
        try followed(call).stop()
        call.returnSelf()
      },
      .operation(
        "__close", "()", shown: "local follow <close> = resource:follow{…}",
        "Stops it when the block is left.", rules: "STR-34"
      ) { call throws(Misuse) in try followed(call).stop() },
      .property(
        "is_over", "boolean", "Whether nothing is followed any more.",
        swift: "StreamFollower.isOver"
      ) { call throws(Misuse) in
        call.return(.bool(try followed(call).follower?.isOver ?? true))
      },
      .property("resource", "Resource", "Whose content it makes.") { call throws(Misuse) in
        call.return(try followed(call).follower.map { call.values.of($0.stream.resource) } ?? .nil)
      },
      .property(
        "last_event_id", "string",
        "The id of the last event taken, to go on behind it another time; empty if there was none.",
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
        "Returns the content that an item makes of the one before. Must answer at once.",
        rules: "STR-31"),
      .field("initial", "any", "What the first item is added to; default nil.", rules: "STR-31"),
    ])

  static let streamOptions = APIOwner.table(
    "StreamOptions", extending: "RequestOptions", "Options of `resource:events`.",
    "`headers` and `mutate` hold for each of its requests; `timeout` is for all of it together.",
    swift: "StreamOptions",
    entries: [
      .field(
        "reconnect", "boolean?",
        """
        Whether an event stream that ends or breaks off is asked for once more; default true. With \
        false the first ends the loop, and the second raises.
        """, swift: "StreamOptions.reconnects", rules: "STR-17"),
      .field(
        "last_event_id", "string?", "The event to go on behind, by its id.",
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
      throw .message("follow needs 'reduce', a function that makes content of content and an item")
    }
    call.return(
      try LuaFollow.begin(
        try call.resource, arguments, reduce: reduce, initial: initial, call))
  }
}
