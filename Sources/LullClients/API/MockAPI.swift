import LullHost

extension APIOwner {
  static let mockRequest = APIOwner.table(
    "MockRequest", "What a function `mock` of an API file is given.",
    entries: [
      .field("call", "string?", "The name of the call; nil for the function of the file."),
      .field("method", "string", "The HTTP method as it was sent: of a GET also `HEAD`."),
      .field("path", "string", "The path that was asked for, with its escapes."),
      .field("url", "string", "The whole URL, by which the mock can be asked."),
      .field(
        "params", "table<string, any>",
        "The declared parameters, checked and of their types, with defaults for those that were not given."
      ),
      .field(
        "query", "table<string, string>",
        "All of the query, declared or not; of several of one name the last."),
      .field(
        "headers", "table<string, string>",
        "The headers, by names in small letters; of several of one name all, with commas between."),
      .field(
        "lines", "string[][]",
        "The header lines in the order of the request: name in small letters, and value."),
      .field(
        "other_origin", "string?",
        "The URL of the second port of `--other-origin`, for redirects between origins."),
      .field("body", "string", "The body, byte for byte; empty where there is none."),
      .field("json", "any", "What the body says, if it is JSON."),
    ])

  static let mockAnswer = APIOwner.table(
    "MockAnswer", extending: "StubAnswer", "An answer of `lull mock`.",
    "The status is 200 unless given, of examples of a POST 201, and one of a whole answer, from 200 to 599.",
    entries: [
      .field("delay", "number?", "Seconds until it is sent; default 0."),
      .field(
        "body", "string|(fun(): string?, string?)|nil",
        """
        The body; from a function `mock` also a function that returns it piece by piece. It is called when the \
        client has taken the last piece, and may wait. Nil is the end of the body. Nil and a text end the \
        connection in the middle of it, as does an error. With a header `content-length` the body has that \
        length; otherwise it is sent in chunks.
        """),
      .field(
        "close", "fun()?",
        "Only with such a function: called once, when the body has been sent or the client has gone."
      ),
    ])

  static let mockExample = APIOwner.table(
    "MockExample", extending: "MockAnswer", "An element of `examples` of a call.",
    entries: [
      .field(
        "when", "table<string, any>?",
        "Parameters, of all of which it takes these values; any values, unless given.")
    ])
}
