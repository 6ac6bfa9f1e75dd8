import LullLibC
import LullArguments
import LullClients
import LullCore
import LullHost
import LullREPL

extension Command {
  static let repl = Command(
    "repl", "type Lua and see what it gives", .scripts,
    forms: [
      ("repl [FILES …]", "type Lua and see what it gives"),
      ("-i FILE [ARGS …]", "run a script, then type"),
    ],
    spec: { ReplCommand.spec }, words: .files, takesBytes: true
  ) { words, _ throws(CommandEnd) in try ReplCommand(words).run() }
}

/// A command line that opens a session: `repl [FILES]`, `-i FILE [ARGS]`, each with options before what
/// it runs.
struct ReplCommand {
  static var spec: ArgumentSpec {
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
        + RunOptions.arguments)
  }

  /// Where the files stand on the command line.
  private let files: Range<Int>
  /// Where `arg[0]` does.
  private let program: Int
  private let options: RunOptions

  /// Whether they do, also with options before `-i`, as before a script.
  static func isAsked(by words: ArraySlice<String>) throws(CommandEnd) -> Bool {
    guard words.first != "repl", words.contains("-i") else { return words.first == "repl" }
    var rest = words
    var options = RunOptions()
    try options.take(from: &rest, for: .repl)
    return rest.first == "-i"
  }

  /// - Parameter words: without the program's name, numbered from 1; a session is asked for.
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
        "-i before it opens a session: for status and headers write lull \(word) -i", .repl)
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
    // What a session runs is compiled so that its variables can be read; bytecode cannot be.
    if let source = sources.first(where: { SourceText.isPrecompiled($0.bytes) }) {
      Exit.complain("lull: \(String(escaping: source.name)): \(options.refusal)\n")
      return 3
    }
    let folder = sources.first.map { SourceFile.folder(of: $0.name) } ?? Array(".".utf8)
    guard let program = options.makeProgram(folder: folder) else { return 1 }
    return program.interact(words: words, first: -self.program, folder: folder) { host in
      guard let repl = REPL(host) else { return .done(hasFailed: true) }
      // Of -i, what follows the file.
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
      // As at the end of a script: what it has started comes to its end.
      if !host.loop.isInterrupted { host.loop.runUntilIdle() }
      return .done(hasFailed: repl.hasFailed)
    }
  }
}
