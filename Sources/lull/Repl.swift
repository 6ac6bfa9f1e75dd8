import ArgumentParser

/// `lull repl`: the words are taken apart by `ReplCommand`; this is its page of help.
struct Repl: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Type Lua and see what it gives.",
    discussion: """
      Runs FILES first, whose variables the session goes on with. Expressions print their values; \
      `await` works, and the loop runs while you type. Tab completes, help() tells about Lull's \
      functions, .help about the session's own commands; Ctrl-C stops a line or leaves it, Ctrl-D \
      leaves a statement that goes on, else the session. What comes from a pipe is run without \
      prompts; the exit code is then 1 if anything failed. lull -i [OPTIONS] FILE [ARGS] runs one \
      script with arguments, then a session.

      --max-time and --max-instructions are for each line, and for each of FILES, from its start: \
      one that passes them fails, and the session goes on. --max-memory is the session's: passing \
      it ends the session with 1.
      """)

  @Flag(
    help: ArgumentHelp(
      "Give lines and FILES Lull, string, table, math, utf8, coroutine, print and modules beside "
        + "the first of FILES, and no more."))
  var sandbox = false

  @Option(
    help: ArgumentHelp(
      "A host they may reach, by redirects too: example.com, *.example.com, localhost:8080. "
        + "Repeatable. Without any, every host, and in the sandbox none.",
      valueName: "host"))
  var allowHost: [String] = []

  @Option(help: ArgumentHelp("End a line after that many seconds.", valueName: "seconds"))
  var maxTime: String?

  @Option(
    help: ArgumentHelp(
      "End a line after that many instructions; counting makes it two to three times slower.",
      valueName: "count"))
  var maxInstructions: String?

  @Option(
    help: ArgumentHelp("End the session when it needs more memory, such as 64M.", valueName: "size")
  )
  var maxMemory: String?

  @Flag(help: "Let lines load precompiled chunks. FILES are source in any case.")
  var allowBytecode = false

  @Argument(help: "Scripts to run first.")
  var files: [String] = []

  func run() throws {
    throw ValidationError("options come before the files: lull repl [OPTIONS] [FILES]")
  }
}
