import Glibc
import LullCore
import LullHost
import LullREPL

/// A command line that runs a script: `run FILE`, `FILE`, `-e CODE`, `-`, each with options before and
/// arguments behind.
struct ScriptCommand {
  private enum Source {
    case file
    case code
    case standardInput
  }

  private let source: Source
  /// Where on the command line the script's name, or its code, stands. Names and arguments are taken
  /// from there as bytes: they need not be UTF-8.
  private let position: Int
  private let options: RunOptions

  /// nil if the words ask for something else, or for help.
  init?(_ words: [String]) throws(RunOptions.WrongUsage) {
    var rest = words[...]
    var options = RunOptions()
    if rest.first == "run" { rest.removeFirst() }
    while try options.take(from: &rest) {}
    try options.check()
    let isFirst = rest.startIndex == 0
    switch rest.first {
    case nil: return nil
    case "-e":
      source = .code
      rest.removeFirst()
    case "-": source = .standardInput
    case "--":
      source = .file
      rest.removeFirst()
    case "demo" where isFirst, "repl" where isFirst, "help" where isFirst: return nil
    case let word?:
      guard !word.hasPrefix("-") else { return nil }
      source = .file
    }
    guard !rest.isEmpty else { return nil }
    // Position 0 of the command line is the program itself.
    position = rest.startIndex + 1
    self.options = options
  }

  func run() -> Int32 {
    let words = CommandWords.all
    let name = words[position]
    let script: ScriptProgram.Script
    do throws(SourceFile.Unreadable) {
      switch source {
      case .code:
        script = .init(name: Array("(command line)".utf8), source: name, folder: nil)
      case .standardInput:
        let bytes = try SourceFile.read(0, name: "-")
        script = .init(
          name: Array("stdin".utf8), source: SourceFile.withoutFirstLineMarks(bytes),
          folder: nil)
      case .file:
        let bytes = try SourceFile.read(name)
        script = .init(
          name: name, source: SourceFile.withoutFirstLineMarks(bytes),
          folder: SourceFile.folder(of: name))
      }
    } catch {
      Exit.complain("lull: cannot read '\(error.name)': \(error.reason)\n")
      return 3
    }
    guard
      let environment = try? LoopEnvironment(
        ownsProcess: true, allowedHosts: options.allowedHosts),
      let program = ScriptProgram(
        environment: environment, trust: options.trust(folder: script.folder),
        limits: options.limits)
    else {
      Exit.complain("lull: cannot start: not enough memory or descriptors\n")
      return 1
    }
    // As in the stock interpreter: arg[0] is the script, what came before it has negative indices.
    // Of -e, arg[0] is the code.
    return program.run(
      script, words: words, first: -position, setsGlobal: source == .code)
  }
}
