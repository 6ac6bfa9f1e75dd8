import Glibc
import LullCore
import LullHost
import LullREPL

/// A command line that opens a session: `repl [FILES]`, `-i FILE [ARGS]`, each with options before what
/// it runs.
struct ReplCommand {
  /// Where the files stand on the command line.
  private let files: Range<Int>
  /// Where `arg[0]` does.
  private let program: Int
  private let options: RunOptions

  /// nil if the words ask for something else, or for help.
  init?(_ words: [String]) throws(RunOptions.WrongUsage) {
    var rest = words[...]
    var options = RunOptions()
    let isRepl = rest.first == "repl"
    if isRepl {
      rest.removeFirst()
    } else {
      // As of every script; whose words they are is only known behind them.
      guard words.contains("-i") else { return nil }
      while try options.take(from: &rest) {}
      guard rest.first == "-i" else { return nil }
      rest.removeFirst()
    }
    while try options.take(from: &rest) {}
    try options.check()
    if rest.first == "--" {
      rest.removeFirst()
    } else if let word = rest.first, word.hasPrefix("-"), word != "-" {
      guard !isRepl else { return nil }
      throw RunOptions.WrongUsage(message: "-i does not know the option '\(word)'")
    }
    if rest.first == "-" {
      throw RunOptions.WrongUsage(
        message: "a session reads its lines from standard input: name a file")
    }
    // Position 0 of the command line is the program itself.
    let first = rest.startIndex + 1
    if isRepl {
      files = first..<words.count + 1
      program = 0
    } else {
      guard !rest.isEmpty else {
        throw RunOptions.WrongUsage(message: "-i needs a script to run first: lull -i FILE [ARGS]")
      }
      files = first..<first + 1
      program = first
    }
    self.options = options
  }

  func run() -> Int32 {
    let words = CommandWords.all
    var sources: [(name: [UInt8], bytes: [UInt8])] = []
    for position in files {
      do throws(SourceFile.Unreadable) {
        sources.append(
          (words[position], SourceFile.withoutFirstLineMarks(try SourceFile.read(words[position]))))
      } catch {
        Exit.complain("lull: cannot read '\(error.name)': \(error.reason)\n")
        return 3
      }
    }
    // What a session runs is compiled so that its variables can be read; bytecode cannot be.
    if let source = sources.first(where: { $0.bytes.first == 0x1B }) {
      Exit.complain("lull: \(String(decoding: source.name, as: UTF8.self)): \(options.refusal)\n")
      return 3
    }
    let folder = sources.first.map { SourceFile.folder(of: $0.name) } ?? Array(".".utf8)
    guard
      let environment = try? LoopEnvironment(
        ownsProcess: true, allowedHosts: options.allowedHosts),
      let program = ScriptProgram(
        environment: environment, trust: options.trust(folder: folder), limits: options.limits)
    else {
      Exit.complain("lull: cannot start: not enough memory or descriptors\n")
      return 1
    }
    return program.interact(words: words, first: -self.program, folder: folder) { host in
      guard let repl = REPL(host) else { return .done(hasFailed: true) }
      // Of -i, what follows the file.
      if self.program > 0 { repl.arguments = Array(words[files.upperBound...]) }
      for source in sources {
        repl.load(source.bytes, name: String(decoding: source.name, as: UTF8.self))
      }
      repl.run()
      repl.close()
      guard !repl.isInteractive else { return .left }
      // As at the end of a script: what it has started comes to its end.
      if !host.isInterrupted { host.runUntilIdle() }
      return .done(hasFailed: repl.hasFailed)
    }
  }
}
