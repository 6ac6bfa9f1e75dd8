import CLullBridge
import LullCore

/// Requests to a URL, without a service.
extension APIOwner {
  static let moduleOneOffs: [APIEntry] = [
    .function(
      "get", "(url: string, options?: OneOffOptions): Request",
      "Sends a GET request to a URL, for which no service is defined.",
      """
      As a service at the URL's origin would that is made for this one request: its answer goes through \
      the pipeline, errors come as of any other, and what waits is `await`. The URL is taken whole, with \
      its query; a space or another character that cannot stand in it is escaped, and escapes stay. A \
      text that is no URL of http or https gives a request that has failed already. Requests of one \
      origin share connections, and nothing else: no content is remembered, no cookie kept. For what \
      should be, and for retries, limits, proxies and all other settings, there are services.
      """,
      example: """
        local entity = assert(lull.get(lull.demo() .. "/users/7"):await())
        print(entity.content.name)                 --> Edsger Dijkstra
        """,
      swift: "Service.resource(absoluteURL:)", rules: "ONE-01 ONE-02 ONE-03 ONE-07 ONE-08",
      arguments: "vT"
    ) { call throws(Misuse) in try call.sendOneOff(.get, to: 0) },
    oneOff(
      "post",
      "Sends a POST request to a URL, for which no service is defined; otherwise as `lull.get`.",
      example: """
        assert(lull.post("https://api.example.com/users", {
          json = { name = "Cid" }, headers = { ["Idempotency-Key"] = "a7" },
        }):await())
        """
    ) { call throws(Misuse) in try call.sendOneOff(.post, to: 0) },
    oneOff(
      "put",
      "Sends a PUT request to a URL, for which no service is defined; otherwise as `lull.get`."
    ) { call throws(Misuse) in try call.sendOneOff(.put, to: 0) },
    oneOff(
      "patch",
      "Sends a PATCH request to a URL, for which no service is defined; otherwise as `lull.get`."
    ) { call throws(Misuse) in try call.sendOneOff(.patch, to: 0) },
    oneOff(
      "delete",
      "Sends a DELETE request to a URL, for which no service is defined; otherwise as `lull.get`."
    ) { call throws(Misuse) in try call.sendOneOff(.delete, to: 0) },
    oneOff(
      "head",
      "Sends a HEAD request to a URL, for which no service is defined; otherwise as `lull.get`."
    ) { call throws(Misuse) in try call.sendOneOff(.head, to: 0) },
    oneOff(
      "options",
      "Sends a OPTIONS request to a URL, for which no service is defined; otherwise as `lull.get`."
    ) { call throws(Misuse) in try call.sendOneOff(.options, to: 0) },
    .function(
      "request", "(method: string, url: string, options?: OneOffOptions): Request",
      "Sends a request with any method to a URL, for which no service is defined; otherwise as `lull.get`.",
      "The method may be any HTTP token, in any letter case.",
      swift: "Resource.request(_:body:requestMutation:)", rules: "ONE-01 DYN-01", arguments: "svT"
    ) { call throws(Misuse) in
      guard let method = RequestMethod(rawValue: call.string(0)) else {
        let given = LogText.part(call.string(0), limit: 80)
        throw .argument(1, "'\(given)' is not an HTTP method; it comes before the URL")
      }
      try call.sendOneOff(method, to: 1)
    },
  ]

  private static func oneOff(
    _ name: StaticString, _ summary: String, example: String = "",
    body: @escaping APIEntry.Body
  ) -> APIEntry {
    .function(
      name, "(url: string, options?: OneOffOptions): Request", summary, example: example,
      swift: "Resource.request(_:body:requestMutation:)", rules: "ONE-01", arguments: "vT",
      body: body)
  }

  static let oneOffOptions = APIOwner.table(
    "OneOffOptions", extending: "RequestOptions",
    "What a request that `lull.get` and its like send is told, its body included.",
    "A body is one of `json`, `form`, `text`, `data`, `file` and `multipart`: two of them raise.",
    entries: [
      .field(
        "query", "table<string, string|number|boolean|Secret>?",
        "Parameters that are set in the URL's query, or with false removed, as `with_params` does.",
        rules: "ONE-04 PATH-26 PATH-27"),
      .field(
        "auth", "Auth|false|nil",
        "What proves who sends it, to the URL's origin only: what a function of `lull.auth` gives.",
        rules: "ONE-04 ONE-08"),
      .field("json", "any", "Any JSON value, as the field of `Body`.", rules: "ONE-05 REQ-10"),
      .field(
        "form", "table<string, string|number|boolean|Secret>?",
        "Names and values, sent URL-encoded and sorted.", rules: "ONE-05 REQ-15"),
      .field("text", "string?", "Text, sent in UTF-8 or `encoding`.", rules: "ONE-05 REQ-07"),
      .field("data", "string?", "Bytes, sent as they are.", rules: "ONE-05 REQ-06"),
      .field(
        "file", "string|File|nil",
        "A file, by its path or as `lull.file` gives it, read while it is sent. Not in the sandbox.",
        rules: "ONE-05 ONE-09"),
      .field(
        "multipart", "table<string, MultipartValue>|MultipartValue[][]|Multipart|nil",
        "A form whose values may be files: what `lull.multipart` takes, or gives.", rules: "ONE-05"),
      .field(
        "content_type", "string?",
        "The Content-Type, in place of the one that `json`, `text` or `data` brings.",
        rules: "ONE-05 REQ-21"),
      .field(
        "encoding", "string?", "The charset of `text`; default utf-8.", rules: "ONE-05 REQ-08"),
    ])
}

extension Call {
  /// Sends a request to the URL at that position, followed by the options. It uses a temporary
  /// service, so that credentials are bound to the URL's origin. (ONE-01 to ONE-09)
  fileprivate func sendOneOff(_ method: RequestMethod, to position: Int) throws(Misuse) {
    let url = try typedURL(position)
    let origin = ResourceURL(absolute: url)?.origin ?? ""
    let service = Service(
      baseURL: origin.isEmpty ? nil : origin, networking: environment.defaultNetworking(),
      pump: pump)
    var resource = service.resource(absoluteURL: url)
    var options: OneOffOptions?
    if !isNil(position + 1) {
      let given = try OneOffOptions(self, table: index(position + 1), service: service)
      resource = given.asked(resource)
      given.configure(service, from: place)
      options = given
    }
    switch options?.body {
    case .failure(let failure)?:
      self.return(values.of(resource.failedBeforeSending(failure.cause, method: method)))
    case .success(let body)?:
      self.return(values.of(resource.request(method, body: body, adHoc: options?.edit)))
    case nil:
      self.return(values.of(resource.request(method, body: nil, adHoc: options?.edit)))
    }
  }

  /// Returns a URL as typed by a user, with invalid characters escaped. (ONE-02, ONE-03)
  private func typedURL(_ position: Int) throws(Misuse) -> String {
    let value = raw(position)
    guard value.kind == Int32(LULL_STRING), let text = value.urlText else {
      let hint =
        switch Int(value.kind) {
        case Int(LULL_TABLE): "; options come behind the URL"
        case Int(LULL_OBJECT): "; a resource has methods of these names"
        default: ""
        }
      throw .argument(position + 1, "URL expected, got \(value.typeName)\(hint)")
    }
    return ResourceURL.escaping(typed: text)
  }
}
