import ArgumentParser

/// `lull run`: the words are taken apart by `ScriptCommand`; this is its page of help.
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Run a script until nothing is left to wait for.",
    discussion: """
      The script gets ARGS as `...` and in the table `arg`. `require` looks beside the script first. \
      It ends when its main chunk, its tasks, requests in flight and sleeps have ended; observers do \
      not keep it alive. Ctrl-C cancels what is in flight, a second one ends at once.
      """)

  @Flag(
    help: ArgumentHelp(
      "Give the script Lull, string, table, math, utf8, coroutine, print and modules beside it, "
        + "and no more."))
  var sandbox = false

  @Option(
    help: ArgumentHelp(
      "A host it may reach, by redirects too: example.com, *.example.com, localhost:8080. "
        + "Repeatable. Without any, every host, and in the sandbox none.",
      valueName: "host"))
  var allowHost: [String] = []

  @Option(help: ArgumentHelp("End it after that many seconds.", valueName: "seconds"))
  var maxTime: String?

  @Option(
    help: ArgumentHelp(
      "End it after that many instructions; counting makes it two to three times slower.",
      valueName: "count"))
  var maxInstructions: String?

  @Option(help: ArgumentHelp("End it when it needs more memory, such as 64M.", valueName: "size"))
  var maxMemory: String?

  @Flag(help: "Let it load precompiled chunks.")
  var allowBytecode = false

  @Option(name: .short, help: "Run this code instead of a file.")
  var e: String?

  @Argument(help: "The script; - reads standard input.")
  var file: String?

  @Argument(parsing: .allUnrecognized, help: "What the script gets.")
  var args: [String] = []

  func run() throws {
    throw ValidationError("a script is missing: lull run FILE, lull -e CODE, or lull - for stdin")
  }
}
