import LullHost

/// What a command's `--help` shows. Made only when somebody asks.
enum CommandPage: String {
  case overview
  case run
  case repl
  case demo
  case get, post, put, patch, delete, head
  case call
  case apis
  case cache

  /// As one types it: `lull run`.
  var name: String { self == .overview ? "lull" : "lull \(rawValue)" }

  /// The page of a command, by the command's name; nil if there is none.
  static func named(_ name: String) -> CommandPage? {
    name == CommandPage.overview.rawValue ? nil : CommandPage(rawValue: name)
  }

  /// What wrong usage is told beside what was wrong.
  var usage: String { String(text.prefix { $0 != "\n" }) }

  var text: String {
    switch self {
    case .overview: CommandPage.overviewText
    case .run: ArgumentHelp.text(of: CommandPage.runSpec)
    case .repl: ArgumentHelp.text(of: CommandPage.replSpec)
    case .demo: ArgumentHelp.text(of: DemoCommand.spec)
    case .call: ArgumentHelp.text(of: CallCommand.spec)
    case .apis: ArgumentHelp.text(of: ApisCommand.spec)
    case .get, .post, .put, .patch, .delete, .head:
      ArgumentHelp.text(of: VerbCommand.spec(rawValue))
    case .cache: ArgumentHelp.text(of: CacheCommand.spec)
    }
  }

  private static var overviewText: String {
    """
    Usage: lull COMMAND …

    Run Lua scripts against REST APIs.

    Commands:
      lull run FILE [ARGS …]     run a script until nothing is left to wait for
      lull FILE [ARGS …]         the same
      lull -e CODE [ARGS …]      run code instead of a file
      lull - [ARGS …]            run what comes from standard input
      lull repl [FILES …]        type Lua and see what it gives
      lull -i FILE [ARGS …]      run a script, then type
      lull demo [--port N]       serve the sample API on loopback
      lull cache [info|show|clear]   look into the cache file that they share
      lull help COMMAND          tell more about one of run, repl, demo, cache

    Options:
      -h, --help  show this help
      --version   show the version

    Exit codes: 0 fine, 1 a script error, 2 wrong usage, 3 the script cannot be read or
    compiled, 130 and 143 ended by Ctrl-C and SIGTERM.

    """
  }

  private static var runSpec: ArgumentSpec {
    ArgumentSpec(
      name: "lull run",
      description: """
        Runs a script until nothing is left to wait for.

        The script gets ARGS as `...` and in the table `arg`. `require` looks beside the script
        first. It ends when its main chunk, its tasks, requests in flight and sleeps have ended;
        observers do not keep it alive. Ctrl-C cancels what is in flight, a second one ends at once.
        """,
      arguments: [
        .init("FILE", help: "the script; - reads standard input"),
        .init("ARGS", help: "what the script gets", isRepeated: true),
      ] + RunOptions.arguments + [
        .init("-e", placeholder: "CODE", help: "run this code instead of a file")
      ])
  }

  private static var replSpec: ArgumentSpec {
    ArgumentSpec(
      name: "lull repl",
      description: """
        Type Lua and see what it gives.

        Runs FILES first, whose variables the session goes on with. Expressions print their
        values; `await` works, and the loop runs while you type. Tab completes, help() tells about
        Lull's functions, .help about the session's own commands; Ctrl-C stops a line or leaves
        it, Ctrl-D leaves a statement that goes on, else the session. What comes from a pipe is
        run without prompts; the exit code is then 1 if anything failed. lull -i FILE [ARGS] runs
        one script with arguments, then a session; it takes the same options.

        Time and instructions are those of each line, and of each of FILES, from its start: one
        that passes them fails, and the session goes on. Memory is the session's.
        """,
      arguments: [.init("FILES", help: "scripts to run first", isRepeated: true)]
        + RunOptions.sessionArguments)
  }
}
