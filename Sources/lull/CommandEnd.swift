import LullArguments
import LullHost

/// Why the words of a command line ask for nothing to be run.
enum CommandEnd: Error {
  /// Somebody asked how: a command, or all of them.
  case help(Command?)
  case version
  /// What was wrong has been told; this is the exit code.
  case told(Int32)
  /// What was wrong, in words, and the command whose page says how it should be.
  case wrongUsage(String, Command?)

  init(_ end: ArgumentParser.End, _ command: Command) {
    switch end {
    case .help: self = .help(command)
    case .version: self = .version
    case .problem(let text): self = .wrongUsage(text, command)
    }
  }
}
