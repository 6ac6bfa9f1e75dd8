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
        """
        A `lull.file` is read into memory for it, at most 100 MB; one may be assigned too, and brings \
        its type.
        """,
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
          """, swift: "Headers.subscript(_:)"),
      .operation(
        "__pairs", "(): fun(): string, string|string[]", shown: "pairs(headers)",
        "Walks a copy of them; names are in lower case.",
        example: """
          for name, value in pairs(lull.entity{ headers = { ["X-A"] = 1 } }.headers) do
            print(name, value)                     --> x-a 1
          end
          """, swift: "Headers.pairs"),
    ])

  static let regex = APIOwner.object(
    .regex, receiver: "regex", "A regular expression of `lull.regex`, for patterns.",
    "It has no members.", entries: [])
}
