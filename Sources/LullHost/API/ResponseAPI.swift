extension APIOwner {
  static let response = APIOwner.object(
    .response, receiver: "response",
    "How a request ended: an entity or an error, never both.", swift: "Response",
    entries: outcome + exchange)

  private static let outcome: [APIEntry] = [
    .property(
      "is_success", "boolean", "Whether it has an entity.", swift: "Response.isSuccess",
      rules: "DYN-04"),
    .property("is_failure", "boolean", "Whether it has an error.", rules: "DYN-04"),
    .property("entity", "Entity?", "What came, or nil.", swift: "Response.entity", rules: "DYN-04"),
    .property(
      "error", "RequestError?", "What went wrong, or nil.", swift: "Response.error", rules: "DYN-04"
    ),
    .property(
      "is_new", "boolean", "False for a 304: the entity is the one that was there.",
      swift: "Response.isNew", rules: "NM-01"),
  ]

  /// Of the exchange with the server, as responses, entities and errors tell it.
  static let exchange: [APIEntry] = [
    .property(
      "http_status", "integer?", "The HTTP status; nil for what did not come over the network.",
      swift: "Exchange.status"),
    .property("status", "integer?", "The same as `http_status`.", swift: "Exchange.status"),
    .property("url", "string?", "The URL that answered, after redirects.", swift: "Exchange.url"),
    .property(
      "elapsed", "number?", "How long the exchange took, in seconds.", swift: "Exchange.elapsed"),
    .property(
      "timings", "Timings?", "How long its parts took, if `record_timings` is set.",
      example: """
        api:configure("/users/7", { record_timings = true })
        local timings = assert(user:load():await()).timings   -- a stub has none
        if timings then print(timings.first_byte, timings.is_reused) end
        """,
      swift: "Exchange.timings"),
  ]

  static let successFields = APIOwner.table(
    "SuccessFields", "What `lull.success{…}` takes.",
    entries: [
      .field("content", "any", "The content; none is zero bytes."),
      .field("content_type", "string?", "Its type; default `application/octet-stream`."),
      .field("headers", "table<string, string|string[]>?", "Headers."),
      .field("is_new", "boolean?", "Whether it counts as new data; default true.", rules: "CHN-02"),
    ])
}
