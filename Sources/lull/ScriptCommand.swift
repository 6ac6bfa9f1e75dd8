import LullLibC
import LullArguments
import LullClients
import LullCore
import LullHost
import LullREPL

extension Command {
  static let run = Command(
    "run", "run a script", .script,
    forms: [
      ("run FILE [ARG …]", "run a script; also lull FILE [ARG …]"),
      ("-e CODE [ARG …]", "run a line of Lua"),
      ("- [ARG …]", "run a script from standard input"),
    ], briefForms: 2,
    spec: { ScriptCommand.spec }, words: .files, takesBytes: true
  ) { words, _ throws(CommandEnd) in try ScriptCommand(words).run() }
}

/// A command line that runs a script: `run FILE`, `FILE`, `-e CODE` or `-`, with options before it
/// and arguments after it.
///
/// The words are parsed one by one from the front, because the words after the script's name belong
/// to the script.
struct ScriptCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull run",
      description: """
        Runs a script until its tasks, requests and sleeps have ended.

        The script gets ARGS as `...` and in the table `arg`. `require` looks in the
        folder of the script first. Observers do not keep a script running. Ctrl-C
        cancels requests in flight; a second Ctrl-C exits at once.
        """,
      arguments: [
        .init("FILE", help: "The script; - reads it from standard input."),
        .init("ARGS", help: "The arguments of the script.", isRepeated: true),
      ] + RunOptions.arguments + [
        .init("-e", placeholder: "CODE", help: "Run this code instead of a file.")
      ])
  }

  private enum Source {
    case file
    case code
    case standardInput
  }

  private let source: Source
  /// The position of the script's name, or its code, on the command line. Names and arguments are
  /// read from there as bytes, because they do not have to be UTF-8.
  private let position: Int
  private let options: RunOptions

  /// - Parameter words: The command line without the program's name. The first index is 1.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    var rest = words
    var options = RunOptions()
    let saysRun = rest.first == "run"
    if saysRun { rest.removeFirst() }
    try options.take(from: &rest, for: .run)
    try options.check(for: .run)
    guard let word = rest.first else { throw ScriptCommand.missing }
    switch word {
    case "-h", "--help": throw .help(saysRun ? .run : nil)
    case "--version": throw .version
    case "-e":
      source = .code
      rest.removeFirst()
      guard !rest.isEmpty else { throw .wrongUsage("-e needs code", .run) }
    case "-": source = .standardInput
    case "--":
      source = .file
      rest.removeFirst()
      guard !rest.isEmpty else { throw ScriptCommand.missing }
    case _ where word.hasPrefix("-"): throw RunOptions.unknown(word, for: .run)
    default: source = .file
    }
    position = rest.startIndex
    self.options = options
  }

  private static var missing: CommandEnd {
    .wrongUsage("a script is missing: lull FILE, lull -e CODE, or lull - for stdin", .run)
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
          name: Array("stdin".utf8), source: SourceText.withoutFirstLineMarks(bytes),
          folder: nil)
      case .file:
        let bytes = try SourceFile.read(name)
        script = .init(
          name: name, source: SourceText.withoutFirstLineMarks(bytes),
          folder: SourceFile.folder(of: name))
      }
    } catch {
      Exit.complain("lull: cannot read '\(error.name)': \(error.reason)\n")
      return 3
    }
    guard let program = options.makeProgram(folder: script.folder) else { return 1 }
    // As in the standard interpreter, arg[0] is the script, and the words before it have negative
    // indices. With -e, arg[0] is the code.
    return program.run(
      script, words: words, first: -position, setsGlobal: source == .code)
  }
}
