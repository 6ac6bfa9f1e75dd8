import CLullBridge
import LullCore

extension Setting {
  /// The settings for the processing of requests and responses.
  static let processing: [Setting] = [
    Setting(
      "pipeline",
      access: .object { call, box in call.values.of(box, .pipeline, service: box.service) },
      explanation: .words { LogText.line($0.pipeline) },
      SettingDocumentation(
        inObject: .init(type: "Pipeline", summary: "The stages that a response passes through."),
        inTable: .init(
          type: "PipelineSettings?",
          summary: "The order of the stages, and the cache of each stage.",
          isWritable: true),
        swift: "Configuration.pipeline"),
      fingerprint: { $0.pipeline.fingerprint },
      value: { PipelineSetting.value(of: $0.pipeline) },
      change: { given throws(Misuse) in
        try PipelineSetting.change(
          given.call, given.value, given.index, service: given.service)
      }),
    Setting(
      "graphql", .flag, at: \.graphQL,
      SettingDocumentation(
        "boolean",
        """
        Whether responses are GraphQL responses: `data` becomes the content, and `errors` become \
        an error of the kind `graphql`
        """,
        default: "false",
        """
        If a response has data and errors, the data is used, and `entity.partial_error` is the \
        error. Requests accept `application/graphql-response+json`. Queries are sent by POST \
        unless `query_method` is set.
        """,
        swift: "Configuration.graphQL",
        rules: (inObject: "GQL-30", inTable: "GQL-30 GQL-31"))),
    Setting(
      "persisted_queries", .persistedQueries, at: \.persistedQueries,
      SettingDocumentation(
        "boolean",
        """
        Whether GraphQL documents are sent as hashes, and as text only to a server that does not \
        know the hash (automatic persisted queries)
        """,
        default: "false",
        swift: "Configuration.persistedQueries",
        rules: (inObject: "GQL-46", inTable: "GQL-46"))),
    Setting(
      "validate", .validation, at: \.validation,
      SettingDocumentation(
        "\"warn\"|\"fail\"|false|nil",
        """
        What happens if a response does not match the schema of its call: `"warn"` accepts the \
        response and prints each error once on standard error; `"fail"` fails the request with \
        kind `validation`
        """,
        default: "false",
        """
        The call must have a schema: from its field `schema`, or from the file that the field \
        `schemas` of the API file names.
        """,
        swift: "Configuration.validation",
        rules: (inObject: "SCH-20", inTable: "SCH-20 SCH-21"))),
    Setting(
      "auth",
      access: .object { call, box in
        box.settings.auth.map { call.values.of(AuthBox($0), .auth) } ?? .nil
      },
      explanation: .words { $0.auth?.description ?? "none" },
      SettingDocumentation(
        inObject: .init(
          type: "Auth|false|nil", summary: "The credentials of requests.",
          isWritable: true),
        inTable: .init(
          type: "Auth|false|nil", summary: "The credentials of requests; false for none.",
          isWritable: true),
        swift: "Configuration.auth"),
      fingerprint: { $0.auth?.fingerprint ?? 0 },
      value: { $0.auth.map { .string($0.description) } },
      change: { given throws(Misuse) in
        let auth = try given.auth()
        return { $0.auth = auth }
      }),
    Setting(
      "mutate_requests", access: .method, explanation: .functions { $0.mutations.count },
      SettingDocumentation(
        inObject: .init(
          signature: "(mutation: Mutation): Configuration",
          summary: "Adds a function that edits each request before it is sent.",
          text: """
            The function runs once for each request, after the headers and the request's own \
            mutation have been applied, and must return at once. If it raises an error, the \
            request fails with kind `script_error` and is not sent.
            """,
          example: """
            api:configure("/**", function(config)
              config:mutate_requests(function(http) http.headers["X-Sent"] = lull.now() end)
            end)
            assert(user:load():await())
            """,
          rules: "MUT-01 MUT-02 MUT-03 MUT-04 MUT-08"),
        inTable: .init(
          type: "Mutation|Mutation[]|nil",
          summary:
            "A function that edits each request before it is sent, or a list of such functions.",
          isWritable: true, rules: "MUT-01 MUT-02"),
        swift: "Configuration.mutateRequests(with:)"),
      value: { _ in nil },
      change: { given throws(Misuse) in
        let held = try given.functions()
        let callbacks = given.call.callbacks
        let mutations = held.map { function in callbacks.mutation { function.id } }
        return { settings in
          for mutation in mutations { settings.mutateRequests(with: mutation) }
          settings.heldFunctions["mutate_requests", default: []] += held
        }
      }),
    Setting(
      "decorate_requests", access: .method, explanation: .functions { $0.decorators.count },
      SettingDocumentation(
        inObject: .init(
          signature: "(decorator: Decorator): Configuration",
          summary: "Adds a function that may add hooks to each request, wrap it in a chain, or "
            + "replace it.",
          text: """
            The function gets each request before the request is started, and returns the request \
            to send. The caller gets the result of the last decorator. A request that a decorator \
            replaces never starts. The function must return at once. If it raises an error or \
            returns no request, the request fails and is not sent. Decorators do not run for \
            `repeated()`.
            """,
          example: """
            api:configure("/**", function(config)
              config:decorate_requests(function(resource, request)
                return request:on_failure(function(err) print(err.http_status) end)  --> 404
              end)
            end)
            api("/users/9"):load():await()
            """,
          rules: "DEC-01 DEC-02 DEC-04 DEC-05 DEC-06 DEC-12 DEC-14"),
        inTable: .init(
          type: "Decorator|Decorator[]|nil",
          summary: "A function that may wrap or replace each request, or a list of such functions.",
          isWritable: true, rules: "DEC-01 DEC-05"),
        swift: "Configuration.decorateRequests(with:)"),
      value: { _ in nil },
      change: { given throws(Misuse) in
        let held = try given.functions()
        let callbacks = given.call.callbacks
        let decorators = held.map { callbacks.decorator($0) }
        return { settings in
          for decorator in decorators { settings.decorateRequests(with: decorator) }
          settings.heldFunctions["decorate_requests", default: []] += held
        }
      }),
  ]
}

extension GivenSetting {
  /// Returns the auth that a function of `lull.auth` created. Returns nil for false and nil.
  fileprivate func auth() throws(Misuse) -> Auth? {
    if let box = call.handles.object(value, .auth, as: AuthBox.self) {
      // The function is anchored to the service, which may call it as long as it sends requests.
      if let function = box.function {
        call.stored.anchor(function, from: call.handles.handle(of: service))
      }
      return box.auth
    }
    guard isOff else {
      throw .message(
        "'auth' must be the result of a lull.auth function, or false, got \(value.typeName)")
    }
    return nil
  }

  /// Reads the value, which is one function or a list of functions.
  fileprivate func functions() throws(Misuse) -> [StoredValue] {
    if value.kind == Int32(LULL_FUNCTION) {
      return [try call.stored.storedValue(state, index, for: service)]
    }
    let expected = "'\(name)' must be a function or a list of functions"
    guard isTable else { throw .message("\(expected), got \(value.typeName)") }
    var functions: [(position: Int64, function: StoredValue)] = []
    try LuaTable(index, in: state).forEachField { key, element throws(Misuse) in
      guard element.kind == Int32(LULL_FUNCTION), key.kind == Int32(LULL_INTEGER) else {
        throw .message(expected)
      }
      let function = try call.stored.storedValue(
        state, LuaTable.visitedIndex(in: state), for: service)
      functions.append((key.integer, function))
    }
    return functions.sorted { $0.position < $1.position }.map(\.function)
  }
}
