import CLullBridge
import LullCore

extension Method {
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
        initial = try call.kept.content(value, call.state, index)
        return
      }
      guard value.kind == Int32(LULL_FUNCTION) else {
        throw .message("'reduce' must be a function, got \(value.described)")
      }
      reduce = try call.kept.keep(call.state, index)
    }
    guard let reduce else {
      throw .message("follow needs 'reduce', a function that makes content of content and an item")
    }
    call.return(
      try LuaFollow.begin(
        try call.resource, arguments, reduce: reduce, initial: initial, call))
  }

  static let streamMethods: [Method] = [
    .method(.resource, "events", "T") { call throws(Misuse) in
      let resource = try call.resource
      let given = try StreamArguments(call, 1)
      let events = LuaEvents(
        resource.events(given.options), mutation: given.mutation, call.iterators)
      let object = call.values.of(
        events, .events, service: resource.service, anchor: given.mutation ?? 0)
      if case .object(let handle, _, _, _) = object { events.hostHandle = handle }
      // Function, state, control variable, and what `for` closes when it is left.
      for value in [object, .nil, .nil, object] { call.return(value) }
    },
    .method(.resource, "follow", "t") { call throws(Misuse) in try follow(call) },
    .getter(.follow, "resource") { call throws(Misuse) in
      call.return(try followed(call).follower.map { call.values.of($0.stream.resource) } ?? .nil)
    },
    .getter(.follow, "is_over") { call throws(Misuse) in
      call.return(.bool(try followed(call).follower?.isOver ?? true))
    },
    .getter(.follow, "last_event_id") { call throws(Misuse) in
      call.return(.string(try followed(call).follower?.stream.lastEventID ?? ""))
    },
    .method(.follow, "await") { call throws(Misuse) in try followed(call).await(call) },
    .method(.follow, "stop") { call throws(Misuse) in
      try followed(call).stop()
      call.returnSelf()
    },
    .method(.follow, "__close", "*") { call throws(Misuse) in try followed(call).stop() },
    .method(.follow, "__tostring") { call throws(Misuse) in
      let follower = try followed(call).follower
      let name = follower?.stream.resource.displayName ?? ""
      call.return(.string("Follow(\(name)\(follower?.isOver ?? true ? ", over" : ""))"))
    },
    .getter(.events, "resource") { call throws(Misuse) in
      call.return(call.values.of(try events(call).stream.resource))
    },
    .getter(.events, "last_event_id") { call throws(Misuse) in
      call.return(.string(try events(call).stream.lastEventID))
    },
    .method(.events, "__call", "*") { call throws(Misuse) in try events(call).next(call) },
    .method(.events, "stop") { call throws(Misuse) in try events(call).end() },
    .method(.events, "__close", "*") { call throws(Misuse) in try events(call).end() },
    .method(.events, "__tostring") { call throws(Misuse) in
      let stream = try events(call).stream
      call.return(.string("Events(\(stream.resource.displayName)\(stream.isOver ? ", over" : ""))"))
    },
    .getter(.streamEvent, "id") { call throws(Misuse) in
      call.return(.string(try event(call).event.id))
    },
    .getter(.streamEvent, "event") { call throws(Misuse) in
      call.return(.string(try event(call).event.event))
    },
    .getter(.streamEvent, "data") { call throws(Misuse) in
      call.return(.bytes(try event(call).event.data))
    },
    .method(.streamEvent, "json") { call throws(Misuse) in
      let box = try event(call)
      let document = try box.json()
      call.return(
        call.values.content(
          .json(document), holder: call.raw(0).handle, omitsNulls: box.omitsNulls, from: nil))
    },
    .method(.streamEvent, "__tostring") { call throws(Misuse) in
      let event = try event(call).event
      let id = event.id.isEmpty ? "" : ", id \(LogText.part(event.id, limit: 40))"
      let name = LogText.part(event.event, limit: 40)
      call.return(.string("StreamEvent(\(name)\(id), \(event.data.count) bytes)"))
    },
  ]
}
