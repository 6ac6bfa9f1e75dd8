import CLullBridge
import LullCore
package import LullHost
import LullLuaSource
import LullSchemas
import LullSystem

extension APIFiles {
  package static let functions: [APIEntry] = [
    .function(
      "api", "(name: string): API",
      "Loads an API from a file that describes its service and calls.",
      """
      `name` is a file name without `.lua`. The file is searched first in `./apis`, then in `apis` \
      of each parent folder up to the folder that contains `.git` (only if all these folders \
      belong to you), then in `$XDG_CONFIG_HOME/lull/apis` (`~/.config/lull/apis`). A name with a \
      slash, or ending in `.lua`, is a path. The file runs at the first call of `lull.api` with \
      its name, must return at once, and gets its name as `...`. Later calls with the same name \
      return the same object, which lives until the process ends. `require` does not find such \
      files.

      `lull.api("github@prod")` loads the file in its environment `prod`. The file gets the name \
      of the environment as its second argument. The result is a separate object, with its own \
      service, caches and tokens. If `name` has no environment, the environment variable \
      `LULL_ENV` selects one, if the file has environments.

      The file returns a service, or a table with `APIFileFields`. `lull.api` raises errors of the \
      file, an error with the line of a wrong declaration, and an error if there is no such file. \
      The declaration of a call is read when the call is used, as by `api.calls.repos`, and errors \
      in it are raised then; `pairs(api.calls)` reads all declarations. Not available in the \
      sandbox.

      Commands that only inspect a file (shell completion, `lull apis`, `lull check`, help of \
      `lull call`) run the file within limits, and in the sandbox unless the file is in your own \
      configuration folder or trusted with `lull trust`. In such a run, `lull.secret` has no text \
      and `lull.cache.file` stores nothing. Environment variables are not set; if the file fails \
      without them, the file runs again with the value `"1"` for each of them.
      """
    ) { call throws(Misuse) in try call.returnAPI() },
    .function(
      "validate", "(schema: table|string|boolean, content: any): boolean?, ValidationError[]?",
      "Validates content against a JSON Schema (draft 2020-12): true, or nil and the errors.",
      """
      The schema is a table, or JSON as a text; the content is any JSON value. At most 20 errors \
      are returned, in the order of the content. Raises an error if the schema cannot be used, or \
      if validation takes too long.
      """,
      example: """
        local schema = { type = "object", required = { "id" }, properties = { id = { type = "integer" } } }
        print(lull.validate(schema, { id = 7 }))                --> true
        local _, errors = lull.validate(schema, { id = "7" })
        print(errors[1].pointer, errors[1].message)             --> /id must be a whole number, got "7"
        """
    ) { call throws(Misuse) in
      let schema = try call.json(0, "the schema", isText: true)
      let content = try call.json(1, "the content", isText: false)
      do throws(SchemaProblem) {
        let validator = try call.part(APIFiles.self).schemas.validator(schema)
        let document: JSONDocument
        do throws(JSONError) {
          document = try JSONDocument(parsing: content)
        } catch {
          throw SchemaProblem("the content is not JSON: \(error)")
        }
        let violations = try validator.violations(of: document.root)
        guard !violations.isEmpty else { return call.return(.bool(true)) }
        call.return(.nil)
        call.return(
          .list(
            violations.map { violation in
              .map(
                ContentMisfit(
                  pointer: violation.pointer, keyword: violation.keyword,
                  message: violation.message
                ).fields)
            }))
      } catch {
        throw .message("\(error)")
      }
    },
  ]

  /// Returns the names of APIs or environments. Does not run any file. Reads only the API file
  /// whose environments are requested.
  package static func choices(for function: String, typed: String) -> [String] {
    guard function == "api" else { return [] }
    guard let at = typed.lastIndex(of: "@"),
      let path = APIFileLocator.plainFile(of: String(typed[..<at]))
    else { return APIFileLocator.listing().files.map(\.name) }
    let source = (try? TextFile.read(Array(path.utf8), limit: Inspection.sizeLimit).get()) ?? []
    return DeclarationPlaces(source).keys(of: "environments").filter(APIName.isEnvironment)
      .map { "\(typed[..<at])@\($0)" }
  }

  package static let types: [APIOwner] = [
    .api, .apiCalls, .apiCall, .apiFileFields, .apiEnvironmentFields, .apiCallFields,
    .apiParamFields, .apiCallParam,
    .mockRequest, .mockAnswer, .mockExample,
  ]
}

extension APIOwner {
  fileprivate static let api = APIOwner.object(
    .api, receiver: "api", "An API described by a file: the result of `lull.api`.",
    """
        local github = lull.api("github")
        local repos = assert(github.calls.repos{ user = "octocat" }:await())
        local user = github("/users/octocat")
    """,
    entries: [
      .operation(
        "__call", "(path: string): Resource", shown: "api(path)",
        "The resource at a path below the base URL, as with `service(path)`.", rules: "APIF-150"
      ) { call throws(Misuse) in
        call.lead(to: call.resource(below: try api(call).service))
      },
      .property("calls", "APICalls", "The calls of the API, by name.") { call throws(Misuse) in
        let api = try api(call)
        call.return(call.values.of(APICallsBox(api), .apiCalls, service: api.service))
      },
      .method(
        "confirm_writes", "(): API",
        "Allows writes that an environment with `confirm_writes` would refuse.",
        """
        The permission applies to this object until the process ends, and not to other \
        environments.
        """,
        rules: "ENV-14"
      ) { call throws(Misuse) in
        try api(call).environment?.isConfirmed = true
        call.returnSelf()
      },
      .property("description", "string?", "The description from the file.") { call throws(Misuse) in
        call.return(try api(call).description.map { .string($0) } ?? .nil)
      },
      .property(
        "environment", "string?", "The name of the environment in which the API is used.",
        rules: "ENV-01"
      ) { call throws(Misuse) in
        call.return(try api(call).environment.map { .string($0.name) } ?? .nil)
      },
      .property(
        "environments", "string[]",
        "The environments that the file declares, in the order of the file."
      ) {
        call throws(Misuse) in
        call.return(.list(try api(call).environments.map { .string($0) }))
      },
      .property("name", "string", "The name of the API file, without `.lua`.") {
        call throws(Misuse) in
        call.return(.string(try api(call).name))
      },
      .property("path", "string", "The path of the API file.") { call throws(Misuse) in
        call.return(.string(try api(call).path))
      },
      .method(
        "resource", "(path: string): Resource", "The same as `api(path)`.", rules: "APIF-150"
      ) { call throws(Misuse) in
        call.lead(to: call.resource(below: try api(call).service))
      },
      .property("service", "Service", "The service that the API file has made.") {
        call throws(Misuse) in
        call.return(call.values.of(try api(call).service))
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let api = try api(call)
        call.return(.string("API(\(api.fullName), \(api.callNames.count) calls)"))
      }
    ])

  fileprivate static let apiCalls = APIOwner.object(
    .apiCalls, receiver: "calls", "The calls of an API; `pairs` iterates over them.",
    entries: [
      .operation(
        "__index", "(name: string): APICall", shown: "calls[name]",
        """
        The call with the given name. If the file declares no such call, raises an error that \
        suggests the nearest name.
        """
      ) { call throws(Misuse) in
        let api = try calls(call)
        let name = call.raw(1).text ?? ""
        guard let declared = try call.asked({ () throws(APIFileProblem) in try api.call(name) })
        else {
          throw .message(api.unknownCall(name))
        }
        call.return(call.values.of(APICallBox(declared, of: api), .apiCall, service: api.service))
      },
      .operation(
        "__pairs", "(): function, table", shown: "pairs(calls)",
        "Iterates over the names and the calls."
      ) { call throws(Misuse) in
        let api = try calls(call)
        let all = try call.asked { () throws(APIFileProblem) in try api.calls }
        call.return(.globalNext)
        call.return(
          .map(
            all.map {
              let box = APICallBox($0, of: api)
              return ($0.name, call.values.of(box, .apiCall, service: api.service))
            }))
        call.return(.nil)
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let names = try calls(call).callNames.joined(separator: ", ")
        call.return(.string("APICalls(\(names))"))
      }
    ])

  fileprivate static let apiCall = APIOwner.object(
    .apiCall, receiver: "call", "A call declared by an API file.",
    """
    Parameters are passed as a table by name and checked: a parameter that is missing, unknown or \
    of a wrong type raises an error that names the call. Parameters of the path are escaped and \
    become one segment each. Other parameters go into the query, or, for POST, PUT and PATCH, into \
    the body, unless the file sets another place.
    """,
    entries: [
      .operation(
        "__call", "(params?: table): Request", shown: "call{ … }",
        "Makes the call and returns its request, which is started.",
        """
        For GET, the resource of the call is loaded, as by `resource:load()`, so the resource \
        keeps the data. For other methods, the resource does not change.
        """
      ) { call throws(Misuse) in
        let name = try declared(call).call
        if name.graphQL?.isSubscription ?? false {
          throw .message(
            "call '\(name.name)' is a subscription: read it with "
              + "calls['\(name.name)']:resource{ … }:events()")
        }
        let request = try call.declaredRequest()
        // An unconditional load always starts.
        guard let started = request.start() else { return call.return(.nil) }
        call.return(call.values.of(started))
      },
      .property("description", "string?", "The description from the file.") { call throws(Misuse) in
        call.return(try declared(call).call.description.map { .string($0) } ?? .nil)
      },
      .property("method", "string", "The HTTP method.") { call throws(Misuse) in
        call.return(.string(try declared(call).call.method.rawValue))
      },
      .property("name", "string", "The name of the call.") { call throws(Misuse) in
        call.return(.string(try declared(call).call.name))
      },
      .method(
        "pages", "(params?: table): Pages",
        "Iterates over the pages of the response, as `resource:pages` does.",
        """
        The field `pages` in the declaration of the call selects how the next page is found. \
        Raises an error if the declaration has no such field.
        """
      ) { call throws(Misuse) in
        let box = try declared(call)
        guard let options = box.call.pages else {
          throw .message("call '\(box.call.name)' has no pages: it declares no 'pages'")
        }
        LuaPages.iterate(try call.declaredRequest().resource, options, call)
      },
      .property(
        "params", "APICallParam[]",
        """
        The parameters of the call: those of the path first, then the others in the order of the \
        file.
        """
      ) { call throws(Misuse) in
        call.return(
          .list(
            try declared(call).call.parameters.map { parameter in
              .map([
                ("name", .string(parameter.name)), ("type", .string(parameter.typeName)),
                ("place", .string(parameter.place.rawValue)),
                ("required", .bool(parameter.isRequired)),
                ("description", parameter.description.map { .string($0) } ?? .nil),
              ])
            }))
      },
      .property("path", "string", "The path below the base URL, with `{name}` for parameters.") {
        call throws(Misuse) in
        call.return(.string(try declared(call).call.path))
      },
      .method(
        "resource", "(params?: table): Resource",
        "Returns the resource of the call. Sends nothing."
      ) { call throws(Misuse) in
        call.return(call.values.of(try call.declaredRequest().resource))
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let box = try declared(call)
        call.return(.string("APICall(\(box.api.name).\(box.call.name))"))
      }
    ])

  fileprivate static let apiCallParam = APIOwner.table(
    "APICallParam", "An element of `call.params`.",
    entries: [
      .field("name", "string", "The name of the parameter."),
      .field("type", "string", "A description of the expected value."),
      .field(
        "place", "\"path\"|\"query\"|\"header\"|\"cookie\"|\"body\"",
        "The place where the parameter is sent."),
      .field("required", "boolean", "Whether the parameter is required."),
      .field("description", "string?", "The description from the file."),
    ])

  fileprivate static let apiFileFields = APIOwner.table(
    "APIFileFields", "The table that an API file returns, if it returns more than a service.",
    entries: [
      .field("service", "Service", "The service, with its configuration."),
      .field(
        "calls", "table<string, APICallFields>?",
        "The calls by name. A name is any printable text that does not begin with `-`."),
      .field("description", "string?", "A description for lists and help."),
      .field(
        "environments", "table<string, APIEnvironmentFields>?",
        """
        Environments, such as `staging` and `prod`, by name, each with the settings that override \
        those of the file.
        """,
        rules: "ENV-01"),
      .field(
        "schemas", "string?",
        """
        The name of a file in the same folder. The file contains the JSON Schemas of responses, by \
        call name, for the setting `validate`, and is read when the first response is validated.
        """),
      .field(
        "graphql", "string?",
        """
        The name of a file with a GraphQL schema (SDL) in the same folder. It determines the types of \
        variables, and `lull check` validates the operations of the calls against it.
        """, rules: "GQL-42 GQL-48"),
      .field(
        "mock", "(fun(request: MockRequest, state: table): MockAnswer?)?",
        """
        The function that responds in `lull mock` to requests for which no call is declared, \
        whatever their method and path. The response is sent unchanged: no `ETag` is added. If the \
        function returns nil, a recording responds, if there is one.
        """),
    ])

  fileprivate static let apiEnvironmentFields = APIOwner.table(
    "APIEnvironmentFields", extending: "Settings", "An environment in an API file.",
    "The fields of `Settings` may be used here too; they override the settings of the file.",
    entries: [
      .field(
        "base_url", "string?",
        """
        The base URL of the service in this environment; patterns that the file registers are \
        relative to this URL.
        """,
        rules: "ENV-03"),
      .field(
        "confirm_writes", "boolean?",
        """
        Whether requests that may change something need a confirmation: all requests except GET, \
        HEAD, OPTIONS and other safe requests.
        """,
        rules: "ENV-14"),
      .field(
        "env_file", "string?",
        """
        A file of variables beside the API file, with lines `NAME=text`. In the API file, \
        `lull.env` and `lull.secret` look up these variables first.
        """,
        rules: "ENV-12"),
      .field(
        "offline", "boolean?",
        "The initial value of `service.is_offline` in this environment."),
    ])

  fileprivate static let apiCallFields = APIOwner.table(
    "APICallFields", "A call in an API file.",
    entries: [
      .field(
        "path", "string?",
        """
        The path below the base URL; `{name}` is a required parameter. The path may end with a \
        query. Write a literal brace as `%7B` or `%7D`. Required, except for a GraphQL call, whose \
        default is `/graphql`.
        """),
      .field(
        "method", "string?",
        """
        The HTTP method; default `GET`. A call with `QUERY` loads a resource, as a call with `GET` \
        does.
        """
      ),
      .field(
        "safe", "boolean?",
        """
        Whether this POST changes nothing on the server, as with a search. The call then loads a \
        resource, as a call with `QUERY` does.
        """, rules: "QUERY-30"),
      .field(
        "graphql", "string?",
        """
        A GraphQL document. Its operation is sent by POST as JSON, and its variables are parameters. \
        A query loads a resource, a mutation is a request, and a subscription is a stream. The \
        content is the value of `data`.
        """, rules: "GQL-40"),
      .field(
        "graphql_file", "string?",
        "The path of a file with a GraphQL document, relative to the folder of the API file.",
        rules: "GQL-40"),
      .field(
        "operation", "string?",
        "The name of the operation, if the GraphQL document has several.", rules: "GQL-41"),
      .field(
        "params", "table<string, string|string[]|integer[]|APIParamFields>?",
        """
        The parameters of the call, by name. Each value is a type (`string`, `number`, `integer`, \
        `boolean`, `object` for names with single values, `json` for any value as JSON text, \
        `file`), optionally followed by `[]` for a list of this type; a list of the allowed words \
        or integers; or a table with a type and other fields.
        """),
      .field("description", "string?", "A description for lists and help."),
      .field("columns", "string[]?", "The fields that `-o table` shows as columns."),
      .field(
        "rows", "string?",
        """
        The place of the rows in the response, as field names separated by dots, such as \
        `data.items`. On the command line, tables, CSV and lines show only these rows, and the \
        rows of all pages become one list. Other output shows the whole response.
        """),
      .field(
        "response_type", "\"json\"|\"ndjson\"|\"text\"|\"csv\"|nil",
        """
        The type as which the response is parsed, whatever its Content-Type, like the setting \
        `response_type`.
        """),
      .field(
        "pages", "boolean|\"relay\"|PagesOptions|nil",
        """
        Whether the response comes in pages: true, or the options for finding the next page. A \
        GraphQL call may have `"relay"`, or `{ relay = "path" }` if the operation has several \
        connections.
        """, rules: "GQL-45"),
      .field(
        "headers", "table<string, string|false>?",
        "Headers of this call only. false removes a header, even one that is sent by default."),
      .field(
        "body", "\"json\"|\"form\"|\"multipart\"|\"raw\"|nil",
        """
        The format of the body; default `json`. `multipart` is a form whose values may be files. \
        `raw` is the value of a single parameter with `whole`, which is sent unchanged.
        """),
      .field(
        "body_required", "boolean?",
        """
        Whether a request with no fields for its body sends an empty body: `{}`, or a form without \
        fields. Default false: no body is sent.
        """),
      .field(
        "content_type", "string?",
        """
        The Content-Type of a JSON or raw body, such as `text/csv`; the default depends on the \
        content.
        """),
      .field(
        "schema", "table|string|boolean|nil",
        """
        The schema of responses with a status of 200 to 299: a JSON Schema (draft 2020-12), or the \
        name of a schema under `$defs` of the schema file. The setting `validate` uses this \
        schema, which overrides the schema file.
        """),
      .field(
        "mock", "(fun(request: MockRequest, state: table): MockAnswer?)?",
        """
        The function that responds to this call in `lull mock`; it may wait. `state` is one table \
        for all calls, for as long as the mock runs. If the function returns nil, a recording or \
        an example responds; if it raises an error, the status is 500.
        """),
      .field(
        "examples", "MockExample[]?",
        "Responses of `lull mock` to this call; the first example that matches is sent."),
      .field(
        "example", "any",
        """
        Content that `lull mock` sends as JSON if there is no other response, with status 200, or \
        201 for POST.
        """
      ),
    ])

  fileprivate static let apiParamFields = APIOwner.table(
    "APIParamFields", "A parameter of a call in an API file.",
    entries: [
      .field("type", "string|string[]|integer[]|nil", "A type, as in `params`; default `string`."),
      .field(
        "list", "boolean?",
        """
        Whether the parameter is a list of values of its type, like `[]` after the type. If `type` \
        is a list of allowed words, this field is the only way to make the parameter a list.
        """),
      .field(
        "place", "\"path\"|\"query\"|\"header\"|\"cookie\"|\"body\"|nil",
        """
        The place where the parameter is sent. Default: the path if the path has the name in \
        braces, else the body for POST, PUT, PATCH and other methods with a body, else the query. \
        With `body`, a request with any method has a body.
        """),
      .field(
        "name", "string?",
        "The name of the parameter in the request; default the key of this table in `params`."),
      .field(
        "style", "string?",
        """
        The style of the parameter, as in OpenAPI 3.1. In a path: `simple`, `label` or `matrix`. \
        In a query or a form: `form`, `spaceDelimited`, `pipeDelimited` or `deepObject`. In a \
        header: `simple`. In a cookie: `form`. The default is the first style for each place. The \
        type `json` allows only `deepObject`: lists and tables in brackets, to any depth.
        """),
      .field(
        "explode", "boolean?",
        """
        Whether each element of a list and each field of an object is written separately; default \
        true for `form` and `deepObject`.
        """
      ),
      .field(
        "reserved", "boolean?",
        """
        Whether characters that are reserved in URLs are left unescaped, except characters that \
        would end the path or the query. A parameter of the path may then contain slashes.
        """),
      .field("whole", "boolean?", "Whether the parameter is the whole body, JSON or raw."),
      .field("default", "any", "The value if the parameter is not passed."),
      .field(
        "required", "boolean?",
        """
        Whether a parameter without a default is required; parameters of the path are always \
        required.
        """),
      .field(
        "option", "string?",
        """
        The option of `lull call` for this parameter, such as `--page-size`; default the \
        parameter's name with `-` in place of `_`, except at the beginning. If `lull call` itself \
        has an option of that name, the default begins with `--param-`. A boolean parameter has \
        `--name`, `--no-name` and `--name=false`.
        """),
      .field("description", "string?", "A description for help."),
    ])
}

extension APIOwner {
  private static func api(_ call: Call) throws(Misuse) -> APIFile {
    try call.selfObject(.api, as: APIFile.self)
  }

  private static func calls(_ call: Call) throws(Misuse) -> APIFile {
    try call.selfObject(.apiCalls, as: APICallsBox.self).api
  }

  private static func declared(_ call: Call) throws(Misuse) -> APICallBox {
    try call.selfObject(.apiCall, as: APICallBox.self)
  }
}

extension Call {
  /// The Lua function `lull.api(name_or_path)`.
  fileprivate func returnAPI() throws(Misuse) {
    try permissions.refuseInSandbox("lull.api")
    let api = try asked { () throws(APIFileProblem) in
      try part(APIFiles.self).api(string(0))
    }
    `return`(
      .object(
        handle: api.hostHandle, kind: HandleKind.api.rawValue,
        service: handles.handle(of: api.service), anchor: 0))
  }

  /// Calls `body`, which uses an API file. If `body` throws, raises its error in Lua.
  fileprivate func asked<Value>(
    _ body: () throws(APIFileProblem) -> Value
  ) throws(Misuse) -> Value {
    do throws(APIFileProblem) {
      return try body()
    } catch {
      switch error {
      case .missing(let text): throw .message(text)
      case .syntax(let message, _, _): throw .value(.string(message))
      case .failed(let problem): throw .value(values.reraised(problem.failure))
      case .module(let place, let result):
        throw .value(.string("\(place): \(APIFileProblem.text(ofModule: result))"))
      case .declaration(let place, let text): throw .value(.string("\(place): \(text)"))
      }
    }
  }

  /// Returns the request of a declared call, with the parameter values in the table at position 1.
  fileprivate func declaredRequest() throws(Misuse) -> CallRequest {
    let declared = try selfObject(.apiCall, as: APICallBox.self)
    var given: [String: CallValue] = [:]
    let reader = ParameterValueReader(handles: handles, json: reading.json)
    if !isNil(1) {
      try LuaTable(index(1), in: state).forEachField { key, value throws(Misuse) in
        guard let name = key.string else {
          throw .message("parameter names must be strings, got \(key.typeName)")
        }
        guard let parameter = declared.call.parameters.first(where: { $0.name == name }) else {
          throw .message(declared.call.unknown(name).message)
        }
        given[name] = try reader.value(
          value, LuaTable.visitedIndex(in: state), state, for: parameter)
      }
    }
    do throws(APICall.Misfit) {
      let values = try declared.call.complete(given)
      var request = try declared.call.request(of: declared.api.service, values)
      try request.completeQuery(of: declared.call)
      if let onUse = part(APIFiles.self).onUse {
        onUse(
          DeclaredUse(
            api: declared.api, call: declared.call, given: Set(given.keys), values: values,
            method: request.method, url: request.resource.url.text,
            query: request.resource.query?.identity))
      }
      return request
    } catch {
      throw .message(error.message)
    }
  }
}

extension Call {
  /// Returns the argument at a position as JSON. If `isText` is set, a string is already JSON and
  /// used unchanged.
  fileprivate func json(_ position: Int, _ what: String, isText: Bool) throws(Misuse) -> [UInt8] {
    let value = raw(position)
    if isText, value.kind == Int32(LULL_STRING), let bytes = value.bytes { return bytes }
    guard value.kind != Int32(LULL_NIL) else {
      throw .message("\(what) must be a JSON value, got nil; use lull.null for null")
    }
    switch reading.json.text(of: state, index(position)) {
    case .success(let bytes): return bytes
    case .failure(let problem): throw .message("\(what) cannot be encoded: \(problem.text)")
    }
  }
}
