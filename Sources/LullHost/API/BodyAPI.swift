import CLullBridge
import LullCore

/// Request bodies and other options of a single request.
extension APIOwner {
  static let moduleBodies: [APIEntry] = [
    .function(
      "file", "(path: string, options?: FileOptions): File",
      """
      Makes a request body from a file, which is read from disk while it is sent, however large it \
      is.
      """,
      """
      The file is checked when a request is made with it. If it is not a regular file that can be \
      read, the returned request has already failed, with kind `file_unavailable`. After the \
      check, the file must not change: if its size, time or identity changes, or if it ends early, \
      the request fails with kind `file_changed`, and the server never gets a complete body. A \
      redirect or a retry reads the file again; `repeated()` checks the file again. A request with \
      a file has no `timeout` unless the options of the request set one: `idle_timeout` limits the \
      request instead. Not available in the sandbox.
      """,
      example: """
        local path = os.tmpname()
        assert(lull.write_file(path, "PNG"))
        assert(user:put(lull.file(path, { type = "image/png" })):await())
        os.remove(path)
        """,
      swift: "UploadFile", rules: "BODY-01 BODY-02 BODY-03 BODY-04 BODY-05 BODY-06"
    ) { call throws(Misuse) in try makeFile(call) },
    .function(
      "multipart",
      """
      (values: table<string, MultipartValue>): Multipart
      (pairs: MultipartValue[][]): Multipart
      """,
      "Makes a request body of type `multipart/form-data`: a form whose values may be files.",
      """
      Files are read while they are sent, as with `lull.file`. A table of names and values is sent \
      sorted by name. A list of `{ name, value }` keeps its order, and may repeat a name. Strings \
      are sent unchanged, numbers and booleans as text. A secret raises an error: use `form` or \
      headers for secrets.
      """,
      example: """
        local path = os.tmpname()
        assert(lull.write_file(path, "PNG"))
        local created = assert(api("/users"):post(lull.multipart{
          name = "Cid",
          photo = lull.file(path, { name = "cid.png" }),
        }):await())
        print(created.content.id)                  --> 9
        os.remove(path)
        """,
      swift: "MultipartForm", rules: "BODY-10 BODY-11 BODY-12"
    ) { call throws(Misuse) in
      let form = try call.reading.multipart.form(table: call.index(0), in: call.state)
      call.return(call.values.of(MultipartBox(form), .multipart))
    },
  ]

  static let multipart = APIOwner.object(
    .multipart, receiver: "multipart", "A form to be sent, the result of `lull.multipart`.",
    "The object has no members.", swift: "MultipartForm", entries: [],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let form = try call.selfObject(.multipart, as: MultipartBox.self).form
        call.return(.string("Multipart(\(LogText.part(form.summary)))"))
      }
    ])

  static let multipartPart = APIOwner.table(
    "MultipartPart", "A value of a multipart form with a type or a file name.",
    entries: [
      .field("value", "string|number|boolean|Secret", "The value.", rules: "BODY-11"),
      .field(
        "type", "string?",
        "The Content-Type of the value; by default, none is sent, which means text.",
        rules: "BODY-11"),
      .field(
        "name", "string?",
        "The file name to send with the value, as for a file; by default, none is sent.",
        rules: "BODY-11"),
    ])

  static let file = APIOwner.object(
    .file, receiver: "file", "A file to be sent, the result of `lull.file`.",
    swift: "UploadFile",
    entries: [
      .property("path", "string", "The path of the file.", swift: "UploadFile.path") {
        call throws(Misuse) in
        call.return(.bytes(try file(call).path.bytes))
      },
      .property(
        "name", "string", "The file name sent to the server.", swift: "UploadFile.name"
      ) { call throws(Misuse) in
        call.return(.bytes(try file(call).name.bytes))
      },
      .property("type", "string", "The Content-Type of the file.", swift: "UploadFile.contentType")
      {
        call throws(Misuse) in
        call.return(.string(try file(call).contentType))
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let file = try file(call)
        call.return(.string("File(\(LogText.part(file.path.description)), \(file.contentType))"))
      }
    ])

  static let fileOptions = APIOwner.table(
    "FileOptions", "Options of `lull.file`.",
    entries: [
      .field(
        "type", "string?",
        """
        The Content-Type; default the usual one for the file name extension, else \
        `application/octet-stream`.
        """, rules: "BODY-02"),
      .field(
        "name", "string?", "The file name sent to the server; default the name of the file itself.",
        rules: "BODY-02"),
    ])

  static let requestOptions = APIOwner.table(
    "RequestOptions", "Options of a single request.",
    "The options also apply when the request is repeated, but to no other request.",
    entries: [
      .field(
        "headers", "table<string, string|number|Secret|(string|Secret)[]|false>?",
        """
        Headers of the request. They override configured headers and the Content-Type of the body. \
        A list of values sends several headers of that name; false removes the header.
        """,
        example: """
          assert(api("/users"):post({ json = { name = "Cid" } }, {
            headers = { ["Idempotency-Key"] = "a7", ["User-Agent"] = false },
            timeout = 5,
          }):await())
          """, swift: "Resource.RequestMutation",
        rules: "REQ-26 REQ-27"),
      .field(
        "timeout", "number?",
        "How long the whole exchange may take, in seconds; overrides the configuration.",
        swift: "TransferLimits.timeout", rules: "REQ-28"),
      .field(
        "mutate", "Mutation?",
        "Edits the request after `headers` and `timeout` are applied. Must return at once.",
        swift: "Resource.RequestMutation",
        rules: "REQ-26 MUT-05 MUT-07"),
    ])

  static let queryOptions = APIOwner.table(
    "QueryOptions", "The content of a query: one of `json`, `form`, `text` and `data`.",
    "The allowed fields are those of `Body`, and `headers` and `method`.",
    swift: "ResourceQuery",
    entries: [
      .field(
        "headers", "table<string, string|number|Secret|(string|Secret)[]|false>?",
        """
        Headers of the loads of the query. They are not part of the query's identity: while the \
        query is in use, making the same query with other headers raises an error.
        """, rules: "QUERY-06"),
      .field(
        "method", "\"QUERY\"|\"POST\"?",
        """
        The HTTP method; default the setting `query_method`. With POST, the request is treated as \
        safe, like QUERY.
        """,
        swift: "ResourceQuery.method", rules: "QUERY-07"),
    ] + bodyFields)

  static let body = APIOwner.table(
    "Body", "The body of a request: one of `json`, `form`, `text` and `data`.",
    "Exactly one of them is required. `encoding` is only allowed with `text`.",
    swift: "RequestBody", entries: bodyFields)

  private static let bodyFields: [APIEntry] = [
    .field(
      "json", "any",
      """
      Any JSON value; strings may be secrets. An empty table becomes an object unless it is marked \
      with `lull.array`.
      """,
      example: """
        assert(api("/users"):post{ json = { name = "Cid", tags = lull.array{} } }:await())
        """,
      swift: "RequestBody.json(_:contentType:)", rules: "REQ-10 REQ-12 REQ-13"),
    .field(
      "form", "table<string, string|number|boolean|Secret>?",
      "Names and values, sent URL-encoded and sorted by name.",
      example: """
        assert(user:patch{ form = { name = "Anne" } }:await())
        """,
      swift: "RequestBody.form(_:)", rules: "REQ-15 REQ-16 REQ-18 REQ-19"),
    .field(
      "text", "string?", "Text, sent in UTF-8 or `encoding`.",
      swift: "RequestBody.text(_:contentType:encoding:)",
      rules: "REQ-07 REQ-08 REQ-09"),
    .field(
      "data", "string?", "Bytes, sent unchanged.", swift: "RequestBody.data(_:contentType:)",
      rules: "REQ-06"),
    .field(
      "content_type", "string?", "The Content-Type, in place of the default of the body.",
      rules: "REQ-06 REQ-11 REQ-21"),
    .field(
      "encoding", "string?", "The charset of `text`: any name iconv knows; default utf-8.",
      swift: "RequestBody.text(_:contentType:encoding:)",
      rules: "REQ-08"),
  ]
}

extension APIOwner {
  static let uploadKeys = ["type", "name"]

  private static func file(_ call: Call) throws(Misuse) -> UploadFile {
    try call.selfObject(.file, as: FileBox.self).file
  }

  /// Implements `lull.file(path[, { type =, name = }])`.
  private static func makeFile(_ call: Call) throws(Misuse) {
    try call.permissions.refuseInSandbox("lull.file")
    let path = try call.path(0)
    var name: String?
    var type: String?
    if !call.isNil(1) {
      try call.reading.options.forEach(of: call.index(1), in: call.state, known: uploadKeys) {
        key, value throws(Misuse) in
        let text = try value.nonEmptyText(key)
        if key == "name" { return name = text }
        type = try value.headerText(key)
      }
    }
    let file = UploadFile(ByteString(path), name: name, contentType: type)
    call.return(call.values.of(FileBox(file), .file))
  }
}
