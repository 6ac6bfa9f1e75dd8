import LullArguments
import LullHost

/// What a command's `--help` shows. Made only when somebody asks.
enum CommandPage: String, CaseIterable {
  case overview
  case run
  case repl
  case demo
  case get, post, put, patch, delete, head
  case call
  case apis
  case explain
  case check
  case cache
  case completion

  /// As one types it: `lull run`.
  var name: String { self == .overview ? "lull" : "lull \(rawValue)" }

  /// The page of a command, by the command's name; nil if there is none.
  static func named(_ name: String) -> CommandPage? {
    name == CommandPage.overview.rawValue ? nil : CommandPage(rawValue: name)
  }

  /// All commands that have a page.
  static let names = allCases.filter { $0 != .overview }.map(\.rawValue)

  /// What the command does, in a few words.
  var summary: String {
    switch self {
    case .overview: ""
    case .run: "run a script"
    case .repl: "type Lua and see what it gives"
    case .demo: "serve the sample API on loopback"
    case .get: "load a resource and write its content"
    case .head: "ask for status and headers"
    case .post, .put, .patch: "send a body"
    case .delete: "delete a resource"
    case .call: "make a call that an API's file declares"
    case .apis: "list the APIs that have names"
    case .explain: "tell what applies to a resource, and from where"
    case .check: "tell what is wrong with API files"
    case .cache: "show or clear what is kept on disk"
    case .completion: "print what makes a shell complete words"
    }
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
    case .explain: ArgumentHelp.text(of: ExplainCommand.spec)
    case .check: ArgumentHelp.text(of: CheckCommand.spec)
    case .completion: ArgumentHelp.text(of: CompletionCommand.spec)
    case .get, .post, .put, .patch, .delete, .head:
      ArgumentHelp.text(of: VerbCommand.spec(rawValue))
    case .cache: ArgumentHelp.text(of: CacheCommand.spec)
    }
  }

  private static var overviewText: String {
    """
    Usage: lull COMMAND …

    Talk to REST APIs: from the shell, from Lua scripts, from a session.

    Requests:
      lull get API PATH          load a resource; an API is a file of Lua, or say a URL
      lull post, put, patch, delete, head
      lull call API CALL         make a call that the API's file declares
      lull apis                  list the APIs that have names
      lull explain API PATH      tell what applies to a resource, and what has set it
      lull check FILE …          tell what is wrong with API files

    Scripts:
      lull run FILE [ARGS …]     run a script until nothing is left to wait for
      lull FILE [ARGS …]         the same
      lull -e CODE [ARGS …]      run code instead of a file
      lull - [ARGS …]            run what comes from standard input
      lull repl [FILES …]        type Lua and see what it gives
      lull -i FILE [ARGS …]      run a script, then type

    More:
      lull demo [--port N]       serve the sample API on loopback
      lull cache COMMAND         show or clear what is kept on disk
      lull completion SHELL      print what makes bash, zsh or fish complete words
      lull help COMMAND          tell more about one command, with examples

    Examples:
      lull get https://api.github.com/users/octocat -f x.name
      lull post :8080/users name="Ann Lee" age:=40
      lull call github repos --user octocat -o table
      lull -e 'print(lull.service("https://example.com")("/"):load():await().text)'

    Options:
      -h, --help  show this help
      --version   show the version

    Exit codes: 0 fine, 1 a script error, 2 wrong usage, 3 the script cannot be read or
    compiled, 4 and 5 an HTTP status 4xx and 5xx, 6 no answer, 130 and 143 ended by Ctrl-C and
    SIGTERM.

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
        one script with arguments, as lull FILE would, then a session whose variables its
        top-level locals are; it takes the same options.

        Time and instructions are those of each line, and of each of FILES, from its start: one
        that passes them fails, and the session goes on. Memory is the session's.
        """,
      arguments: [.init("FILES", help: "scripts to run first", isRepeated: true)]
        + RunOptions.sessionArguments)
  }
}
