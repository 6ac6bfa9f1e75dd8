import Glibc
import LullCore
import LullHost

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
    case "demo" where isFirst, "help" where isFirst: return nil
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
    let words = ScriptCommand.commandLine()
    let name = words[position]
    let script: ScriptProgram.Script
    do throws(Unreadable) {
      switch source {
      case .code:
        script = .init(name: Array("(command line)".utf8), source: name, folder: nil)
      case .standardInput:
        let bytes = try ScriptCommand.read(0, name: "-")
        script = .init(
          name: Array("stdin".utf8), source: ScriptCommand.withoutFirstLineMarks(bytes),
          folder: nil)
      case .file:
        let bytes = try ScriptCommand.read(name)
        script = .init(
          name: name, source: ScriptCommand.withoutFirstLineMarks(bytes),
          folder: ScriptCommand.folder(of: name))
      }
    } catch {
      Exit.complain("lull: cannot read '\(error.name)': \(error.reason)\n")
      return 3
    }
    guard
      let environment = try? LoopEnvironment(
        ownsProcess: true, allowedHosts: options.allowedHosts),
      let program = ScriptProgram(environment: environment, limits: options.limits)
    else {
      Exit.complain("lull: cannot start: not enough memory or descriptors\n")
      return 1
    }
    // As in the stock interpreter: arg[0] is the script, what came before it has negative indices.
    // Of -e, arg[0] is the code.
    return program.run(
      script, words: words, first: -position, setsGlobal: source == .code)
  }

  /// The words of the command line as bytes.
  private static func commandLine() -> [[UInt8]] {
    (0..<Int(CommandLine.argc)).map { index in
      guard let word = CommandLine.unsafeArgv[index] else { return [] }
      // A C string that lives as long as the process.
      return Array(UnsafeBufferPointer(start: word, count: strlen(word))).map(
        UInt8.init(bitPattern:))
    }
  }

  private struct Unreadable: Error {
    let name: String
    let reason: String
  }

  private static func read(_ path: [UInt8]) throws(Unreadable) -> [UInt8] {
    let name = String(decoding: path, as: UTF8.self)
    let descriptor = (path + [0]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { start in
        start.baseAddress.map { open($0, O_RDONLY | O_CLOEXEC) } ?? -1
      }
    }
    guard descriptor >= 0 else { throw unreadable(name) }
    defer { close(descriptor) }
    return try read(descriptor, name: name)
  }

  private static func read(_ descriptor: Int32, name: String) throws(Unreadable) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(name) }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  private static func unreadable(_ name: String) -> Unreadable {
    // The text of strerror stays valid until the next call on this thread.
    Unreadable(name: name, reason: String(cString: strerror(errno)))
  }

  /// As the stock interpreter reads files: a byte order mark is skipped, and a first line that begins
  /// with # is for the shell; its line end stays, and with it the count of lines.
  private static func withoutFirstLineMarks(_ bytes: [UInt8]) -> [UInt8] {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard bytes.first == UInt8(ascii: "#") else { return bytes }
    return Array(bytes[(bytes.firstIndex(of: 10) ?? bytes.endIndex)...])
  }

  private static func folder(of path: [UInt8]) -> [UInt8] {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return Array(".".utf8) }
    return slash == 0 ? Array("/".utf8) : Array(path[..<slash])
  }
}
