import LullHost

extension APIOwner {
  static let mockRequest = APIOwner.table(
    "MockRequest", "The argument of a `mock` function of an API file.",
    entries: [
      .field(
        "call", "string?",
        "The name of the call; nil for the `mock` function of the file itself."
      ),
      .field("method", "string", "The HTTP method as it was sent: `HEAD` also for a GET."),
      .field("path", "string", "The path of the request, with its escapes."),
      .field("url", "string", "The whole URL of the request to the mock."),
      .field(
        "params", "table<string, any>",
        "The declared parameters, checked and converted, with defaults for missing ones."
      ),
      .field(
        "query", "table<string, string>",
        "The whole query, declared or not; the last value of a repeated name."),
      .field(
        "headers", "table<string, string>",
        "The headers, by names in lower case; repeated ones are joined with commas."),
      .field(
        "lines", "string[][]",
        "The header lines in the order of the request: name in lower case, and value."),
      .field(
        "other_origin", "string?",
        "The URL of the second port of `--other-origin`, for redirects between origins."),
      .field("body", "string", "The body, byte for byte; empty if there is none."),
      .field("json", "any", "The decoded body, if it is JSON."),
    ])

  static let mockAnswer = APIOwner.table(
    "MockAnswer", extending: "StubAnswer", "A response of `lull mock`.",
    """
    The default status is 200, or 201 for examples of a POST. It must be a final status, from 200 \
    to 599.
    """,
    entries: [
      .field("delay", "number?", "Seconds until it is sent; default 0."),
      .field(
        "body", "string|(fun(): string?, string?)|nil",
        """
        The body. A function `mock` may also return a function that returns it in pieces. It is \
        called when the client has received the last piece, and may wait. nil is the end of the \
        body. nil and a text end the connection in the middle of it, as does an error. With a \
        header `content-length` the body has that length; otherwise it is sent in chunks.
        """),
      .field(
        "close", "fun()?",
        """
        Only if `body` is a function: called once, when the body has been sent or the client has \
        disconnected.
        """
      ),
    ])

  static let mockExample = APIOwner.table(
    "MockExample", extending: "MockAnswer", "An element of `examples` of a call.",
    entries: [
      .field(
        "when", "table<string, any>?",
        "Parameters that must all have these values; default any values.")
    ])
}
