package import LullArguments

/// The command line of `lull mock`, shared with the program `lull-mock` that it executes.
package enum MockArguments {
  /// The default time limit in seconds for a client to send a request or to receive a response.
  package static let patience = 30
  /// The default time limit in seconds for a function that runs without waiting.
  package static let longest = 10.0

  package static let spec = ArgumentSpec(
    name: "lull mock",
    description: """
      Serves the calls of an API file for tests of other programs, until Ctrl-C.

      A call is answered by its function `mock`, by a recording, or by its `examples`
      and `example`. Calls are served below the path of the base URL and below /. The
      API file runs with all rights.

      The first word on standard output is the URL, as soon as the server is ready.
      Each request writes a line to standard error.
      """,
    arguments: [
      .init(positional: "API", help: "The API file.", isRequired: true),
      .init(
        "--cassette", placeholder: "FILE", demand: .fileName,
        help: "Answer from a recording (HAR).",
        details: "If several recordings have a response, the first is used.", isRepeated: true),
      .init(
        "--port", placeholder: "N", demand: .wholeNumber(0...65535),
        help: "Listen on this port; 0 takes a free one (default)."),
      .init(
        "--bind", placeholder: "ADDRESS", help: "Listen at this address (default 127.0.0.1)."),
      .init(
        "--host", placeholder: "NAME", help: "Accept requests for this host name.",
        details: "localhost and the address are always accepted.", isRepeated: true),
      .init(
        "--cors", placeholder: "ORIGIN",
        demand: .init("an origin such as http://localhost:3000, or *") { isOrigin($0) },
        help: "Allow web pages of this origin; * allows all.", isRepeated: true),
      .init(
        "--timeout", placeholder: "SECONDS",
        demand: .init("a whole number of seconds from 1 to 3600") {
          Int($0).map { (1...3600).contains($0) } ?? false
        },
        help: "Limit the time of a client (default \(patience) s).",
        details: "It applies to sending a request, and to receiving the response."),
      .init(
        "--max-time", placeholder: "SECONDS", demand: .positiveSeconds,
        help: "Limit the time of a function (default 10 s).",
        details: "Time that the function waits does not count."),
      .init(
        "--other-origin", kind: .flag, help: "Serve the calls at a second, free port too.",
        details: "Functions get its URL as `request.other_origin`."),
      .init(
        "--delays", kind: .flag, help: "Delay recorded responses as recorded.",
        details: "By default, they are sent at once."),
      .init("--quiet", kind: .flag, help: "Do not write a line for each request."),
    ],
    examples: [
      "lull mock github --cassette tests/cassettes/repos.har --port 8080",
      "lull mock ./apis/shop.lua --cors http://localhost:3000",
    ])

  package static func seconds(_ text: String) -> Double? {
    Double(text).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
  }

  /// Returns whether a text is an origin in the form that browsers send: `scheme://host[:port]`.
  package static func isOrigin(_ text: String) -> Bool {
    if text == "*" { return true }
    guard let mark = text.firstRange(of: "://") else { return false }
    let host = text[mark.upperBound...]
    return mark.lowerBound > text.startIndex && !host.isEmpty
      && !host.contains { "/?#@ ".contains($0) }
  }
}
