import ArgumentParser
import LullHost

/// The command `lull`.
@main
struct Lull: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lull",
    abstract: "Run Lua scripts against REST APIs.",
    discussion: """
      lull FILE [ARGS …] is short for lull run FILE [ARGS …], lull -e CODE runs a line, and lull - \
      reads the script from standard input. lull repl opens a session to type at, lull -i FILE one after \
      running a file.

      Exit codes: 0 fine, 1 a script error, 2 wrong usage, 3 the script cannot be read or compiled, \
      130 and 143 ended by \
      Ctrl-C and SIGTERM.
      """,
    version: LuaHost.version,
    subcommands: [Run.self, Repl.self, Demo.self],
    defaultSubcommand: Run.self)

  static func main() {
    Exit.openStandardStreams()
    let words = Array(CommandLine.arguments.dropFirst())
    // Whatever stands behind a script's name is the script's: not for the parser to look at.
    do {
      if let repl = try ReplCommand(words) { Exit.now(repl.run()) }
      if let run = try ScriptCommand(words) { Exit.now(run.run()) }
    } catch {
      let text = fullMessage(for: ValidationError(error.message))
      Exit.complain(text + "\n")
      Exit.now(2)
    }
    do {
      var command = try parseAsRoot(words)
      try command.run()
    } catch {
      let text = fullMessage(for: error)
      if exitCode(for: error).isSuccess {
        print(text)
        Exit.now(0)
      }
      Exit.complain(text.isEmpty ? "" : text + "\n")
      Exit.now(2)
    }
  }
}
