import CLullBridge
import LullCore

extension APIOwner {
  static let requestError = APIOwner.object(
    .error, receiver: "error",
    "The reason why a request failed: a sentence for the user, and details.",
    """
    An error may have a status, an entity and a cause at the same time. `tostring` returns the \
    message with method, URL and status. The content accessors, such as `content` and `text`, read \
    the body that came with the error.
    """,
    swift: "RequestError",
    groups: [errorMembers, errorExchange, errorContent],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        call.return(.string(try error(call).error.summary))
      }
    ])

  private static let errorMembers: [APIEntry] = [
    .property(
      "user_message", "string", "One sentence for the user.", swift: "RequestError.userMessage",
      rules: "ERR-02 ERR-05 ERR-06"
    ) { call throws(Misuse) in
      call.return(.string(try error(call).error.userMessage))
    },
    .property(
      "cause", "Cause|any", "The internal cause; nil for a plain HTTP error status.",
      "For an error made with `lull.error{ cause = … }`, this is exactly the given value.",
      example: """
        local _, err = user:load():cancel():await()
        print(err.cause.kind)                    --> request_cancelled
        """,
      swift: "RequestError.cause", rules: "ERR-09 ERR-10"
    ) { call throws(Misuse) in
      guard let cause = try error(call).error.cause else { return call.return(.nil) }
      if case .custom(let custom as ScriptCause) = cause {
        return call.return(.ref(custom.value.id))
      }
      var fields: [(String, LuaValue)] = [
        ("kind", .string(cause.kind)), ("message", .string(cause.message)),
      ]
      fields += cause.payload.map { ($0.name, .bytes($0.value.bytes)) }
      if case .malformedJSON(_, let offset?) = cause {
        fields.append(("byte", .int(Int64(offset) + 1)))
      }
      if case .validation(_, let errors) = cause {
        fields.append(("errors", .list(errors.map { .map($0.fields) })))
      }
      if case .graphQL(let errors) = cause {
        fields.append(("errors", .list(errors.map { .map($0.fields) })))
      }
      if case .custom(let other as RequestError) = cause {
        fields.append(("error", call.values.of(other, service: nil)))
      }
      if let value = cause.raisedValue { fields.append(("value", LuaValue(value))) }
      call.return(.map(fields))
    },
    .property(
      "entity", "Entity?", "The body that came with the error, after the transformers that ran.",
      swift: "RequestError.entity", rules: "ERR-07 ERR-08"
    ) { call throws(Misuse) in
      let box = try error(call)
      call.return(
        box.error.entity.map {
          call.values.of($0, service: box.service, tables: box.tables)
        } ?? .nil)
    },
    .property(
      "attempts", "RequestAttempt[]", "The attempts to send the request, as in `request.attempts`.",
      swift: "RequestError.attempts"
    ) { call throws(Misuse) in
      call.return(.attempts(try error(call).error.attempts))
    },
    .property(
      "timestamp", "number",
      "When the error was made, in seconds since 1970; `retry_time` is counted from this time.",
      swift: "RequestError.timestamp", rules: "ERR-01 ERR-14"
    ) { call throws(Misuse) in
      call.return(.number(try error(call).error.timestamp))
    },
  ]

  private static let errorExchange = exchange(
    status: { call throws(Misuse) in
      call.return(try error(call).error.httpStatusCode.map { .int(Int64($0)) } ?? .nil)
    },
    url: { call throws(Misuse) in
      let error = try error(call).error
      call.return((error.exchange?.url ?? error.url).map { .string($0) } ?? .nil)
    },
    elapsed: { call throws(Misuse) in
      call.return(try error(call).error.exchange?.elapsed.map { .number($0) } ?? .nil)
    },
    timings: { call throws(Misuse) in
      call.return(.timings(try error(call).error.exchange?.timings))
    })

  private static let errorContent = contentAccessors(
    of: "RequestError",
    content: { call throws(Misuse) in
      guard let content = try error(call).error.entity?.content else {
        call.coroutines.nilContents.note(try error(call).error, readIn: call.state)
        return call.return(.nil)
      }
      call.return(shared(content, of: try error(call), call))
    },
    text: { call throws(Misuse) in
      call.return(.string(try error(call).error.entity?.text ?? ""))
    },
    dictionary: { call throws(Misuse) in
      let content = try error(call).error.entity?.content
      guard let content, content.isDictionary else { return call.return(.map([])) }
      call.return(shared(content, of: try error(call), call))
    },
    array: { call throws(Misuse) in
      let content = try error(call).error.entity?.content
      guard let content, content.isArray else { return call.return(.list([])) }
      call.return(shared(content, of: try error(call), call))
    },
    document: { call throws(Misuse) in
      call.return(call.values.document(try error(call).error.entity?.content))
    },
    typed: { call throws(Misuse) in
      guard let content = try error(call).error.entity?.content else {
        return call.return(call.count > 1 ? .stack(2) : .nil)
      }
      let fits = call.isNil(1) || content.luaTypeName == call.raw(1).typeName
      call.return(
        fits ? shared(content, of: try error(call), call) : .stack(2))
    })

  static let errorFields = APIOwner.table(
    "ErrorFields", "The fields of `lull.error{…}`.",
    entries: [
      .field("user_message", "string?", "The sentence for the user.", rules: "ERR-02"),
      .field("http_status", "integer?", "The HTTP status."),
      .field("status", "integer?", "The same as `http_status`."),
      .field("cause", "any", "The cause: any value, which `err.cause` then returns."),
      .field("entity", "Entity?", "An entity with the body of the error."),
    ])

  static let cause = APIOwner.table(
    "Cause", "`err.cause`: the internal cause of an error.", swift: "RequestError.Cause",
    entries: [
      .field(
        "kind", "CauseKind",
        "The kind of the cause, for comparisons.",
        swift: "RequestError.Cause.kind"),
      .field(
        "message", "string",
        "A message that describes the failure.",
        swift: "RequestError.Cause.message"),
      .field(
        "source", "string?", "For `invalid_url`: the invalid URL.",
        swift: "RequestError.Cause.invalidURL(source:)", rules: "SVC-20"),
      .field(
        "encoding", "string?", "For `unencodable_text` and `undecodable_text`: the charset.",
        swift: "RequestError.Cause.unencodableText(encoding:text:)"),
      .field(
        "text", "string?", "For `unencodable_text`: the text that cannot be encoded.",
        swift: "RequestError.Cause.unencodableText(encoding:text:)", rules: "REQ-09"),
      .field(
        "path", "string?",
        "For `invalid_json_object` and `wrong_content`: the path of the invalid value.",
        swift: "RequestError.Cause.wrongContent(type:path:message:)",
        rules: "DYN-02 COD-03"),
      .field(
        "type", "string?", "For `wrong_content`: the type that a Swift program expected.",
        swift: "RequestError.Cause.wrongContent(type:path:message:)", rules: "COD-03"),
      .field(
        "setting", "string?", "For `invalid_setting`: the name of the setting in Swift.",
        swift: "RequestError.Cause.invalidSetting(name:message:)", rules: "SWF-56"),
      .field(
        "schema", "string?", "For `validation`: the owner of the schema, such as `call 'users'`.",
        swift: "RequestError.Cause.validation(schema:errors:)", rules: "SCH-21"),
      .field(
        "errors", "ValidationError[]|GraphQLError[]|nil",
        """
        For `validation`: the errors, in the order of the content, at most 20. For `graphql`: the \
        errors of the response, at most 100.
        """,
        swift: "RequestError.Cause.validation(schema:errors:)", rules: "SCH-21 GQL-30"),
      .field(
        "byte", "integer?",
        """
        For `malformed_json`: the position in the body, from 1, if it is known. The message \
        contains it too.
        """,
        swift: "RequestError.Cause.malformedJSON(message:offset:)",
        rules: "JSN-18"),
      .field(
        "string", "string?", "For `not_url_encodable`: the string that is invalid UTF-8.",
        swift: "RequestError.Cause.notURLEncodable(string:)", rules: "REQ-19"),
      .field(
        "name", "string?", "For `invalid_text_encoding`: the unknown charset.",
        swift: "RequestError.Cause.invalidTextEncoding(name:)", rules: "TXT-05"),
      .field(
        "expected", "string?",
        """
        For `wrong_input_type_in_transformer_pipeline`: the expected type, a word of `InputType` \
        or `"predicate"`.
        """,
        swift:
          "RequestError.Cause.wrongInputTypeInTransformerPipeline(expected:actual:transformer:)",
        rules: "TRF-09"),
      .field(
        "actual", "string?",
        """
        For `wrong_input_type_in_transformer_pipeline`: the type of the content, a word of \
        `InputType` or else its Lua type.
        """,
        swift:
          "RequestError.Cause.wrongInputTypeInTransformerPipeline(expected:actual:transformer:)",
        rules: "TRF-09"),
      .field(
        "transformer", "string?",
        """
        For `wrong_input_type_in_transformer_pipeline` and `transformer_returned_nil`: the \
        description of the transformer.
        """,
        swift: "RequestError.Cause.transformerReturnedNil(transformer:)"),
      .field(
        "error", "RequestError?",
        """
        For `request_cancelled`: the error of another, cancelled request, if the `networking` \
        function returned that error.
        """,
        swift: "RequestError.Cause.custom(_:)", rules: "CXL-08"),
      .field(
        "traceback", "string?",
        "For `script_error`: the traceback of the stack at the time when the error was raised."),
      .field(
        "stage", "string?",
        "For `script_error` in a transformer: the stage of the transformer.", rules: "TRF-13"),
      .field(
        "value", "any", "For `script_error`: the error value, of any type.",
        rules: "TRF-13 ERR-16"),
    ])

  static let validationError = APIOwner.table(
    "ValidationError", "A value of the content that does not match its schema.",
    swift: "ContentMisfit",
    entries: [
      .field(
        "pointer", "string",
        "A JSON Pointer to the value, such as `/items/3/price`; empty for the whole content.",
        swift: "ContentMisfit.pointer"),
      .field(
        "keyword", "string", "The keyword of the schema, such as `type`.",
        swift: "ContentMisfit.keyword"),
      .field(
        "message", "string", "What was expected and found: `must be a number, got \"12\"`.",
        swift: "ContentMisfit.message"),
    ])

  static let graphQLError = APIOwner.table(
    "GraphQLError", "An error in a GraphQL response.", swift: "GraphQLError",
    entries: [
      .field("message", "string", "The message of the server.", swift: "GraphQLError.message"),
      .field(
        "path", "string",
        """
        The path of the field that could not be resolved, such as `repository.issues[3].title` \
        (counted from 0); empty if the error does not belong to a field.
        """,
        swift: "GraphQLError.path"),
      .field(
        "code", "string?", "The code of the error: `extensions.code`, or else `type`.",
        swift: "GraphQLError.code"),
      .field(
        "line", "integer?", "The line in the document, if the server names it.",
        swift: "GraphQLError.line"),
      .field(
        "column", "integer?", "The column in the document, if the server names it.",
        swift: "GraphQLError.column"),
      .field(
        "extensions", "Document?", "Further information of the server.",
        swift: "GraphQLError.extensions"),
    ])

  static let causeKinds = APIOwner.words(
    "CauseKind", "The kinds of causes of an error.", swift: "RequestError.Cause",
    entries: [
      .word(
        "invalid_url", "There is no URL, or it is not valid.",
        swift: "RequestError.Cause.invalidURL(source:)", rules: "SVC-20"),
      .word(
        "unencodable_text", "The text cannot be represented in the charset, or is invalid UTF-8.",
        swift: "RequestError.Cause.unencodableText(encoding:text:)",
        rules: "REQ-09"),
      .word(
        "invalid_json_object", "The JSON body contains a value that JSON cannot represent.",
        swift: "RequestError.Cause.invalidJSONObject(path:)", rules: "REQ-13"),
      .word(
        "not_url_encodable", "A form's name or value is invalid UTF-8.",
        swift: "RequestError.Cause.notURLEncodable(string:)", rules: "REQ-19"),
      .word(
        "request_cancelled", "The request or task was cancelled.",
        swift: "RequestError.Cause.requestCancelled", rules: "CXL-01"),
      .word(
        "no_local_data_for_304",
        """
        The server sent a 304, but the resource has no data. `http_status` is 304 only if the \
        script or the configuration set a condition, such as `If-None-Match`.
        """,
        swift: "RequestError.Cause.noLocalDataFor304",
        rules: "NM-02 NM-10"),
      .word(
        "invalid_text_encoding", "The response names an unknown charset.",
        swift: "RequestError.Cause.invalidTextEncoding(name:)", rules: "TXT-05"),
      .word(
        "undecodable_text", "The body is not valid in its charset.",
        swift: "RequestError.Cause.undecodableText(encoding:)", rules: "TXT-06"),
      .word(
        "wrong_input_type_in_transformer_pipeline",
        "A transformer got content of a type it does not accept.",
        swift:
          "RequestError.Cause.wrongInputTypeInTransformerPipeline(expected:actual:transformer:)",
        rules: "TRF-09"),
      .word(
        "transformer_returned_nil", "A transformer returned nothing.",
        swift: "RequestError.Cause.transformerReturnedNil(transformer:)", rules: "TRF-15"),
      .word(
        "malformed_json", "The body is not JSON.",
        swift: "RequestError.Cause.malformedJSON(message:offset:)", rules: "JSN-03 JSN-11"),
      .word(
        "network", "The exchange failed for a reason that none of the other kinds describes.",
        swift: "TransportError.Kind.network", rules: "LOAD-08"),
      .word("timeout", "The exchange took too long.", swift: "TransportError.Kind.timeout"),
      .word("tls", "The connection could not be secured.", swift: "TransportError.Kind.tls"),
      .word("dns", "The host's name could not be resolved.", swift: "TransportError.Kind.dns"),
      .word(
        "connection", "The host could not be reached.", swift: "TransportError.Kind.connection"),
      .word(
        "truncated_body", "The connection ended before the body did, or the body is truncated.",
        swift: "TransportError.Kind.truncatedBody"),
      .word(
        "malformed_response", "The response is not HTTP, or its body does not match its encoding.",
        swift: "TransportError.Kind.malformedResponse"),
      .word(
        "body_too_large", "The decoded body exceeds `max_body_size`.",
        swift: "TransportError.Kind.bodyTooLarge"),
      .word(
        "secret_origin",
        "The request would have sent a secret to an origin that the secret is not bound to.",
        swift: "TransportError.Kind.secretOrigin"),
      .word(
        "secret_unavailable", "The variable, file or command of a secret gave no text.",
        swift: "TransportError.Kind.secretUnavailable"),
      .word(
        "auth_failed",
        "No token was available: for example, the token endpoint returned none.",
        swift: "TransportError.Kind.authFailed"),
      .word(
        "file_unavailable",
        "A file to send is missing or cannot be read, or a download cannot be written.",
        swift: "TransportError.Kind.fileUnavailable", rules: "BODY-03"),
      .word(
        "file_changed", "A file to send has changed since the request was made.",
        swift: "TransportError.Kind.fileChanged", rules: "BODY-04"),
      .word(
        "event_stream",
        """
        The response to a GET that reads the complete body is an event stream: use \
        `resource:events`.
        """,
        swift: "TransportError.Kind.eventStream", rules: "STR-25"),
      .word(
        "not_a_stream",
        """
        The response to `resource:events` is neither an event stream nor JSON, or its status is \
        not 200.
        """,
        swift: "TransportError.Kind.notAStream", rules: "STR-15"),
      .word(
        "offline",
        "The service is offline: no cache has the requested data, or the request is not a load.",
        swift: "TransportError.Kind.offline"),
      .word(
        "unconfirmed",
        """
        The request may change something in an environment with `confirm_writes`, and was not \
        confirmed.
        """,
        swift: "TransportError.Kind.unconfirmed", rules: "ENV-14"),
      .word(
        "too_many_redirects",
        "The server redirects more often than the setting `redirects` allows.",
        swift: "TransportError.Kind.tooManyRedirects"),
      .word(
        "redirect_refused",
        "The server redirects to another origin, which the setting `redirects` does not allow.",
        swift: "TransportError.Kind.redirectRefused"),
      .word(
        "wrong_content", "Content is not of the type that a Swift program expects.",
        swift: "RequestError.Cause.wrongContent(type:path:message:)", rules: "COD-03"),
      .word(
        "validation", "The response does not match the schema of its call.",
        swift: "RequestError.Cause.validation(schema:errors:)", rules: "SCH-21"),
      .word(
        "graphql", "A GraphQL response has errors; `errors` contains them.",
        swift: "RequestError.Cause.graphQL(_:)", rules: "GQL-30"),
      .word(
        "invalid_setting",
        "A setting of a Swift program has an invalid value; `setting` names it.",
        swift: "RequestError.Cause.invalidSetting(name:message:)", rules: "SWF-56"),
      .word(
        "chain_too_long",
        "A chain does not end, because each of its requests is replaced by another one.",
        swift: "RequestError.Cause.chainTooLong(message:)"),
      .word(
        "script_error",
        "A function of the script raised an error.", swift: "RequestError.Cause.script(_:)",
        rules: "TRF-13"),
      .word(
        "custom",
        """
        An error of the Swift program. If a script passed a value to `lull.error{ cause = … }`, \
        `err.cause` is that value.
        """,
        swift: "RequestError.Cause.custom(_:)",
        rules: "TRF-13"),
    ])
}

extension APIOwner {
  private static func error(_ call: Call) throws(Misuse) -> ErrorBox {
    try call.selfObject(.error, as: ErrorBox.self)
  }

  private static func shared(_ content: Content, of box: ErrorBox, _ call: Call) -> LuaValue {
    shared(content, box.error.exchange, box.service, call, own: box.tables)
  }
}

extension ContentMisfit {
  /// The fields of the table that scripts get.
  package var fields: [(String, LuaValue)] {
    [
      ("pointer", .string(pointer)), ("keyword", .string(keyword)), ("message", .string(message)),
    ]
  }
}

extension GraphQLError {
  /// The fields of the table that scripts get.
  fileprivate var fields: [(String, LuaValue)] {
    [
      ("message", .string(message)), ("path", .string(path)),
      ("code", code.map { .string($0) } ?? .nil), ("line", line.map { .int(Int64($0)) } ?? .nil),
      ("column", column.map { .int(Int64($0)) } ?? .nil),
      ("extensions", extensions.map { .view($0) } ?? .nil),
    ]
  }
}
