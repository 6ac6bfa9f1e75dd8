import LullLibC
import LullArguments
import LullClients
import LullCore
import LullHost
import LullREPL

extension Command {
  static let repl = Command(
    "repl", "start an interactive session", .script,
    forms: [
      ("repl [FILE …]", "start an interactive session"),
      ("-i FILE [ARG …]", "run a script, then start a session"),
    ],
    spec: { ReplCommand.spec }, words: .files, takesBytes: true
  ) { words, _ throws(CommandEnd) in try ReplCommand(words).run() }
}

/// A command line that starts a REPL session: `repl [FILES]` or `-i FILE [ARGS]`, with options
/// first.
struct ReplCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull repl",
      description: """
        Starts an interactive session.

        FILES run first; the session continues with their variables. Expressions print
        their values, `await` works, and requests continue while you type. Tab
        completes, help() explains functions, .help lists the commands of the session.
        Ctrl-C cancels a line, Ctrl-D ends the session. Input from a pipe runs without
        prompts; the exit code is 1 if a line failed.

        lull -i FILE [ARGS] runs one script with arguments first. Its top-level locals
        become variables of the session. --max-time and --max-instructions limit each
        line and each file; --max-memory limits the session.
        """,
      arguments: [.init("FILES", help: "Scripts to run first.", isRepeated: true)]
        + RunOptions.arguments)
  }

  /// The positions of the files on the command line.
  private let files: Range<Int>
  /// The position on the command line of the word that becomes `arg[0]`.
  private let program: Int
  private let options: RunOptions

  /// Whether the words start a REPL session. Options may precede `-i`, as before a script.
  static func isAsked(by words: ArraySlice<String>) throws(CommandEnd) -> Bool {
    guard words.first != "repl", words.contains("-i") else { return words.first == "repl" }
    var rest = words
    var options = RunOptions()
    try options.take(from: &rest, for: .repl)
    return rest.first == "-i"
  }

  /// - Parameter words: The command line of a session without the program's name. The first index
  ///   is 1.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    var rest = words
    var options = RunOptions()
    try options.take(from: &rest, for: .repl)
    let isSession = rest.popFirst() == "repl"
    try options.take(from: &rest, for: .repl)
    try options.check(for: .repl)
    switch rest.first {
    case "-h", "--help": throw .help(.repl)
    case "--": rest.removeFirst()
    case "-": throw .wrongUsage("a session reads its lines from standard input: name a file", .repl)
    case let word? where word.hasPrefix("-"): throw RunOptions.unknown(word, for: .repl)
    default: break
    }
    guard isSession || !rest.isEmpty else {
      throw .wrongUsage("-i needs a script: lull -i FILE", .repl)
    }
    if !isSession, let word = rest.first, TypedURL.plain(word) != nil {
      throw .wrongUsage(
        "-i before a URL starts a session: for status and headers write lull \(word) -i", .repl)
    }
    files = isSession ? rest.indices : rest.startIndex..<rest.startIndex + 1
    program = isSession ? 0 : rest.startIndex
    self.options = options
  }

  func run() -> Int32 {
    let words = CommandWords.all
    var sources: [(name: [UInt8], bytes: [UInt8])] = []
    for position in files {
      do throws(SourceFile.Unreadable) {
        sources.append(
          (words[position], SourceText.withoutFirstLineMarks(try SourceFile.read(words[position]))))
      } catch {
        Exit.complain("lull: cannot read '\(error.name)': \(error.reason)\n")
        return 3
      }
    }
    // A session compiles its files so that local variables can be read, which is impossible for
    // bytecode.
    if let source = sources.first(where: { SourceText.isPrecompiled($0.bytes) }) {
      Exit.complain("lull: \(String(escaping: source.name)): \(options.refusal)\n")
      return 3
    }
    let folder = sources.first.map { SourceFile.folder(of: $0.name) } ?? Array(".".utf8)
    guard let program = options.makeProgram(folder: folder) else { return 1 }
    return program.interact(words: words, first: -self.program, folder: folder) { host in
      guard let repl = REPL(host) else { return .done(hasFailed: true) }
      // With -i: the arguments after the file.
      if self.program > 0 {
        repl.arguments = Array(words[files.upperBound...])
        repl.script = String(escaping: words[self.program])
      }
      for source in sources {
        repl.load(source.bytes, name: String(escaping: source.name))
      }
      repl.run()
      repl.close()
      guard !repl.isInteractive else { return .left }
      // As at the end of a script, finish pending work.
      if !host.loop.isInterrupted { host.loop.runUntilIdle() }
      return .done(hasFailed: repl.hasFailed)
    }
  }
}
