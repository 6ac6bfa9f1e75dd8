import CLullBridge
import LullCore

extension Method {
  static let valueMethods: [Method] =
    entityMethods + responseMethods + errorMethods + regexMethods

  /// `status` is `http_status` by its shorter name, as networking answers and tests have it.
  static let httpStatusMethods: [Method] =
    valueMethods
    .filter { $0.name.description == "http_status" }
    .map { .getter($0.kind, "status", $0.body) }

  private static func entity(_ call: Call) throws(Misuse) -> EntityBox {
    try call.selfObject(.entity, as: EntityBox.self)
  }

  /// Content as Lua sees it, held by self.
  private static func shared(
    _ content: Content, _ exchange: Exchange?, _ service: Service?, _ call: Call,
    own tables: OwnTables?
  ) -> LuaValue {
    call.values.content(
      content, holder: call.raw(0).handle, omitsNulls: service?.omitsNulls ?? false, own: tables,
      from: exchange?.url)
  }

  private static func shared(_ content: Content, of box: EntityBox, _ call: Call) -> LuaValue {
    shared(content, box.entity.exchange, box.service, call, own: box.tables)
  }

  private static func shared(_ content: Content, of box: ErrorBox, _ call: Call) -> LuaValue {
    shared(content, box.error.exchange, box.service, call, own: box.tables)
  }

  private static let entityMethods: [Method] = [
    .getter(.entity, "content") { call throws(Misuse) in
      call.return(
        shared(try entity(call).entity.content, of: try entity(call), call))
    },
    .getter(.entity, "document") { call throws(Misuse) in
      call.return(call.values.document(try entity(call).entity.content))
    },
    .getter(.entity, "content_type") { call throws(Misuse) in
      let entity = try entity(call).entity
      call.return(.bytes(entity.headers.bytes("content-type") ?? Array(entity.contentType.utf8)))
    },
    .getter(.entity, "charset") { call throws(Misuse) in
      call.return(try entity(call).entity.charsetName.map { .bytes($0.bytes) } ?? .nil)
    },
    .getter(.entity, "etag") { call throws(Misuse) in
      call.return(try entity(call).entity.headers.bytes("etag").map { .bytes($0) } ?? .nil)
    },
    .getter(.entity, "headers") { call throws(Misuse) in
      let box = try entity(call)
      let headers = HeadersBox(
        read: { box.entity.headers },
        write: box.isOwn
          ? {
            box.entity.headers = $0
            return true
          } : nil)
      call.return(call.values.of(headers, .headers))
    },
    // Those of a script's own can change, and equal themselves only.
    .method(.entity, "__eq", "*") { call throws(Misuse) in
      let box = try entity(call)
      guard let other = call.object(1, .entity, as: EntityBox.self) else {
        return call.return(.bool(false))
      }
      let isSame = !box.isOwn && !other.isOwn && other.entity.isSame(as: box.entity)
      call.return(.bool(isSame))
    },
    .getter(.entity, "timestamp") { call throws(Misuse) in
      call.return(.number(try entity(call).entity.timestamp))
    },
    .getter(.entity, "http_status") { call throws(Misuse) in
      call.return(try entity(call).entity.exchange.map { .int(Int64($0.status)) } ?? .nil)
    },
    .getter(.entity, "url") { call throws(Misuse) in
      call.return(try entity(call).entity.exchange?.url.map { .string($0) } ?? .nil)
    },
    .getter(.entity, "elapsed") { call throws(Misuse) in
      call.return(try entity(call).entity.exchange?.elapsed.map { .number($0) } ?? .nil)
    },
    .getter(.entity, "timings") { call throws(Misuse) in
      call.return(.timings(try entity(call).entity.exchange?.timings))
    },
    .getter(.entity, "text") { call throws(Misuse) in
      call.return(.string(try entity(call).entity.text))
    },
    .getter(.entity, "json_dict") { call throws(Misuse) in
      let content = try entity(call).entity.content
      call.return(
        content.isDictionary
          ? shared(content, of: try entity(call), call) : .map([]))
    },
    .getter(.entity, "json_array") { call throws(Misuse) in
      let content = try entity(call).entity.content
      call.return(
        content.isArray ? shared(content, of: try entity(call), call) : .list([]))
    },
    .method(.entity, "typed_content", "V") { call throws(Misuse) in
      let content = try entity(call).entity.content
      let fits = call.isNil(1) || content.luaTypeName == call.raw(1).typeName
      call.return(
        fits ? shared(content, of: try entity(call), call) : .stack(2))
    },
    .method(.entity, "header", "s") { call throws(Misuse) in
      let name = call.raw(1).textBytes ?? []
      call.return(try entity(call).entity.headers.bytes(of: name).map { .bytes($0) } ?? .nil)
    },
    .method(.entity, "touch") { call throws(Misuse) in
      let box = try entity(call)
      try requireOwn(box)
      box.entity.timestamp = call.pump.clock.now
      call.returnSelf()
    },
    .setter(.entity, "content") { call throws(Misuse) in
      let box = try entity(call)
      try requireOwn(box)
      // A copy of an answer that nothing has decoded yet goes on as bytes. (TRF-98)
      let isOfBytes =
        if box.entity.exchange != nil, case .bytes = box.entity.content { true } else { false }
      let content = try call.kept.content(
        call.raw(1), call.state, call.index(1), strings: isOfBytes ? .bytes : .either)
      if let id = content.foreignID { call.kept.anchor(id, from: call.raw(0).handle, key: 1) }
      box.entity.content = content
    },
    .setter(.entity, "headers") { call throws(Misuse) in
      let box = try entity(call)
      try requireOwn(box)
      guard call.raw(1).kind == Int32(LULL_TABLE) else {
        throw .message("'headers' must be a table, got \(call.raw(1).typeName)")
      }
      var headers = Headers()
      try call.reading.headers.setAll(call.index(1), call.state, in: &headers)
      box.entity.headers = headers
    },
    .method(.entity, "__copy", "V") { call throws(Misuse) in
      let box = try entity(call)
      let copy = EntityBox(
        box.settled, isOwn: true, service: box.service,
        tables:
          OwnTables(call.kept, omitsNulls: box.service?.omitsNulls ?? false))
      call.return(
        call.values.of(
          copy, .entity, service: box.service, anchor: copy.entity.content.foreignID ?? 0))
    },
    .setter(.entity, "charset") { call throws(Misuse) in
      let box = try entity(call)
      try requireOwn(box)
      box.entity.charset = call.isNil(1) ? nil : try call.text(1)
    },
    .setter(.entity, "timestamp") { call throws(Misuse) in
      let box = try entity(call)
      try requireOwn(box)
      guard let seconds = call.number(1) else { throw .message("'timestamp' must be a number") }
      box.entity.timestamp = seconds
    },
    .method(.entity, "__tostring") { call throws(Misuse) in
      let entity = try entity(call).entity
      call.return(.string("Entity(\(entity.contentType))"))
    },
  ]

  private static func requireOwn(_ box: EntityBox) throws(Misuse) {
    guard box.isOwn else {
      throw .message(
        "this entity is read-only: it belongs to a resource or response; make one of your own "
          + "with lull.entity{…}")
    }
  }

  private static func response(_ call: Call) throws(Misuse) -> ResponseBox {
    try call.selfObject(.response, as: ResponseBox.self)
  }

  private static let responseMethods: [Method] = [
    .getter(.response, "is_success") { call throws(Misuse) in
      call.return(.bool(try response(call).response.isSuccess))
    },
    .getter(.response, "is_failure") { call throws(Misuse) in
      call.return(.bool(try !response(call).response.isSuccess))
    },
    .getter(.response, "is_new") { call throws(Misuse) in
      call.return(.bool(try response(call).response.isNew))
    },
    .getter(.response, "entity") { call throws(Misuse) in
      let box = try response(call)
      call.return(
        box.response.entity.map {
          call.values.of($0, service: box.service, tables: box.tables)
        } ?? .nil)
    },
    .getter(.response, "error") { call throws(Misuse) in
      let box = try response(call)
      call.return(
        box.response.error.map {
          call.values.of($0, service: box.service, tables: box.tables)
        } ?? .nil)
    },
    .getter(.response, "http_status") { call throws(Misuse) in
      let response = try response(call).response
      let status = response.entity?.exchange?.status ?? response.error?.httpStatusCode
      call.return(status.map { .int(Int64($0)) } ?? .nil)
    },
    .getter(.response, "url") { call throws(Misuse) in
      let response = try response(call).response
      let url = response.entity?.exchange?.url ?? response.error?.exchange?.url
      call.return(url.map { .string($0) } ?? .nil)
    },
    .getter(.response, "elapsed") { call throws(Misuse) in
      let response = try response(call).response
      let elapsed = response.entity?.exchange?.elapsed ?? response.error?.exchange?.elapsed
      call.return(elapsed.map { .number($0) } ?? .nil)
    },
    .getter(.response, "timings") { call throws(Misuse) in
      let response = try response(call).response
      call.return(
        .timings(response.entity?.exchange?.timings ?? response.error?.exchange?.timings))
    },
    .method(.response, "__tostring") { call throws(Misuse) in
      let response = try response(call).response
      switch response.outcome {
      case .success(let entity): call.return(.string("Response(success \(entity.contentType))"))
      case .failure(let error):
        call.return(.string("Response(failure: \(error.summary))"))
      }
    },
  ]

  private static func error(_ call: Call) throws(Misuse) -> ErrorBox {
    try call.selfObject(.error, as: ErrorBox.self)
  }

  private static let errorMethods: [Method] = [
    .getter(.error, "user_message") { call throws(Misuse) in
      call.return(.string(try error(call).error.userMessage))
    },
    .getter(.error, "http_status") { call throws(Misuse) in
      call.return(try error(call).error.httpStatusCode.map { .int(Int64($0)) } ?? .nil)
    },
    .getter(.error, "cause") { call throws(Misuse) in
      guard let cause = try error(call).error.cause else { return call.return(.nil) }
      if case .custom(let custom as ScriptCause) = cause {
        return call.return(.ref(custom.value.id))
      }
      var fields: [(String, LuaValue)] = [
        ("kind", .string(cause.kind)), ("message", .string(cause.message)),
      ]
      fields += cause.payload.map { ($0.name, .bytes($0.value.bytes)) }
      if case .malformedJSON(_, let offset?) = cause {
        fields.append(("byte", .int(Int64(offset) + 1)))
      }
      if case .validation(_, let errors) = cause {
        fields.append(("errors", .list(errors.map { .map($0.fields) })))
      }
      if case .custom(let other as RequestError) = cause {
        fields.append(("error", call.values.of(other, service: nil)))
      }
      if let value = cause.raisedValue { fields.append(("value", LuaValue(value))) }
      call.return(.map(fields))
    },
    .getter(.error, "entity") { call throws(Misuse) in
      let box = try error(call)
      call.return(
        box.error.entity.map {
          call.values.of($0, service: box.service, tables: box.tables)
        } ?? .nil)
    },
    .getter(.error, "timestamp") { call throws(Misuse) in
      call.return(.number(try error(call).error.timestamp))
    },
    .getter(.error, "attempts") { call throws(Misuse) in
      call.return(.attempts(try error(call).error.attempts))
    },
    .getter(.error, "url") { call throws(Misuse) in
      let error = try error(call).error
      call.return((error.exchange?.url ?? error.url).map { .string($0) } ?? .nil)
    },
    .getter(.error, "elapsed") { call throws(Misuse) in
      call.return(try error(call).error.exchange?.elapsed.map { .number($0) } ?? .nil)
    },
    .getter(.error, "timings") { call throws(Misuse) in
      call.return(.timings(try error(call).error.exchange?.timings))
    },
    .getter(.error, "document") { call throws(Misuse) in
      call.return(call.values.document(try error(call).error.entity?.content))
    },
    .getter(.error, "content") { call throws(Misuse) in
      guard let content = try error(call).error.entity?.content else {
        call.nilContents.note(try error(call).error, readIn: call.state)
        return call.return(.nil)
      }
      call.return(shared(content, of: try error(call), call))
    },
    .getter(.error, "text") { call throws(Misuse) in
      call.return(.string(try error(call).error.entity?.text ?? ""))
    },
    .getter(.error, "json_dict") { call throws(Misuse) in
      let content = try error(call).error.entity?.content
      guard let content, content.isDictionary else { return call.return(.map([])) }
      call.return(shared(content, of: try error(call), call))
    },
    .getter(.error, "json_array") { call throws(Misuse) in
      let content = try error(call).error.entity?.content
      guard let content, content.isArray else { return call.return(.list([])) }
      call.return(shared(content, of: try error(call), call))
    },
    .method(.error, "typed_content", "V") { call throws(Misuse) in
      guard let content = try error(call).error.entity?.content else {
        return call.return(call.count > 1 ? .stack(2) : .nil)
      }
      let fits = call.isNil(1) || content.luaTypeName == call.raw(1).typeName
      call.return(
        fits ? shared(content, of: try error(call), call) : .stack(2))
    },
    .method(.error, "__tostring") { call throws(Misuse) in
      call.return(.string(try error(call).error.summary))
    },
  ]

  private static let regexMethods: [Method] = [
    .method(.regex, "__tostring") { call throws(Misuse) in
      let box = try call.selfObject(.regex, as: RegexBox.self)
      call.return(.string("Regex(\(box.source))"))
    }
  ]

  static let observationMethods: [Method] = [
    .method(.observation, "stop") { call throws(Misuse) in
      try call.selfObject(.observation, as: ObservationBox.self).stop()
      call.returnSelf()
    },
    .method(.observation, "__close", "V") { call throws(Misuse) in
      try call.selfObject(.observation, as: ObservationBox.self).stop()
    },
    .getter(.observation, "resource") { call throws(Misuse) in
      let box = try call.selfObject(.observation, as: ObservationBox.self)
      call.return(call.values.of(box.resource))
    },
    .method(.observation, "__tostring") { call throws(Misuse) in
      let box = try call.selfObject(.observation, as: ObservationBox.self)
      let state = box.observer.isStopped ? "stopped" : "observing"
      call.return(.string("Observation(\(state) \(box.resource.displayName))"))
    },
  ]
}

extension ContentMisfit {
  /// As scripts have it.
  package var fields: [(String, LuaValue)] {
    [
      ("pointer", .string(pointer)), ("keyword", .string(keyword)), ("message", .string(message)),
    ]
  }
}
