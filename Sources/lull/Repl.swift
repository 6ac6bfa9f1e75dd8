import ArgumentParser

/// `lull repl`: the words are taken apart by `ReplCommand`; this is its page of help.
struct Repl: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Type Lua and see what it gives.",
    discussion: """
      Runs FILES first, whose variables the session goes on with. Expressions print their values; \
      `await` works, and the loop runs while you type. Tab completes, help() tells about Lull's \
      functions, .help about the session's own commands; Ctrl-C stops a line, Ctrl-D leaves. What \
      comes from a pipe is run without prompts; the exit code is then 1 if anything failed. \
      lull -i FILE [ARGS] runs one script with arguments, then a session.
      """)

  @Argument(help: "Scripts to run first.")
  var files: [String] = []

  func run() throws {
    throw ValidationError("options are not known here: lull repl [FILES]")
  }
}
