import LullHost

extension APIOwner {
  static let mockRequest = APIOwner.table(
    "MockRequest", "The argument of a `mock` function of an API file.",
    entries: [
      .field(
        "call", "string?",
        "The name of the call; nil for the `mock` function of the file itself."
      ),
      .field(
        "method", "string",
        """
        The HTTP method that the client sent. It is `HEAD` for a HEAD request, even if the declared \
        call has the method GET.
        """),
      .field("path", "string", "The path of the request, with its escapes."),
      .field("url", "string", "The whole URL of the request to the mock."),
      .field(
        "params", "table<string, any>",
        "The declared parameters, checked and converted, with defaults for missing parameters."
      ),
      .field(
        "query", "table<string, string>",
        "All parameters of the query, declared or not; for a repeated name, the last value."),
      .field(
        "headers", "table<string, string>",
        "The headers, by names in lower case; repeated ones are joined with commas."),
      .field(
        "lines", "string[][]",
        """
        The header lines in the order of the request, each as a list of the name in lower case and \
        the value.
        """),
      .field(
        "other_origin", "string?",
        "The URL of the second port of `--other-origin`, for redirects between origins."),
      .field("body", "string", "The body, byte for byte; empty if the request has no body."),
      .field("json", "any", "The decoded body, if it is JSON."),
    ])

  static let mockAnswer = APIOwner.table(
    "MockAnswer", extending: "StubAnswer", "A response of `lull mock`.",
    """
    The default status is 200, or 201 for examples of a POST. The status must be final, from 200 \
    to 599.
    """,
    entries: [
      .field("delay", "number?", "Seconds until the response is sent; default 0."),
      .field(
        "body", "string|(fun(): string?, string?)|nil",
        """
        The body. In a response that a function `mock` returns, this may also be a function that \
        returns the body in pieces. This function is called again when the client has received the \
        last piece, and may wait. It returns nil at the end of the body. If it returns nil and a \
        text, or raises an error, the connection ends in the middle of the body. With a header \
        `content-length`, the body has that length; otherwise the body is sent in chunks.
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
    "MockExample", extending: "MockAnswer", "An element of the field `examples` of a call.",
    entries: [
      .field(
        "when", "table<string, any>?",
        """
        Parameters and the values that all of them must have; by default, the example matches any \
        parameters.
        """)
    ])
}
