import LullArguments
import LullHost

/// Why the words of a command line ask for nothing to be run.
enum CommandEnd: Error {
  /// Somebody asked how.
  case help(CommandPage)
  case version
  /// What was wrong, in words, and the page that says how it should be.
  case wrongUsage(String, CommandPage)

  init(_ end: ArgumentParser.End, _ page: CommandPage) {
    switch end {
    case .help: self = .help(page)
    case .version: self = .version
    case .problem(let text): self = .wrongUsage(text, page)
    }
  }
}
