import CLullBridge
import LullCore

/// The functions that send a request to a URL without a service.
extension APIOwner {
  static let moduleOneOffs: [APIEntry] = [
    .function(
      "get", "(url: string, options?: OneOffOptions): Request",
      "Sends a GET request to a URL; no service is needed.",
      """
      The request works like a request of a service at the URL's origin that is made for this one \
      request: the response goes through the pipeline, errors are like those of any other request, \
      and `await` waits for it. The URL includes its query; a space or another invalid character \
      is escaped, and existing escapes stay. If the text is not an http or https URL, the returned \
      request has already failed. Requests to one origin share connections, but nothing else: \
      neither content nor cookies are stored. To store them, and for retries, limits, proxies and \
      all other settings, use a service.
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
      "Sends a POST request to a URL; otherwise like `lull.get`.",
      example: """
        assert(lull.post("https://api.example.com/users", {
          json = { name = "Cid" }, headers = { ["Idempotency-Key"] = "a7" },
        }):await())
        """
    ) { call throws(Misuse) in try call.sendOneOff(.post, to: 0) },
    oneOff(
      "put",
      "Sends a PUT request to a URL; otherwise like `lull.get`."
    ) { call throws(Misuse) in try call.sendOneOff(.put, to: 0) },
    oneOff(
      "patch",
      "Sends a PATCH request to a URL; otherwise like `lull.get`."
    ) { call throws(Misuse) in try call.sendOneOff(.patch, to: 0) },
    oneOff(
      "delete",
      "Sends a DELETE request to a URL; otherwise like `lull.get`."
    ) { call throws(Misuse) in try call.sendOneOff(.delete, to: 0) },
    oneOff(
      "head",
      "Sends a HEAD request to a URL; otherwise like `lull.get`."
    ) { call throws(Misuse) in try call.sendOneOff(.head, to: 0) },
    oneOff(
      "options",
      "Sends an OPTIONS request to a URL; otherwise like `lull.get`."
    ) { call throws(Misuse) in try call.sendOneOff(.options, to: 0) },
    .function(
      "request", "(method: string, url: string, options?: OneOffOptions): Request",
      "Sends a request with any method to a URL; otherwise like `lull.get`.",
      "The method may be any HTTP token, in any letter case.",
      swift: "Resource.request(_:body:requestMutation:)", rules: "ONE-01 DYN-01", arguments: "svT"
    ) { call throws(Misuse) in
      guard let method = RequestMethod(rawValue: call.string(0)) else {
        let given = LogText.part(call.string(0), limit: 80)
        throw .argument(1, "'\(given)' is not an HTTP method; pass the method before the URL")
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
    """
    Options of `lull.get`, `lull.post` and the other functions for one-off requests, including the \
    body.
    """,
    """
    A body is one of `json`, `form`, `text`, `data`, `file` and `multipart`: two of them raise an \
    error.
    """,
    entries: [
      .field(
        "query", "table<string, string|number|boolean|Secret>?",
        """
        Parameters to set in the query of the URL, or to remove with false, as with `with_params`.
        """,
        rules: "ONE-04 PATH-26 PATH-27"),
      .field(
        "auth", "Auth|false|nil",
        "The credentials, sent to the URL's origin only: the result of a function of `lull.auth`.",
        rules: "ONE-04 ONE-08"),
      .field("json", "any", "Any JSON value, as in `Body`.", rules: "ONE-05 REQ-10"),
      .field(
        "form", "table<string, string|number|boolean|Secret>?",
        "Names and values, sent URL-encoded and sorted by name.", rules: "ONE-05 REQ-15"),
      .field("text", "string?", "Text, sent in UTF-8 or `encoding`.", rules: "ONE-05 REQ-07"),
      .field("data", "string?", "Bytes, sent unchanged.", rules: "ONE-05 REQ-06"),
      .field(
        "file", "string|File|nil",
        "A file, as a path or `lull.file`, read while it is sent. Not available in the sandbox.",
        rules: "ONE-05 ONE-09"),
      .field(
        "multipart", "table<string, MultipartValue>|MultipartValue[][]|Multipart|nil",
        """
        A form whose values may be files: the argument of `lull.multipart`, or its result.
        """, rules: "ONE-05"),
      .field(
        "content_type", "string?",
        "The Content-Type, in place of the default of `json`, `text` or `data`.",
        rules: "ONE-05 REQ-21"),
      .field(
        "encoding", "string?", "The charset of `text`; default utf-8.", rules: "ONE-05 REQ-08"),
    ])
}

extension Call {
  /// Sends a request to the URL in the argument at index `position`. The argument after it is the
  /// table of options. The request uses a temporary service, so that credentials are bound to the
  /// URL's origin. (ONE-01 to ONE-09)
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

  /// Returns the URL argument at a position. A user may have typed it, so invalid characters are
  /// escaped. (ONE-02, ONE-03)
  private func typedURL(_ position: Int) throws(Misuse) -> String {
    let value = raw(position)
    guard value.kind == Int32(LULL_STRING), let text = value.urlText else {
      let hint =
        switch Int(value.kind) {
        case Int(LULL_TABLE): "; options come after the URL"
        case Int(LULL_OBJECT): "; a resource has methods of these names"
        default: ""
        }
      throw .argument(position + 1, "URL expected, got \(value.typeName)\(hint)")
    }
    return ResourceURL.escaping(typed: text)
  }
}
