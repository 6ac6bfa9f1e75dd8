import LullArguments
import LullClients

/// The options on the command line of `lull-mock`.
struct MockOptions {
  /// The API to serve.
  enum Source {
    /// An API file, by a name or a path.
    case file(String)
    /// The API file that is part of the program, for `lull demo`.
    case sample
  }

  var source: Source
  var cassettes: [String] = []
  /// The port to listen on. 0 selects any free port.
  var port: UInt16
  var address = "127.0.0.1"
  var hosts: [String] = []
  var origins: [String] = []
  /// Whether the same API is also served on a second port, which is another origin.
  var hasOtherOrigin = false
  /// The time limit for a client in seconds. 0 means no limit.
  var patience = 0
  /// The maximum time in seconds that a function may run without waiting.
  var longest = MockArguments.longest
  /// The maximum size of a request body in bytes.
  var largestBody = 16 << 20
  /// Whether requests are not logged, and the sample API does not list its routes.
  var isQuiet: Bool
  /// Whether recorded responses are delayed by their recorded duration.
  var hasDelays = false

  init(_ parsed: ParsedArguments) {
    source = .file(parsed.text("API") ?? "")
    cassettes = parsed.all("--cassette")
    port = parsed.text("--port").flatMap { UInt16($0) } ?? 0
    address = parsed.text("--bind") ?? "127.0.0.1"
    hosts = parsed.all("--host")
    origins = parsed.all("--cors")
    hasOtherOrigin = parsed.has("--other-origin")
    patience = parsed.text("--timeout").flatMap { Int($0) } ?? MockArguments.patience
    longest = parsed.text("--max-time").flatMap(MockArguments.seconds) ?? MockArguments.longest
    isQuiet = parsed.has("--quiet")
    hasDelays = parsed.has("--delays")
  }

  /// The options of the sample API, as `lull demo` and `lull.demo()` start it: `lull-mock
  /// --sample`.
  init(sample parsed: ParsedArguments) {
    source = .sample
    port = parsed.text("--port").flatMap { UInt16($0) } ?? 0
    hasOtherOrigin = true
    largestBody = 1 << 30
    isQuiet = parsed.has("--quiet")
  }

  static let sampleSpec = ArgumentSpec(
    name: "lull demo",
    description: """
      Serves the sample API on 127.0.0.1 until Ctrl-C or, if standard input is a pipe, until the
      end of the input. The first line of the output has the URL.
      """,
    arguments: [
      .init(
        "--port", placeholder: "N",
        demand: .init("a whole number from 0 to 65535") { UInt16($0) != nil },
        help: "the port to serve on; 0 (default) chooses a free port"),
      .init("--quiet", kind: .flag, help: "do not list the routes"),
    ])

  var isSample: Bool {
    if case .sample = source { true } else { false }
  }

  /// The options for the second origin: the same options, but with any free port.
  var atAnyPort: MockOptions {
    var options = self
    options.port = 0
    return options
  }
}

/// The reason why nothing is served.
struct MockProblem: Error {
  let text: String
  var exitCode: Int32 = 1
}
