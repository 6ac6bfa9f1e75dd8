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
      "Loads an API from a file that describes it: its service and its calls.",
      """
      `name` is that of a file in `./apis`, in `apis` of the folders above up to the one that holds `.git`, if \
      all of that is your own, then in `$XDG_CONFIG_HOME/lull/apis` (`~/.config/lull/apis`), without `.lua`; or a path, which has a slash or ends in `.lua`. The file is run at the first \
      call, must answer at once, and gets its name as `...`; later calls give the same object, which \
      lives until the process ends. `require` does not find such files.

      `lull.api("github@prod")` is the file in one of its `environments`, whose name it gets as its second argument: \
      another object, with a service, caches and tokens of its own. Without a name the variable `LULL_ENV` chooses \
      one, of files that have some.

      It returns a service, or `APIFileFields`. Raises what the file raises; for what the file \
      declares wrongly, its line; and if there is none. A call is read when it is used, and what is wrong with it is \
      raised then: `api.calls.repos`; `pairs(api.calls)` reads all. Not in the sandbox.

      What only looks at a file (completion in a shell, `lull apis`, `lull check`, help of `lull call`) \
      runs it within limits, and in the sandbox unless it is in your own configuration folder or trusted by \
      `lull trust`: there `lull.secret` has no text, `lull.cache.file` keeps \
      nothing, and of the environment no variable is set, or, where a file fails so, each is `"1"`.
      """
    ) { call throws(Misuse) in try call.returnAPI() },
    .function(
      "validate", "(schema: table|string|boolean, content: any): boolean?, ValidationError[]?",
      "Whether content is as a JSON Schema (draft 2020-12) says: true, or nil and what does not fit.",
      """
      The schema is a table, or JSON as a text; the content any value of JSON. At most 20 places are told \
      of, in the order of the content. Raises if the schema cannot be used, and if it takes too long to tell.
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

  /// Returns names only. Reads no file except the one whose environments are requested, and runs
  /// none.
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
    .api, receiver: "api", "What `lull.api` gives: an API as a file describes it.",
    """
        local github = lull.api("github")
        local repos = assert(github.calls.repos{ user = "octocat" }:await())
        local user = github("/users/octocat")
    """,
    entries: [
      .operation(
        "__call", "(path: string): Resource", shown: "api(path)",
        "The resource at a path below the base URL, as of its service.", rules: "APIF-150"
      ) { call throws(Misuse) in
        call.lead(to: call.resource(below: try api(call).service))
      },
      .property("calls", "APICalls", "Its calls, by name.") { call throws(Misuse) in
        let api = try api(call)
        call.return(call.values.of(APICallsBox(api), .apiCalls, service: api.service))
      },
      .method(
        "confirm_writes", "(): API",
        "Lets requests go out that an environment with `confirm_writes` holds back.",
        "For this object, until the process ends; of other environments nothing changes.",
        rules: "ENV-14"
      ) { call throws(Misuse) in
        try api(call).environment?.isConfirmed = true
        call.returnSelf()
      },
      .property("description", "string?", "What the file says it is.") { call throws(Misuse) in
        call.return(try api(call).description.map { .string($0) } ?? .nil)
      },
      .property(
        "environment", "string?", "The name of the environment it is used in.", rules: "ENV-01"
      ) { call throws(Misuse) in
        call.return(try api(call).environment.map { .string($0.name) } ?? .nil)
      },
      .property("environments", "string[]", "Those that the file declares, in its order.") {
        call throws(Misuse) in
        call.return(.list(try api(call).environments.map { .string($0) }))
      },
      .property("name", "string", "The name of its file, without `.lua`.") { call throws(Misuse) in
        call.return(.string(try api(call).name))
      },
      .property("path", "string", "Where its file is.") { call throws(Misuse) in
        call.return(.string(try api(call).path))
      },
      .method(
        "resource", "(path: string): Resource", "The same as `api(path)`.", rules: "APIF-150"
      ) { call throws(Misuse) in
        call.lead(to: call.resource(below: try api(call).service))
      },
      .property("service", "Service", "The service that the file has made.") {
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
    .apiCalls, receiver: "calls", "The calls of an API; `pairs` walks through them.",
    entries: [
      .operation(
        "__index", "(name: string): APICall", shown: "calls[name]",
        "The call of that name; raises if the file declares none, and names the nearest."
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
        "__pairs", "(): function, table", shown: "pairs(calls)", "Names and calls."
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
    .apiCall, receiver: "call", "A call as an API file declares it.",
    """
    Parameters are given as a table by name and checked: a missing one, an unknown one, or one of \
    another type raises, naming the call. Those of the path stand there as one segment each, escaped; \
    the others go into the query, or, of POST, PUT and PATCH, into the body, unless the file says otherwise.
    """,
    entries: [
      .operation(
        "__call", "(params?: table): Request", shown: "call{ … }",
        "Makes the call: a started request.",
        """
        Of a GET it is a load of the call's resource, as by `resource:load()`, so that the resource \
        keeps what comes; of other methods it leaves the resource alone.
        """
      ) { call throws(Misuse) in
        let request = try call.declaredRequest()
        // An unconditional load always begins.
        guard let started = request.start() else { return call.return(.nil) }
        call.return(call.values.of(started))
      },
      .property("description", "string?", "What the file says it does.") { call throws(Misuse) in
        call.return(try declared(call).call.description.map { .string($0) } ?? .nil)
      },
      .property("method", "string", "The HTTP method.") { call throws(Misuse) in
        call.return(.string(try declared(call).call.method.rawValue))
      },
      .property("name", "string", "Its name.") { call throws(Misuse) in
        call.return(.string(try declared(call).call.name))
      },
      .method(
        "pages", "(params?: table): Pages",
        "Walks through the pages of the answer, as `resource:pages` does.",
        "In the way the file declares with `pages`; raises if it declares none."
      ) { call throws(Misuse) in
        let box = try declared(call)
        guard let options = box.call.pages else {
          throw .message("call '\(box.call.name)' does not come in pages: it declares no 'pages'")
        }
        LuaPages.iterate(try call.declaredRequest().resource, options, call)
      },
      .property(
        "params", "APICallParam[]",
        "Its parameters: those of the path first, then the others in the order of the file."
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
        "The resource the call is about, without sending anything."
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
      .field("name", "string", "Its name."),
      .field("type", "string", "What it must be, in words."),
      .field(
        "place", "\"path\"|\"query\"|\"header\"|\"cookie\"|\"body\"", "Where it goes."),
      .field("required", "boolean", "Whether it must be given."),
      .field("description", "string?", "What the file says of it."),
    ])

  fileprivate static let apiFileFields = APIOwner.table(
    "APIFileFields", "What an API file returns, if it returns more than a service.",
    entries: [
      .field("service", "Service", "The service, with its configuration."),
      .field(
        "calls", "table<string, APICallFields>?",
        "Calls by name: any text that can be printed and does not begin with `-`."),
      .field("description", "string?", "What it is, for lists and help."),
      .field(
        "environments", "table<string, APIEnvironmentFields>?",
        "What is otherwise in one environment or another, such as `staging` and `prod`, by name.",
        rules: "ENV-01"),
      .field(
        "schemas", "string?",
        """
        The name of a file beside this one with the JSON Schemas of answers, by the names of calls: for \
        `validate`. It is read when the first answer is validated.
        """),
      .field(
        "mock", "(fun(request: MockRequest, state: table): MockAnswer?)?",
        """
        What `lull mock` answers requests with for which no call is declared, whatever their method and path. \
        The response is sent as it is, without a validator. Nil leaves it to recordings.
        """),
    ])

  fileprivate static let apiEnvironmentFields = APIOwner.table(
    "APIEnvironmentFields", extending: "Settings", "An environment in an API file.",
    "Any of the `Settings` may stand beside these; they are laid over those of the file.",
    entries: [
      .field(
        "base_url", "string?",
        "The base URL of the service there; patterns that the file has registered are below it.",
        rules: "ENV-03"),
      .field(
        "confirm_writes", "boolean?",
        "Whether requests other than GET, HEAD and OPTIONS are held back until somebody confirms them.",
        rules: "ENV-14"),
      .field(
        "env_file", "string?",
        "A file of variables beside the API file, `NAME=text` a line, that `lull.env` and `lull.secret` of this file see.",
        rules: "ENV-12"),
      .field("offline", "boolean?", "What `service.is_offline` starts with."),
    ])

  fileprivate static let apiCallFields = APIOwner.table(
    "APICallFields", "A call in an API file.",
    entries: [
      .field(
        "path", "string",
        """
        The path below the base URL; `{name}` stands for a parameter, which is required. A query may \
        follow. A brace that is meant as such is written `%7B` or `%7D`.
        """),
      .field("method", "string?", "The HTTP method; default `GET`."),
      .field(
        "params", "table<string, string|string[]|integer[]|APIParamFields>?",
        """
        Its parameters: a type (`string`, `number`, `integer`, `boolean`, `object` for names with single \
        values, `json` for any value as JSON text, `file`), with `[]` behind it of a list, a list of the words \
        or integers that it may be, or a table of both and more.
        """),
      .field("description", "string?", "What it does, for lists and help."),
      .field("columns", "string[]?", "The fields that tables on the command line show."),
      .field(
        "rows", "string?",
        """
        Where the rows are in the answer, as names of fields with dots between them, such as \
        `data.items`: for tables, CSV and lines on the command line, and for pages there, of which they make \
        one list. Otherwise the answer is shown whole.
        """),
      .field(
        "response_type", "\"json\"|\"ndjson\"|\"text\"|\"csv\"|nil",
        "What its answer is read as, whatever its Content-Type says, as the setting of that name."),
      .field(
        "pages", "boolean|PagesOptions|nil",
        "Whether its answer comes in pages: true, or how to go on from one to the next."),
      .field(
        "headers", "table<string, string|false>?",
        "Headers of this call only; false: not sent, also if it would be sent by itself."),
      .field(
        "body", "\"json\"|\"form\"|\"multipart\"|\"raw\"|nil",
        """
        The form of a body; default `json`. `multipart` is a form whose values may be files, `raw` one parameter \
        with `whole`, as it is.
        """),
      .field(
        "body_required", "boolean?",
        """
        Whether a request without any field in its body sends an empty one: `{}`, or a form \
        without fields. Default false: no body.
        """),
      .field(
        "content_type", "string?",
        "What a JSON or raw body is said to be, such as `text/csv`; default what it is."),
      .field(
        "schema", "table|string|boolean|nil",
        """
        What its answers of a status of 200 to 299 are: a JSON Schema (draft 2020-12), or the name of one \
        under `$defs` of the file of schemas. For `validate`; it counts before what that file says of the call.
        """),
      .field(
        "mock", "(fun(request: MockRequest, state: table): MockAnswer?)?",
        """
        What `lull mock` answers it with: a function, which may wait. `state` is one table for all calls, for as long \
        as the mock runs. Nil leaves the answer to recordings and examples; an error is a status of 500.
        """),
      .field("examples", "MockExample[]?", "Answers of `lull mock`; the first that fits counts."),
      .field(
        "example", "any",
        "Content that `lull mock` answers with where nothing else does, as JSON: status 200, or 201 of a POST."
      ),
    ])

  fileprivate static let apiParamFields = APIOwner.table(
    "APIParamFields", "A parameter of a call in an API file.",
    entries: [
      .field("type", "string|string[]|integer[]|nil", "As in `params`; default `string`."),
      .field(
        "list", "boolean?",
        "Whether it is a list of values of that type, as `[]` behind it says; words need it."),
      .field(
        "place", "\"path\"|\"query\"|\"header\"|\"cookie\"|\"body\"|nil",
        """
        Where it goes; default the path if that has its name in braces, the body of POST, PUT, PATCH and further \
        methods that have one, else the query. `body` gives any method a body.
        """),
      .field("name", "string?", "What it is called there; default its key."),
      .field(
        "style", "string?",
        """
        How it is written there, as OpenAPI 3.1 has it: in a path `simple`, `label` or `matrix`, in a query and a \
        form `form`, `spaceDelimited`, `pipeDelimited` or `deepObject`, in a header `simple`, in a cookie `form`; \
        default the first. Of `json` there is `deepObject` alone: lists and tables in brackets, to any depth.
        """),
      .field(
        "explode", "boolean?",
        "Whether each element and field is written for itself; default true of `form` and `deepObject`."
      ),
      .field(
        "reserved", "boolean?",
        """
        Whether characters that URLs reserve stand for themselves, as far as they do not end what they stand in; a \
        path then takes slashes.
        """),
      .field("whole", "boolean?", "Whether it is the body itself, JSON or raw."),
      .field("default", "any", "What it is if it is not given."),
      .field(
        "required", "boolean?",
        "Whether it must be given, if it has no default; those of the path always."),
      .field(
        "option", "string?",
        """
        What it is called by `lull call`, such as `--page-size`; default its name with `-` for `_`, but \
        at the beginning. One \
        that is called like an option of `lull call` itself gets `--param-` before its name there. Of a \
        boolean there are `--name`, `--no-name` and `--name=false`.
        """),
      .field("description", "string?", "What it is for, for help."),
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
  /// `lull.api(name_or_path)`
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

  /// Calls `body` for an API file, and raises its error.
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

  /// Returns the declared call's request for the values in the table at position 1.
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
      let request = try declared.call.request(of: declared.api.service, values)
      if let onUse = part(APIFiles.self).onUse {
        onUse(
          DeclaredUse(
            api: declared.api, call: declared.call, given: Set(given.keys), values: values,
            url: request.resource.url.text))
      }
      return request
    } catch {
      throw .message(error.message)
    }
  }
}

extension Call {
  /// Returns an argument as JSON. A schema string is used unchanged.
  fileprivate func json(_ position: Int, _ what: String, isText: Bool) throws(Misuse) -> [UInt8] {
    let value = raw(position)
    if isText, value.kind == Int32(LULL_STRING), let bytes = value.bytes { return bytes }
    guard value.kind != Int32(LULL_NIL) else {
      throw .message("\(what) must be a value of JSON, got nil; null is lull.null")
    }
    switch reading.json.text(of: state, index(position)) {
    case .success(let bytes): return bytes
    case .failure(let problem): throw .message("\(what) cannot be encoded: \(problem.text)")
    }
  }
}
