package import LullArguments

/// The command line of `lull mock`, which is that of the program that it becomes.
package enum MockArguments {
  /// How long a client may take to send a request or to take an answer, unless said otherwise; seconds.
  package static let patience = 30
  /// How long a function may run without waiting, unless said otherwise; seconds.
  package static let longest = 10.0

  package static let spec = ArgumentSpec(
    name: "lull mock",
    description: """
      Serves the calls of an API file until Ctrl-C, for the tests of other programs, of curl, or of a
      browser. API is a name or a path, as of lull call; the file is run with all rights.

      A call is answered by its function `mock` in the file, then by a recording, then by its
      `examples` and its `example`. It stands below the path of the service's base URL, and below /.

      The first word on standard output is the URL, when it can be asked; each request has a line on
      standard error.
      """,
    arguments: [
      .init(positional: "API", help: "the API file", isRequired: true),
      .init(
        "--cassette", placeholder: "FILE", demand: .fileName,
        help:
          "answers from a recording (HAR); may be repeated: the first that has an answer counts",
        isRepeated: true),
      .init(
        "--port", placeholder: "N",
        demand: .init("a whole number from 0 to 65535") { UInt16($0) != nil },
        help: "the port; 0, the default, takes a free one"),
      .init(
        "--bind", placeholder: "ADDRESS",
        help: "the address to listen at, in digits; 127.0.0.1, unless given"),
      .init(
        "--host", placeholder: "NAME",
        help: "a name that requests may have for it, besides localhost and the address",
        isRepeated: true),
      .init(
        "--cors", placeholder: "ORIGIN",
        demand: .init("an origin such as http://localhost:3000, or *") { isOrigin($0) },
        help: "lets web pages of that origin ask; * lets all of them", isRepeated: true),
      .init(
        "--timeout", placeholder: "SECONDS",
        demand: .init("a whole number of seconds from 1 to 3600") {
          Int($0).map { (1...3600).contains($0) } ?? false
        },
        help: "how long a client may take to send a request, or to take an answer; \(patience)"),
      .init(
        "--max-time", placeholder: "SECONDS",
        demand: .init("a number of seconds above 0") { seconds($0) != nil },
        help: "how long a function may run without waiting, before it is ended; 10"),
      .init(
        "--other-origin", kind: .flag,
        help: "serve the same at a second, free port: functions get its URL as request.other_origin"),
      .init(
        "--delays", kind: .flag,
        help: "answers from a recording come as long after as they were recorded, not at once"),
      .init("--quiet", kind: .flag, help: "no line for each request"),
    ],
    notes: """
      Examples:
        lull mock github --cassette tests/cassettes/repos.har --port 8080
        lull mock ./apis/shop.lua --cors http://localhost:3000

      """)

  package static func seconds(_ text: String) -> Double? {
    Double(text).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
  }

  /// `scheme://host[:port]`, as browsers send it.
  package static func isOrigin(_ text: String) -> Bool {
    if text == "*" { return true }
    guard let mark = text.firstRange(of: "://") else { return false }
    let host = text[mark.upperBound...]
    return mark.lowerBound > text.startIndex && !host.isEmpty
      && !host.contains { "/?#@ ".contains($0) }
  }
}
