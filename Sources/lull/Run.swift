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
