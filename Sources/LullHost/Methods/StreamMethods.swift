import CLullBridge
import LullCore

extension Method {
  private static func events(_ call: Call) throws(Misuse) -> LuaEvents {
    try call.selfObject(.events, as: LuaEvents.self)
  }

  private static func event(_ call: Call) throws(Misuse) -> StreamEventBox {
    try call.selfObject(.streamEvent, as: StreamEventBox.self)
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
      let document = try event(call).json()
      call.return(call.values.content(.json(document), holder: call.raw(0).handle, from: nil))
    },
    .method(.streamEvent, "__tostring") { call throws(Misuse) in
      let event = try event(call).event
      let id = event.id.isEmpty ? "" : ", id \(LogText.part(event.id, limit: 40))"
      let name = LogText.part(event.event, limit: 40)
      call.return(.string("StreamEvent(\(name)\(id), \(event.data.count) bytes)"))
    },
  ]
}
