import CLullBridge
import LullCore

extension Method {
  static let customCompleteIndex = index(.handler, "complete")

  /// Responses and requests a script makes itself.
  static let requestFactoryMethods: [Method] = [
    .function("success", "vT") { call throws(Misuse) in try makeSuccess(call) },
    .function("failure", "v") { call throws(Misuse) in
      let error: RequestError
      if let box = call.object(0, .error, as: ErrorBox.self) {
        error = box.settled
      } else if let text = call.raw(0).text {
        try call.raw(0).requireText("the message")
        error = RequestError(userMessage: text, timestamp: call.pump.clock.now)
      } else {
        throw .argument(
          1, "RequestError or message expected, got \(call.raw(0).typeName)")
      }
      call.return(call.values.of(.failure(error), service: nil))
    },
    .function("failed_request", "v") { call throws(Misuse) in
      guard let box = call.object(0, .error, as: ErrorBox.self) else {
        throw .argument(
          1, "RequestError expected, such as lull.error{…}, got \(call.raw(0).typeName)")
      }
      call.return(call.values.of(FixedRequest(.failure(box.settled), pump: call.pump)))
    },
    .function("hard_wired_request", "v") { call throws(Misuse) in
      guard let box = call.object(0, .response, as: ResponseBox.self) else {
        throw .argument(
          1,
          "Response expected, such as lull.success{…} or lull.failure(…), got "
            + call.raw(0).typeName)
      }
      call.return(call.values.of(FixedRequest(box.settled, pump: call.pump)))
    },
    .function("custom_request", "t") { call throws(Misuse) in
      let options = call.reading.options
      let functions = try LuaRequestDelegate.Functions(
        call.index(0), in: call.state, options, call.kept)
      let delegate = LuaRequestDelegate(functions, call.callbacks, call.waits, options)
      call.return(call.values.of(CustomRequest(delegate: delegate, pump: call.pump)))
    },
    .function("cache.memory") { call throws(Misuse) in
      call.return(call.caches.makeMemoryCache())
    },
    .function("cache.file", "T") { call throws(Misuse) in try makeFileCache(call) },
    .function("cache.shared", "T") { call throws(Misuse) in try makeSharedCache(call) },
    .method(.cache, "__tostring") { call throws(Misuse) in
      call.return(.string(try call.selfObject(.cache, as: CacheBox.self).text))
    },
    .method(.handler, "complete", "v") { call throws(Misuse) in
      let completion = try call.selfObject(.handler, as: CustomCompletion.self)
      guard let box = call.object(1, .response, as: ResponseBox.self) else {
        throw .argument(
          1,
          "Response expected, such as lull.success{…} or lull.failure(…), got "
            + call.raw(1).typeName)
      }
      completion.handler.broadcastResponse(box.settled)
    },
  ]
}

extension Method {
  private static let successKeys = ["content", "content_type", "headers", "is_new"]

  /// `lull.success{ content =, content_type =, headers =, is_new = }` or
  /// `lull.success(entity[, { is_new = }])`.
  private static func makeSuccess(_ call: Call) throws(Misuse) {
    var isNew = true
    if let box = call.object(0, .entity, as: EntityBox.self) {
      if !call.isNil(1) {
        try call.reading.options.forEach(of: call.index(1), in: call.state, known: ["is_new"]) {
          name, value throws(Misuse) in
          isNew = try flag(value, name)
        }
      }
      return call.return(call.values.of(.success(box.settled, isNew: isNew), service: box.service))
    }
    guard call.raw(0).kind == Int32(LULL_TABLE) else {
      throw .argument(1, "Entity or table expected, got \(call.raw(0).typeName)")
    }
    guard call.isNil(1) else {
      throw .argument(2, "options go into the table; a second table is for an Entity")
    }
    var entity = Entity(content: .bytes([]), timestamp: call.pump.clock.now)
    var contentType: String?
    try call.reading.options.forEach(of: call.index(0), in: call.state, known: successKeys) {
      name, value throws(Misuse) in
      let index = LuaTable.visitedIndex(in: call.state)
      switch name {
      case "content": entity.content = try call.kept.content(value, call.state, index)
      case "content_type": contentType = try value.headerText(name)
      case "headers":
        guard value.kind == Int32(LULL_TABLE) else { throw .message("'headers' must be a table") }
        try call.reading.headers.setAll(index, call.state, in: &entity.headers)
      default: isNew = try flag(value, name)
      }
    }
    if let contentType { entity.headers["content-type"] = contentType }
    call.return(call.values.of(.success(entity, isNew: isNew), service: nil))
  }

  private static func flag(_ value: lull_value, _ name: String) throws(Misuse) -> Bool {
    guard let flag = value.bool else {
      throw .message("'\(name)' must be true or false, got \(value.typeName)")
    }
    return flag
  }
}
