extension APIOwner {
  static let httpRequest = APIOwner.object(
    .httpRequest, receiver: "http_request",
    "A request as it goes on the wire: what mutations edit and networking functions answer.",
    """
    It can be changed only inside its mutation; later, assigning \
    raises. So does assigning a text with the mask of one of its secrets in it, except that more may \
    be put behind the URL.
    """,
    swift: "HTTPRequest",
    entries: [
      .property(
        "method", "string", "The HTTP method, in upper case.", writable: true,
        swift: "HTTPRequest.method", rules: "MUT-04 CFG-17"),
      .property(
        "url", "string", "The absolute URL, with masks for secrets.", writable: true,
        swift: "HTTPRequest.url"),
      .property(
        "headers", "Headers", "The headers.", swift: "HTTPRequest.headers", rules: "MUT-03"),
      .property(
        "body", "string?", "The bytes to send, with masks for secrets; nil for none.",
        writable: true,
        example: """
          local function sign(http)
            http.headers["X-Length"] = #(http.body or "")
          end
          assert(api("/users"):post({ json = { name = "Cid" } }, sign):await())
          """,
        swift: "HTTPRequest.body", rules: "MUT-03"),
    ])

  static let headers = APIOwner.object(
    .headers, receiver: "headers",
    "Headers by name, in any letter case.",
    """
    Those of resources and responses are read-only; those of a closed configuration or request \
    raise. Values are bytes, sent and received as they are, whether or not they are UTF-8.
    """,
    swift: "Headers",
    entries: [
      .operation(
        "__index", "(name: string): string|string[]|nil", shown: "headers[name]",
        "The value; repeated ones are joined with `, `, those of `set-cookie` are a list.",
        example: """
          print(assert(user:load():await()).headers["ETag"])  --> "a1"
          """,
        swift: "Headers.values(_:)", rules: "ENT-07 ENT-09 ENT-10"),
      .operation(
        "__newindex", "(name: string, value: string|number|Secret|(string|Secret)[]|false|nil)",
        shown: "headers[name] = value",
        "Sets a header; nil or false removes it, a list sends several.",
        """
        A name that is no HTTP token raises, and so does a value with a line break, another control \
        character, or space at its beginning or end. With false a request goes \
        without the header even where one would be sent unasked: `User-Agent`, `Accept` and \
        `Accept-Encoding`; only `Host` and what frames the body stay. Secrets may stand in the \
        headers of requests; they read as their masks.
        """,
        example: """
          local entity = lull.entity{ content = "x" }
          entity.headers["X-Tag"] = { "a", "b" }
          print(entity:header("x-tag"))            --> a, b
          """),
      .operation(
        "__pairs", "(): fun(): string, string|string[]", shown: "pairs(headers)",
        "Walks a copy of them; names are in lower case.",
        example: """
          for name, value in pairs(lull.entity{ headers = { ["X-A"] = 1 } }.headers) do
            print(name, value)                     --> x-a 1
          end
          """),
    ])

  static let regex = APIOwner.object(
    .regex, receiver: "regex", "A regular expression of `lull.regex`, for patterns.",
    "It has no members.", entries: [])

  static let requestOptions = APIOwner.table(
    "RequestOptions", "What a call says of its one request.",
    "They hold for its repetitions too, and for no other request.",
    entries: [
      .field(
        "headers", "table<string, string|number|Secret|(string|Secret)[]|false>?",
        """
        Headers of the request, set over configured ones and the body's type; a list sends several, \
        and with false there is none.
        """,
        example: """
          assert(api("/users"):post({ json = { name = "Cid" } }, {
            headers = { ["Idempotency-Key"] = "a7", ["User-Agent"] = false },
            timeout = 5,
          }):await())
          """,
        rules: "REQ-26 REQ-27"),
      .field(
        "timeout", "number?",
        "How long the whole exchange may take, in seconds, instead of what is configured.",
        swift: "TransferLimits.timeout", rules: "REQ-28"),
      .field(
        "mutate", "Mutation?", "Edits the request after that. Must answer at once.",
        rules: "REQ-26 MUT-05 MUT-07"),
    ])

  static let body = APIOwner.table(
    "Body", "The body of a request: one of `json`, `form`, `text` and `data`.",
    "Two of them, or none, raise; so does `encoding` without `text`.",
    swift: "RequestBody",
    entries: [
      .field(
        "json", "any",
        """
        Any JSON value, secrets in the place of strings too; an empty table is an object unless made \
        with `lull.array`.
        """,
        example: """
          assert(api("/users"):post{ json = { name = "Cid", tags = lull.array{} } }:await())
          """,
        swift: "RequestBody.json", rules: "REQ-10 REQ-12 REQ-13"),
      .field(
        "form", "table<string, string|number|boolean|Secret>?",
        "Names and values, sent URL-encoded and sorted.",
        example: """
          assert(user:patch{ form = { name = "Anne" } }:await())
          """,
        swift: "RequestBody.form", rules: "REQ-15 REQ-16 REQ-18 REQ-19"),
      .field(
        "text", "string?", "Text, sent in UTF-8 or `encoding`.", swift: "RequestBody.text",
        rules: "REQ-07 REQ-08 REQ-09"),
      .field(
        "data", "string?", "Bytes, sent as they are.", swift: "RequestBody.data", rules: "REQ-06"),
      .field(
        "content_type", "string?", "The Content-Type, in place of the one the body brings.",
        rules: "REQ-06 REQ-11 REQ-21"),
      .field(
        "encoding", "string?", "The charset of `text`: any name iconv knows; default utf-8.",
        rules: "REQ-08"),
    ])
}
