import CLullBridge
import LullCore

extension APIOwner {
  static let httpRequest = APIOwner.object(
    .httpRequest, receiver: "http_request",
    """
    A request in the form in which it is sent: mutations edit it, and networking functions respond \
    to it.
    """,
    """
    The request can be changed only inside the mutation that gets it; assigning after that raises \
    an error. Assigning a string that contains the mask of one of the request's secrets also \
    raises an error, except that text may be appended to the URL.
    """,
    swift: "HTTPRequest",
    entries: [
      .property(
        "method", "string", "The HTTP method, in upper case.",
        swift: "HTTPRequest.method", rules: "MUT-04 CFG-17"
      ) { call throws(Misuse) in
        call.return(.string(try httpRequest(call).http.method.rawValue))
      } set: { call throws(Misuse) in
        let box = try editable(call)
        guard let text = call.raw(1).string else {
          throw .message("'method' must be a string, got \(call.raw(1).typeName)")
        }
        box.http.method = try MethodReader.method(text)
      },
      .property(
        "url", "string", "The absolute URL, with masks for secrets.",
        swift: "HTTPRequest.url"
      ) { call throws(Misuse) in
        call.return(.string(try httpRequest(call).http.url))
      } set: { call throws(Misuse) in
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
      .property(
        "headers", "Headers", "The headers.", swift: "HTTPRequest.headers", rules: "MUT-03"
      ) { call throws(Misuse) in
        let box = try httpRequest(call)
        let headers = HeadersBox(
          read: { box.http.headers.lines },
          write: {
            if box.isOpen { $0.apply(to: &box.http.headers) }
            return box.isOpen
          }, allowsSecrets: true,
          checkText: { (text: [UInt8]) throws(Misuse) in
            try box.checkText(text, "this header")
          })
        call.return(call.values.of(headers, .headers))
      },
      .property(
        "body", "string?",
        "The bytes to send, with masks for secrets; nil if the request has no body.",
        """
        If the body is a `lull.file`, reading this property reads the file into memory, at most \
        100 MB. A `lull.file` can also be assigned, and sets the Content-Type.
        """,
        example: """
          local function sign(http)
            http.headers["X-Length"] = #(http.body or "")
          end
          assert(api("/users"):post({ json = { name = "Cid" } }, sign):await())
          """,
        swift: "HTTPRequest.body", rules: "MUT-03"
      ) { call throws(Misuse) in
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
      } set: { call throws(Misuse) in
        let box = try editable(call)
        if call.isNil(1) {
          box.http.body = nil
          return
        }
        if let body = call.reading.bodies.streamed(call.raw(1)) { return try box.carry(body) }
        guard let bytes = call.raw(1).bytes else {
          throw .message(
            "'body' must be a string, lull.file, lull.multipart or nil, got \(call.raw(1).typeName)"
          )
        }
        // Assigning the current body changes nothing, so it is not checked.
        if bytes != box.http.body { try box.checkText(bytes, "'body'") }
        box.http.body = bytes
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let http = try httpRequest(call).http
        call.return(.string("HTTPRequest(\(http.method) \(LogText.url(http.url)))"))
      }
    ])

  static let headers = APIOwner.object(
    .headers, receiver: "headers",
    "Headers by name; names may be in any letter case.",
    """
    Headers of resources and responses are read-only. The headers of a configuration or a request \
    can be set only inside the function that gets the configuration or request; later, setting a \
    header raises an error. Values are bytes, sent and received unchanged, whether or not they are \
    UTF-8.
    """,
    swift: "Headers",
    entries: [
      .operation(
        "__index", "(name: string): string|string[]|nil", shown: "headers[name]",
        """
        The value of a header. The values of a repeated header are joined with `, `; the values of \
        `set-cookie` are a list.
        """,
        example: """
          print(assert(user:load():await()).headers["ETag"])  --> "a1"
          """,
        swift: "Headers.values(_:)", rules: "ENT-07 ENT-09 ENT-10"
      ) { call throws(Misuse) in
        let box = try call.selfObject(.headers, as: HeadersBox.self)
        guard let name = call.raw(1).textBytes else { return call.return(.nil) }
        let headers = box.read()
        if String(escaping: name).lowercased() == "set-cookie" {
          let values = headers.byteValues(of: name)
          return call.return(values.isEmpty ? .nil : .list(values.map { .bytes($0) }))
        }
        call.return(headers.bytes(of: name).map { .bytes($0) } ?? .nil)
      },
      .operation(
        "__newindex", "(name: string, value: string|number|Secret|(string|Secret)[]|false|nil)",
        shown: "headers[name] = value",
        "Sets a header; nil or false removes the header, and a list sets several values.",
        """
        A name that is not an HTTP token raises an error. So does a value with a line break, \
        another control character, or a space at its beginning or end. With false, the header is \
        not sent, even if Lull sends it by default: `User-Agent`, `Accept` and `Accept-Encoding`. \
        `Host` and the headers that frame the body cannot be removed. Headers of requests may \
        contain secrets; reading such a header returns the mask of the secret.
        """,
        example: """
          local entity = lull.entity{ content = "x" }
          entity.headers["X-Tag"] = { "a", "b" }
          print(entity:header("x-tag"))            --> a, b
          """, swift: "Headers.subscript(_:)"
      ) { call throws(Misuse) in
        let box = try call.selfObject(.headers, as: HeadersBox.self)
        guard let write = box.write else {
          throw .message("these headers are read-only: they belong to a resource or response")
        }
        guard let name = call.raw(1).text else {
          throw .message("header names must be strings, got \(call.raw(1).typeName)")
        }
        let edit = try call.reading.headers.edit(
          name, call.raw(2), call.state, call.index(2), allowsSecrets: box.allowsSecrets)
        if let checkText = box.checkText {
          for value in edit.plainValues { try checkText(value) }
        }
        guard write(edit) else {
          throw .message(
            "these headers are closed: they can be changed only inside the function that received "
              + "them")
        }
      },
      .operation(
        "__pairs", "(): fun(): string, string|string[]", shown: "pairs(headers)",
        "Iterates over a copy of the headers; names are in lower case.",
        example: """
          for name, value in pairs(lull.entity{ headers = { ["X-A"] = 1 } }.headers) do
            print(name, value)                     --> x-a 1
          end
          """, swift: "Headers.pairs"
      ) { call throws(Misuse) in
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
        // `next` iterates over a copy, so that changes inside the loop do not affect the iteration.
        call.return(.globalNext)
        call.return(.table(pairs))
        call.return(.nil)
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let headers = try call.selfObject(.headers, as: HeadersBox.self).read()
        let text = headers.pairs.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
        call.return(.string("Headers(\(text))"))
      }
    ])

  static let regex = APIOwner.object(
    .regex, receiver: "regex", "A regular expression of `lull.regex`, for patterns.",
    "A regular expression has no members.", entries: [],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let box = try call.selfObject(.regex, as: RegexBox.self)
        call.return(.string("Regex(\(box.source))"))
      }
    ])
}

extension APIOwner {
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
}
