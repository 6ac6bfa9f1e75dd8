import LullHost
import LullTestRunner
import LullCore

/// The command `lull`.
@main
enum Lull {
  static func main() {
    let isOutputClosed = Exit.openStandardStreams()
    Exit.outliveFileSizeLimits()
    let words = CommandWords.texts.dropFirst()
    do throws(CommandEnd) {
      // The option does not apply to `--complete` and to test workers: their output is read by
      // completion scripts and by `lull test`.
      if !["--complete", TestCommand.workerWord].contains(words.first) {
        try ErrorFormat.begin(leading: CommandWords.leading, words: words)
      }
      Exit.now(try run(words, isOutputClosed))
    } catch {
      switch error {
      case .help(let command):
        _ = Output.write(command?.page ?? CommandOverview.text)
        Exit.now(0)
      case .page(let text):
        _ = Output.write(text)
        Exit.now(0)
      case .version:
        _ = Output.write(LullCore.Lull.version + "\n")
        Exit.now(0)
      case .told(let code): Exit.now(code)
      case .wrongUsage(let problem, let command):
        // Words after a script's name are arguments of the script, not options of Lull.
        if command?.name != Command.run.name { ErrorFormat.useScanned(words) }
        let name = command.map { "lull \($0.name)" } ?? "lull"
        Exit.refuse(problem, command?.page ?? CommandOverview.text, name)
        Exit.now(2)
      }
    }
  }

  /// - Returns: The exit code.
  private static func run(
    _ words: ArraySlice<String>, _ isOutputClosed: Bool
  ) throws(CommandEnd) -> Int32 {
    if try ReplCommand.isAsked(by: words) {
      Exit.command = Command.repl.name
      return try Command.repl.run(words)
    }
    switch words.first {
    case "-h", "--help": throw .help(nil)
    case "--version": throw .version
    case "version" where words.count == 1: throw .version
    case Manual.word: return Manual.run(words.dropFirst())
    case "--complete": return WordCompletion(words.dropFirst()).run()
    case TestCommand.workerWord:
      // Only `lull test` starts a worker.
      return TestWorker(words: Array(words.dropFirst()))?.run() ?? 2
    case _?:
      // The arguments after a script's name belong to the script, so they are not parsed.
      let name = CommandWords.all[words.startIndex]
      let command = try Dispatch.command(for: words, name: name)
      Exit.command = command.name
      // A supervisor may run a script with standard output closed. For other commands the output is
      // their purpose.
      if isOutputClosed, command.name != Command.run.name { Exit.refuseOutput() }
      return try command.run(words)
    // Standard input is run only with `-`, so this reports wrong usage. If there is nothing to
    // read, show the overview.
    case nil where StandardInput.holdsBytes:
      Exit.command = Command.run.name
      return try Command.run.run(words)
    case nil: throw .page(CommandOverview.start)
    }
  }
}
