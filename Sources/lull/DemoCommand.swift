import LullLibC
import LullArguments
import LullHost
import LullSystem
import LullTransport

extension Command {
  static let demo = Command(
    "demo", "serve a sample API on this machine", .help,
    forms: [("demo [--port N]", "serve a sample API on this machine")],
    spec: { DemoCommand.spec }, words: .files
  ) { words, _ throws(CommandEnd) in try DemoCommand(words.dropFirst()).run() }
}

/// `lull demo`: replaces this process with `lull-mock`, which serves the sample API.
struct DemoCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull demo",
      description: """
        Serves a sample API on this machine, until Ctrl-C.

        Prints the URL and the routes of the API. Scripts start it with lull.demo().
        """,
      arguments: [
        .init(
          names: ["--port"], kind: .integer, placeholder: "N",
          help: "Listen on this port; 0 chooses a free port.", standard: "0")
      ])
  }

  private let port: String

  /// - Parameter words: The arguments after `demo`.
  init(_ words: some Collection<String>) throws(CommandEnd) {
    port = try DemoCommand.spec.read(words, for: .demo).text("--port") ?? "0"
  }

  /// Replaces this process with `lull-mock`. Returns only if the program can't be started.
  func run() -> Int32 {
    guard let path = DemoServer.find() else {
      Exit.complain(
        "lull: lull-mock was not found beside lull or on the PATH; set LULL_MOCK to its path\n")
      return 1
    }
    let words = ([path] + DemoServer.words(port: port)).map { (word: String) in strdup(word) }
    execv(path, words + [nil])
    Exit.complain("lull: cannot start \(path): \(ErrorText.of(errno))\n")
    return 1
  }
}
