import LullArguments
import LullClients
import LullCore
import LullHost

extension Command {
  static let watch = Command(
    "watch", "show content, and changes as they happen", .ask,
    forms: [("watch TARGET", "show content, and changes as they happen")],
    spec: { WatchCommand.spec }, words: .target
  ) { words, command throws(CommandEnd) in
    try WatchCommand(words.dropFirst(), for: command).run()
  }
}

/// `lull watch API PATH`: shows the content of a resource, and then its changes.
///
/// Behaviours: WATCH-01 to WATCH-08.
struct WatchCommand {
  /// The minimum number of seconds between a response and the next request.
  private static let shortest = 0.1

  static var spec: ArgumentSpec {
    ContentWords.spec(
      "watch",
      """
      Shows content, then additions (+), removals (-) and changes (~), until Ctrl-C.

      Sends a conditional request as soon as the content is stale (after 30 s, unless
      an API file says otherwise), or after --every. A failure is reported and retried
      after a growing pause of up to a minute, never before the server's Retry-After.

      With the word query before TARGET, the resource is a query, as in lull query.
      """,
      [
        .init(
          names: ["--every"], kind: .number, placeholder: "SECONDS",
          demand: .init("a number of seconds, \(WatchCommand.shortest) at least") {
            Double($0).map { $0.isFinite && $0 >= WatchCommand.shortest } ?? false
          }, help: "Send a request again after this time."),
        .init(
          names: ["--count"], kind: .integer, placeholder: "N", demand: .positiveWholeNumber,
          help: "Stop after N requests.", details: "The exit code is that of the last request."),
      ], without: ["--offline", "--fresh"],
      hints: [
        "--all": "lull changed --all compares all pages",
        "--pages": "lull changed --pages N compares pages",
        "--offline": "watching needs the server: lull get --offline shows a cache entry",
        "--fresh": "each request goes to the server",
        "-n": "use --every SECONDS",
        "--interval": "use --every",
      ],
      examples: [
        "lull watch :8080/users --every 2",
        "lull watch https://api.github.com/repos/swiftlang/swift -f x.stargazers_count",
        #"lull watch shop /orders -f 'pick(x, "id", "state")' -o ndjson | notify"#,
        "lull watch query :8080/search topic=tea --every 10",
      ],
      notes: """
        After --count requests, or if no content can be loaded, the exit code is that of
        the last request, as for lull get. After Ctrl-C, it is 130.

        """)
  }

  private let words: ContentWords
  private let every: Double?
  private let count: Int

  init(_ words: ArraySlice<String>, for command: Command) throws(CommandEnd) {
    self.words = try ContentWords(words, for: command)
    let parsed = self.words.parsed
    every = parsed.text("--every").flatMap { Double($0) }
    count = parsed.text("--count").flatMap { Int($0) } ?? .max
  }

  func run() -> Int32 {
    words.run { host, api, request, options in
      var (request, options) = (request, options)
      if let code = options.openSession(for: &request, host) { return code }
      let exchange = CallExchange(host, api, options)
      do throws(ContentFilter.Problem) {
        return exchange.end(
          try ContentWatch(exchange, request, every: every, count: count).run())
      } catch {
        Exit.complain(error.report)
        return 1
      }
    }
  }
}
