import Glibc
import LullCore
import LullHost
import LullREPL

/// A command line that opens a session: `repl [FILES]`, `-i FILE [ARGS]`.
struct ReplCommand {
  /// Where the files stand on the command line.
  private let files: Range<Int>
  /// Where `arg[0]` does.
  private let program: Int

  /// - Parameter words: without the program's name, numbered from 1.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    var rest = words.dropFirst()
    let isSession = words.first == "repl"
    switch rest.first {
    case "-h", "--help": throw .help(.repl)
    case "--": rest.removeFirst()
    case let word? where word.hasPrefix("-"): throw .wrongUsage("unknown option '\(word)'", .repl)
    case nil where !isSession: throw .wrongUsage("-i needs a script: lull -i FILE", .repl)
    default: break
    }
    files = isSession ? rest.indices : rest.startIndex..<rest.startIndex + 1
    program = isSession ? 0 : rest.startIndex
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
    guard let environment = try? LoopEnvironment(ownsProcess: true),
      let program = ScriptProgram(environment: environment)
    else {
      Exit.complain("lull: cannot start: not enough memory or descriptors\n")
      return 1
    }
    let folder = sources.first.map { SourceFile.folder(of: $0.name) } ?? Array(".".utf8)
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
