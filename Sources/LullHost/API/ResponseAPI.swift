import CLullBridge
import LullCore

extension APIOwner {
  static let response = APIOwner.object(
    .response, receiver: "response",
    "The result of a request: an entity or an error, never both.", swift: "Response",
    groups: [outcome, responseExchange],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let response = try response(call).response
        switch response.outcome {
        case .success(let entity): call.return(.string("Response(success \(entity.contentType))"))
        case .failure(let error):
          call.return(.string("Response(failure: \(error.summary))"))
        }
      }
    ])

  private static let outcome: [APIEntry] = [
    .property(
      "is_success", "boolean", "Whether the response has an entity.", swift: "Response.isSuccess",
      rules: "DYN-04"
    ) { call throws(Misuse) in
      call.return(.bool(try response(call).response.isSuccess))
    },
    .property("is_failure", "boolean", "Whether the response has an error.", rules: "DYN-04") {
      call throws(Misuse) in
      call.return(.bool(try !response(call).response.isSuccess))
    },
    .property(
      "entity", "Entity?", "The entity; nil if the request failed.", swift: "Response.entity",
      rules: "DYN-04"
    ) { call throws(Misuse) in
      let box = try response(call)
      call.return(
        box.response.entity.map {
          call.values.of($0, service: box.service, tables: box.tables)
        } ?? .nil)
    },
    .property(
      "error", "RequestError?", "The error; nil if the request succeeded.", swift: "Response.error",
      rules: "DYN-04"
    ) { call throws(Misuse) in
      let box = try response(call)
      call.return(
        box.response.error.map {
          call.values.of($0, service: box.service, tables: box.tables)
        } ?? .nil)
    },
    .property(
      "is_new", "boolean",
      "Whether the entity is new data; false for a 304, whose entity is the existing data.",
      swift: "Response.isNew", rules: "NM-01"
    ) { call throws(Misuse) in
      call.return(.bool(try response(call).response.isNew))
    },
  ]

  /// Returns the properties of the exchange with the server, which responses, entities and errors
  /// have in common.
  ///
  /// - Parameter status: the implementation of `http_status` and of `status`, which is its name in
  ///   networking responses and tests.
  static func exchange(
    status: @escaping APIEntry.Body, url: @escaping APIEntry.Body,
    elapsed: @escaping APIEntry.Body, timings: @escaping APIEntry.Body
  ) -> [APIEntry] {
    [
      .property(
        "http_status", "integer?",
        "The HTTP status; nil for an entity that did not come over the network.",
        swift: "Exchange.status", get: status),
      .property(
        "status", "integer?", "The same as `http_status`.", swift: "Exchange.status", get: status),
      .property(
        "url", "string?",
        "The URL of the response, after redirects.", swift: "Exchange.url", get: url
      ),
      .property(
        "elapsed", "number?", "How long the exchange took, in seconds.", swift: "Exchange.elapsed",
        get: elapsed),
      .property(
        "timings", "Timings?",
        "How long the parts of the exchange took, if `record_timings` is set.",
        example: """
          api:configure("/users/7", { record_timings = true })
          local timings = assert(user:load():await()).timings   -- a stub has none
          if timings then print(timings.first_byte, timings.is_reused) end
          """,
        swift: "Exchange.timings", get: timings),
    ]
  }

  private static let responseExchange = exchange(
    status: { call throws(Misuse) in
      let response = try response(call).response
      let status = response.entity?.exchange?.status ?? response.error?.httpStatusCode
      call.return(status.map { .int(Int64($0)) } ?? .nil)
    },
    url: { call throws(Misuse) in
      let response = try response(call).response
      let url = response.entity?.exchange?.url ?? response.error?.exchange?.url
      call.return(url.map { .string($0) } ?? .nil)
    },
    elapsed: { call throws(Misuse) in
      let response = try response(call).response
      let elapsed = response.entity?.exchange?.elapsed ?? response.error?.exchange?.elapsed
      call.return(elapsed.map { .number($0) } ?? .nil)
    },
    timings: { call throws(Misuse) in
      let response = try response(call).response
      call.return(
        .timings(response.entity?.exchange?.timings ?? response.error?.exchange?.timings))
    })

  static let successFields = APIOwner.table(
    "SuccessFields", "The fields of `lull.success{…}`.",
    entries: [
      .field("content", "any", "The content; default zero bytes."),
      .field("content_type", "string?", "The Content-Type; default `application/octet-stream`."),
      .field("headers", "table<string, string|string[]>?", "The headers."),
      .field(
        "is_new", "boolean?", "Whether the response counts as new data; default true.",
        rules: "CHN-02"),
    ])
}

extension APIOwner {
  private static func response(_ call: Call) throws(Misuse) -> ResponseBox {
    try call.selfObject(.response, as: ResponseBox.self)
  }
}
