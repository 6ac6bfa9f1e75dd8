import CLullBridge
import LullCore

extension APIOwner {
  static let entity = APIOwner.object(
    .entity, receiver: "entity",
    "Content with its type, headers and age.",
    """
    An entity of a resource, cache or response is read-only: assigning raises an error. \
    `lull.copy(entity)` and `lull.entity{…}` return an entity whose `content`, `headers`, \
    `charset` and `timestamp` can be assigned.
    """,
    swift: "Entity",
    groups: [entityContent, entityMetadata, entityExchange],
    hidden: [
      .hidden("__copy") { call throws(Misuse) in
        let box = try entity(call)
        let copy = EntityBox(
          box.settled, isOwn: true, service: box.service,
          tables:
            OwnTables(call.stored, omitsNulls: box.service?.omitsNulls ?? false))
        call.return(
          call.values.of(
            copy, .entity, service: box.service, anchor: copy.entity.content.foreignID ?? 0))
      },
      .hidden("__tostring") { call throws(Misuse) in
        let entity = try entity(call).entity
        call.return(.string("Entity(\(entity.contentType))"))
      },
    ])

  private static let entityContent = contentAccessors(
    of: "Entity",
    content: { call throws(Misuse) in
      call.return(
        shared(try entity(call).entity.content, of: try entity(call), call))
    },
    assign: { call throws(Misuse) in
      let box = try entity(call)
      try requireOwn(box)
      // If the entity is a copy of a response whose content is bytes, the new content is bytes too.
      // (TRF-98)
      let isOfBytes =
        if box.entity.exchange != nil, case .bytes = box.entity.content { true } else { false }
      let content = try call.stored.content(
        call.raw(1), call.state, call.index(1), strings: isOfBytes ? .bytes : .either)
      if let id = content.foreignID { call.stored.anchor(id, from: call.raw(0).handle, key: 1) }
      box.entity.content = content
    },
    text: { call throws(Misuse) in
      call.return(.string(try entity(call).entity.text))
    },
    dictionary: { call throws(Misuse) in
      let content = try entity(call).entity.content
      call.return(
        content.isDictionary
          ? shared(content, of: try entity(call), call) : .map([]))
    },
    array: { call throws(Misuse) in
      let content = try entity(call).entity.content
      call.return(
        content.isArray ? shared(content, of: try entity(call), call) : .list([]))
    },
    document: { call throws(Misuse) in
      call.return(call.values.document(try entity(call).entity.content))
    },
    typed: { call throws(Misuse) in
      let content = try entity(call).entity.content
      let fits = call.isNil(1) || content.luaTypeName == call.raw(1).typeName
      call.return(
        fits ? shared(content, of: try entity(call), call) : .stack(2))
    })

  private static let entityMetadata: [APIEntry] = [
    .property(
      "content_type", "string",
      "The Content-Type header with its parameters; default `application/octet-stream`.",
      swift: "Entity.contentType", rules: "ENT-02 ENT-03"
    ) { call throws(Misuse) in
      let entity = try entity(call).entity
      call.return(.bytes(entity.headers.bytes("content-type") ?? Array(entity.contentType.utf8)))
    },
    .property(
      "charset", "string?", "The charset parameter of the content type.",
      swift: "Entity.charset", rules: "ENT-04 ENT-05 ENT-06"
    ) { call throws(Misuse) in
      call.return(try entity(call).entity.charsetName.map { .bytes($0.bytes) } ?? .nil)
    } set: { call throws(Misuse) in
      let box = try entity(call)
      try requireOwn(box)
      box.entity.charset = call.isNil(1) ? nil : try call.text(1)
    },
    .property(
      "partial_error", "RequestError?",
      "The error of a GraphQL response that has data and errors; nil for a complete response.",
      swift: "Entity.partialError", rules: "GQL-31"
    ) { call throws(Misuse) in
      let box = try entity(call)
      call.return(
        box.entity.partialError.map { call.values.of($0, service: box.service) } ?? .nil)
    },
    .property(
      "etag", "string?",
      "The ETag header, exactly as received.", swift: "Entity.etag", rules: "ENT-08"
    ) { call throws(Misuse) in
      call.return(try entity(call).entity.headers.bytes("etag").map { .bytes($0) } ?? .nil)
    },
    .property(
      "headers", "Headers", "The headers; a table can be assigned.",
      swift: "Entity.headers", rules: "ENT-09 ENT-10"
    ) { call throws(Misuse) in
      let box = try entity(call)
      let headers = HeadersBox(
        read: { box.entity.headers },
        write: box.isOwn
          ? {
            $0.apply(to: &box.entity.headers)
            return true
          } : nil)
      call.return(call.values.of(headers, .headers))
    } set: { call throws(Misuse) in
      let box = try entity(call)
      try requireOwn(box)
      guard call.raw(1).kind == Int32(LULL_TABLE) else {
        throw .message("'headers' must be a table, got \(call.raw(1).typeName)")
      }
      var headers = Headers()
      try call.reading.headers.edits(table: call.index(1), in: call.state).apply(to: &headers)
      box.entity.headers = headers
    },
    .property(
      "timestamp", "number",
      "When the entity was received or made, in seconds since 1970; a 304 renews the timestamp.",
      swift: "Entity.timestamp", rules: "ENT-12 LOAD-07"
    ) { call throws(Misuse) in
      call.return(.number(try entity(call).entity.timestamp))
    } set: { call throws(Misuse) in
      let box = try entity(call)
      try requireOwn(box)
      guard let seconds = call.number(1) else { throw .message("'timestamp' must be a number") }
      box.entity.timestamp = seconds
    },
    .method(
      "header", "(name: string): string?",
      "Returns the value of a header; the name may be in any letter case.",
      "Repeated headers are joined with `, `; for `set-cookie` the first one is returned.",
      example: """
        print(assert(user:load():await()):header("ETag"))    --> "a1"
        """,
      swift: "Entity.header(forKey:)", rules: "ENT-07 ENT-10"
    ) { call throws(Misuse) in
      let name = call.raw(1).textBytes ?? []
      call.return(try entity(call).entity.headers.bytes(of: name).map { .bytes($0) } ?? .nil)
    },
    .property(
      "equivalent", "Resource?",
      """
      The GET resource that the server names in the header `Content-Location`; nil if the server \
      names no resource.
      """,
      """
      For the response to a query, loading this resource gets the same content without sending the \
      body again. The resource is never loaded automatically. For an entity without a service, \
      this is nil.
      """,
      swift: "Resource.equivalent(of:)", rules: "QUERY-14"
    ) { call throws(Misuse) in
      let box = try entity(call)
      let equivalent = box.service?.equivalent(of: box.entity)
      call.return(equivalent.map { call.values.of($0) } ?? .nil)
    },
    // Entities created by the script can change, so each equals only itself.
    .operation(
      "__eq", "(other: Entity): boolean", shown: "entity == other",
      """
      Whether both values are the same entity, however they were obtained. An entity made by a \
      script equals only itself.
      """,
      example: """
        local entity = assert(user:load():await())
        print(entity == user.latest_data)          --> true
        print(entity == lull.copy(entity))         --> false
        """, rules: "ENT-120"
    ) { call throws(Misuse) in
      let box = try entity(call)
      guard let other = call.object(1, .entity, as: EntityBox.self) else {
        return call.return(.bool(false))
      }
      let isSame = !box.isOwn && !other.isOwn && other.entity.isSame(as: box.entity)
      call.return(.bool(isSame))
    },
    .method(
      "touch", "(): Entity",
      "Sets the timestamp of an entity that the script has made to the current time.",
      example: """
        local entity = lull.entity{ content = "x", timestamp = 0 }
        print(entity:touch().timestamp > 0)        --> true
        """,
      swift: "Entity.touch()", rules: "ENT-13"
    ) { call throws(Misuse) in
      let box = try entity(call)
      try requireOwn(box)
      box.entity.timestamp = call.pump.clock.now
      call.returnSelf()
    },
  ]

  private static let entityExchange = exchange(
    status: { call throws(Misuse) in
      call.return(try entity(call).entity.exchange.map { .int(Int64($0.status)) } ?? .nil)
    },
    url: { call throws(Misuse) in
      call.return(try entity(call).entity.exchange?.url.map { .string($0) } ?? .nil)
    },
    elapsed: { call throws(Misuse) in
      call.return(try entity(call).entity.exchange?.elapsed.map { .number($0) } ?? .nil)
    },
    timings: { call throws(Misuse) in
      call.return(.timings(try entity(call).entity.exchange?.timings))
    })

  static let entityFields = APIOwner.table(
    "EntityFields", "The fields of `lull.entity{…}`.",
    entries: [
      .field("content", "any", "The content; default zero bytes."),
      .field(
        "content_type", "string?",
        "The Content-Type; overrides a Content-Type in `headers`.",
        rules: "ENT-11"),
      .field(
        "headers", "table<string, string|string[]>?",
        "The headers; names may be in any letter case."),
      .field(
        "timestamp", "number?",
        "The timestamp, in seconds since 1970; default the current time.", rules: "ENT-12"),
    ])
}

extension APIOwner {
  private static func entity(_ call: Call) throws(Misuse) -> EntityBox {
    try call.selfObject(.entity, as: EntityBox.self)
  }

  private static func shared(_ content: Content, of box: EntityBox, _ call: Call) -> LuaValue {
    shared(content, box.entity.exchange, box.service, call, own: box.tables)
  }

  private static func requireOwn(_ box: EntityBox) throws(Misuse) {
    guard box.isOwn else {
      throw .message(
        "this entity is read-only: it belongs to a resource or response; make one of your own "
          + "with lull.entity{…}")
    }
  }
}
