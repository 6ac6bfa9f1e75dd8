import Glibc
import LullCore
import LullHost

/// A command line that runs a script: `run FILE`, `FILE`, `-e CODE`, `-`, each with arguments.
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

  /// nil if the words ask for something else, or for help.
  init?(_ words: [String]) {
    // Position 0 of the command line is the program itself.
    var position = 1
    let saysRun = words.first == "run"
    if saysRun { position += 1 }
    guard words.count >= position else { return nil }
    switch words[position - 1] {
    case "-e":
      source = .code
      position += 1
    case "-": source = .standardInput
    case "--":
      source = .file
      position += 1
    case "demo" where !saysRun, "help" where !saysRun: return nil
    case let word:
      guard !word.hasPrefix("-") else { return nil }
      source = .file
    }
    guard words.count >= position else { return nil }
    self.position = position
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
    guard let environment = try? LoopEnvironment(ownsProcess: true),
      let program = ScriptProgram(environment: environment)
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
