import LullArguments
import LullClients

/// The options of the command line.
struct MockOptions {
  /// What to serve.
  enum Source {
    /// An API file, by a name or a path.
    case file(String)
    /// The API file that is part of the program, for `lull demo`.
    case sample
  }

  var source: Source
  var cassettes: [String] = []
  /// 0 for any free port.
  var port: UInt16
  var address = "127.0.0.1"
  var hosts: [String] = []
  var origins: [String] = []
  /// Whether the same is also served on another port.
  var hasOtherOrigin = false
  /// Seconds; 0 for no limit on clients.
  var patience = 0
  /// How long a function may run without waiting, in seconds.
  var longest = MockArguments.longest
  /// In bytes.
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
      Serves the sample API on 127.0.0.1 until it is interrupted, or until its standard input ends
      if that is a pipe. The first line it writes is its URL.
      """,
    arguments: [
      .init(
        "--port", placeholder: "N",
        demand: .init("a whole number from 0 to 65535") { UInt16($0) != nil },
        help: "the port to serve on; 0, the default, takes any that is free"),
      .init("--quiet", kind: .flag, help: "do not list the routes"),
    ])

  var isSample: Bool {
    if case .sample = source { true } else { false }
  }

  /// The options for the other origin: any free port.
  var atAnyPort: MockOptions {
    var options = self
    options.port = 0
    return options
  }
}

/// Why nothing is served.
struct MockProblem: Error {
  let text: String
  var exitCode: Int32 = 1
}
