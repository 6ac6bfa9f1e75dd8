import CLullBridge
import LullCore

extension Method {
  private static func configuration(_ call: Call) throws(Misuse) -> ConfigurationBox {
    try call.selfObject(.configuration, as: ConfigurationBox.self).open()
  }

  private static func given(
    _ setting: Setting, _ call: Call, _ position: Int, _ box: ConfigurationBox
  ) -> GivenSetting {
    GivenSetting(
      name: setting.name, value: call.raw(position), index: call.index(position), call: call,
      service: box.service)
  }

  /// `configuration:name(value)`
  private static func add(_ name: String, _ call: Call) throws(Misuse) {
    let box = try configuration(call)
    let setting = try setting(called: name)
    let change = try setting.change(given(setting, call, 1, box))
    change(&box.settings)
    call.returnSelf()
  }

  private static func setting(called name: String) throws(Misuse) -> Setting {
    guard let setting = Setting.named(name) else {
      throw .unknownSetting(name, among: Setting.names)
    }
    return setting
  }

  /// One that is no method.
  private static func field(called name: String) throws(Misuse) -> Setting {
    let setting = try setting(called: name)
    guard !setting.isMethod else { throw .unknownSetting(name, among: Setting.names) }
    return setting
  }

  /// `configuration.name = value`
  private static func assign(_ call: Call, _ box: ConfigurationBox) throws(Misuse) {
    let name = call.raw(1).text ?? ""
    let setting = try field(called: name)
    try call.raw(2).requireText("'\(name)'")
    let change = try setting.change(given(setting, call, 2, box))
    // Only now: what does not fit changes nothing.
    setting.clear?(&box.settings)
    change(&box.settings)
  }

  static let configurationMethods: [Method] = [
    .method(.configuration, "mutate_requests", "f") { call throws(Misuse) in
      try add("mutate_requests", call)
    },
    .method(.configuration, "decorate_requests", "f") { call throws(Misuse) in
      try add("decorate_requests", call)
    },
    .method(.configuration, "__index", "v") { call throws(Misuse) in
      let box = try configuration(call)
      let setting = try field(called: call.raw(1).text ?? "")
      if case .object(let object) = setting.access { return call.return(object(call, box)) }
      call.return(setting.value(box.settings) ?? .nil)
    },
    .method(.configuration, "__newindex", "vv") { call throws(Misuse) in
      let box = try configuration(call)
      do throws(Misuse) {
        try assign(call, box)
      } catch {
        guard let checker = call.permissions.checker, let place = call.place else { throw error }
        // One that checks a file wants to hear of the others too.
        checker.note(error.text, at: place)
      }
    },
    .method(.configuration, "__tostring") { call throws(Misuse) in
      call.return(.string("Configuration"))
    },
  ]

  private static func httpRequest(_ call: Call) throws(Misuse) -> HTTPRequestBox {
    try call.selfObject(.httpRequest, as: HTTPRequestBox.self)
  }

  private static func editable(_ call: Call) throws(Misuse) -> HTTPRequestBox {
    let box = try httpRequest(call)
    guard box.isOpen else {
      throw .message("this HTTPRequest is closed: it can be changed only inside its mutation")
    }
    return box
  }

  static let httpRequestMethods: [Method] = [
    .getter(.httpRequest, "method") { call throws(Misuse) in
      call.return(.string(try httpRequest(call).http.method.rawValue))
    },
    .getter(.httpRequest, "url") { call throws(Misuse) in
      call.return(.string(try httpRequest(call).http.url))
    },
    .getter(.httpRequest, "body") { call throws(Misuse) in
      switch try httpRequest(call).http.payload {
      case .bytes(let bytes)?: call.return(.bytes(bytes))
      case .streamed(let body)?:
        do throws(TransportError) {
          call.return(.bytes(try body.bytes()))
        } catch {
          throw .message("'body' cannot be read: \(error.message)")
        }
      case nil: call.return(.nil)
      }
    },
    .getter(.httpRequest, "headers") { call throws(Misuse) in
      let box = try httpRequest(call)
      let headers = HeadersBox(
        read: { box.http.headers },
        write: {
          if box.isOpen { box.http.headers = $0 }
          return box.isOpen
        }, allowsSecrets: true,
        checkText: { (text: [UInt8]) throws(Misuse) in
          try box.checkText(text, "this header")
        })
      call.return(call.values.of(headers, .headers))
    },
    .setter(.httpRequest, "method") { call throws(Misuse) in
      let box = try editable(call)
      guard let text = call.raw(1).string else {
        throw .message("'method' must be a string, got \(call.raw(1).typeName)")
      }
      box.http.method = try MethodReader.method(text)
    },
    .setter(.httpRequest, "url") { call throws(Misuse) in
      let box = try editable(call)
      let text = call.raw(1).urlText
      if let text, box.http.secretURL != nil, text.utf8.starts(with: box.http.url.utf8) {
        let rest = String(decoding: text.utf8.dropFirst(box.http.url.utf8.count), as: UTF8.self)
        try box.checkText(Array(rest.utf8), "'url'")
        guard ResourceURL(absolute: "http://localhost/?" + rest) != nil else {
          throw .message("'url' must be a URL, got \(text)")
        }
        return box.http.appendToURL(rest)
      }
      if let text { try box.checkText(Array(text.utf8), "'url'") }
      guard let text, let url = ResourceURL(absolute: text) else {
        let problem = text.flatMap { ResourceURL.hostProblem(in: $0) }.map { ": \($0)" } ?? ""
        throw .message(
          "'url' must be a URL, got \(call.raw(1).text ?? "no string")\(problem)")
      }
      box.http.url = url.percentEncoded
    },
    .setter(.httpRequest, "body") { call throws(Misuse) in
      let box = try editable(call)
      if call.isNil(1) {
        box.http.body = nil
        return
      }
      if let body = call.reading.bodies.streamed(call.raw(1)) { return try box.carry(body) }
      guard let bytes = call.raw(1).bytes else {
        throw .message(
          "'body' must be a string, lull.file, lull.multipart or nil, got \(call.raw(1).typeName)")
      }
      // What it is already, means what it did.
      if bytes != box.http.body { try box.checkText(bytes, "'body'") }
      box.http.body = bytes
    },
    .method(.httpRequest, "__tostring") { call throws(Misuse) in
      let http = try httpRequest(call).http
      call.return(.string("HTTPRequest(\(http.method) \(LogText.url(http.url)))"))
    },
    .method(.headers, "__index", "v") { call throws(Misuse) in
      let box = try call.selfObject(.headers, as: HeadersBox.self)
      guard let name = call.raw(1).textBytes else { return call.return(.nil) }
      let headers = box.read()
      if String(escaping: name).lowercased() == "set-cookie" {
        let values = headers.byteValues(of: name)
        return call.return(values.isEmpty ? .nil : .list(values.map { .bytes($0) }))
      }
      call.return(headers.bytes(of: name).map { .bytes($0) } ?? .nil)
    },
    .method(.headers, "__newindex", "vv") { call throws(Misuse) in
      let box = try call.selfObject(.headers, as: HeadersBox.self)
      guard let write = box.write else {
        throw .message("these headers are read-only: they belong to a resource or response")
      }
      guard let name = call.raw(1).text else {
        throw .message("header names must be strings, got \(call.raw(1).typeName)")
      }
      var headers = box.read()
      try call.reading.headers.set(
        name, call.raw(2), call.state, call.index(2), in: &headers,
        allowsSecrets: box.allowsSecrets)
      if let checkText = box.checkText {
        for value in headers.plainValues(name) { try checkText(value) }
      }
      guard write(headers) else {
        throw .message("these headers are closed: they can be changed only inside their function")
      }
    },
    .method(.headers, "__pairs") { call throws(Misuse) in
      let box = try call.selfObject(.headers, as: HeadersBox.self)
      let headers = box.read()
      var seen: Set<[UInt8]> = []
      var pairs: [(LuaValue, LuaValue)] = []
      for (name, _) in headers.bytePairs where seen.insert(name).inserted {
        let isList = name.elementsEqual("set-cookie".utf8)
        pairs.append(
          (
            .bytes(name),
            isList
              ? .list(headers.byteValues(of: name).map { .bytes($0) })
              : .bytes(headers.bytes(of: name) ?? [])
          ))
      }
      // `next` over a copy: what the loop changes does not disturb it.
      call.return(.globalNext)
      call.return(.table(pairs))
      call.return(.nil)
    },
    .method(.headers, "__tostring") { call throws(Misuse) in
      let headers = try call.selfObject(.headers, as: HeadersBox.self).read()
      let text = headers.pairs.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
      call.return(.string("Headers(\(text))"))
    },
  ]
}
