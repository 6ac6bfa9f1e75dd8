import LullHost

/// The command `lull`.
@main
enum Lull {
  static func main() {
    Exit.openStandardStreams()
    Exit.outliveFileSizeLimits()
    do throws(CommandEnd) {
      Exit.now(try run(CommandWords.texts.dropFirst()))
    } catch {
      switch error {
      case .help(let page):
        _ = Output.write(page.text)
        Exit.now(0)
      case .version:
        _ = Output.write(LuaHost.version + "\n")
        Exit.now(0)
      case .wrongUsage(let problem, let page):
        Exit.complain("lull: \(problem)\n\(page.usage)\nTry '\(page.name) --help'.\n")
        Exit.now(2)
      }
    }
  }

  /// - Returns: the exit code.
  private static func run(_ words: ArraySlice<String>) throws(CommandEnd) -> Int32 {
    if try ReplCommand.isAsked(by: words) { return try ReplCommand(words).run() }
    if let name = words.first, name != "run", let page = CommandPage.named(name) {
      try CommandWords.requireTexts(page)
    }
    switch words.first {
    case "help": throw try help(about: words.dropFirst())
    case "-h", "--help": throw .help(.overview)
    case "--version": throw .version
    case "cache": return try CacheCommand(words.dropFirst()).run()
    case "demo": return try DemoCommand(words.dropFirst()).run()
    case "call": return try CallCommand(words.dropFirst()).run()
    case "apis": return try ApisCommand(words.dropFirst()).run()
    case "explain": return try ExplainCommand(words.dropFirst()).run()
    case "check": return try CheckCommand(words.dropFirst()).run()
    case "completion": return try CompletionCommand(words.dropFirst()).run()
    case "--complete": return WordCompletion(words.dropFirst()).run()
    case let verb? where VerbCommand.verbs.contains(verb):
      return try VerbCommand(words, page: CommandPage.named(verb) ?? .overview).run()
    // Whatever stands behind a script's name is the script's: not for any parser to look at.
    default: return try ScriptCommand(words).run()
    }
  }

  private static func help(about words: ArraySlice<String>) throws(CommandEnd) -> CommandEnd {
    guard let word = words.first, word != "--help", word != "-h" else { return .help(.overview) }
    guard let page = CommandPage.named(word) else {
      throw .wrongUsage("there is no command '\(word)'", .overview)
    }
    return .help(page)
  }
}
