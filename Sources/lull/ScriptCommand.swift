import Glibc
import LullCore
import LullHost

/// A command line that runs a script: `run FILE`, `FILE`, `-e CODE`, `-`, each with arguments.
struct ScriptCommand {
  private enum Source {
    case file(String)
    case code(String)
    case standardInput
  }

  private let source: Source
  private let arguments: [String]

  /// nil if the words ask for something else, or for help.
  init?(_ words: [String]) {
    var rest = words[...]
    let saysRun = rest.first == "run"
    if saysRun { rest = rest.dropFirst() }
    guard let word = rest.first else { return nil }
    rest = rest.dropFirst()
    switch word {
    case "-e":
      guard let code = rest.first else { return nil }
      source = .code(code)
      rest = rest.dropFirst()
    case "-": source = .standardInput
    case "--":
      guard let file = rest.first else { return nil }
      source = .file(file)
      rest = rest.dropFirst()
    case "demo" where !saysRun, "help" where !saysRun: return nil
    default:
      guard !word.hasPrefix("-") else { return nil }
      source = .file(word)
    }
    arguments = Array(rest)
  }

  func run() -> Int32 {
    let script: ScriptProgram.Script
    do throws(Unreadable) {
      switch source {
      case .code(let code):
        script = .init(name: "(command line)", source: Array(code.utf8), folder: nil)
      case .standardInput:
        let bytes = try ScriptCommand.read(0, name: "-")
        script = .init(
          name: "stdin", source: ScriptCommand.withoutShebang(bytes), folder: nil)
      case .file(let path):
        script = .init(
          name: path, source: ScriptCommand.withoutShebang(try ScriptCommand.read(path)),
          folder: ScriptCommand.folder(of: path))
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
    let words = CommandLine.arguments
    let before = words.count - arguments.count - 1
    var isCode = false
    if case .code = source { isCode = true }
    return program.run(
      script, words: words, first: -before, arguments: arguments,
      setsGlobal: isCode)
  }

  private struct Unreadable: Error {
    let name: String
    let reason: String
  }

  private static func read(_ path: String) throws(Unreadable) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { close(descriptor) }
    return try read(descriptor, name: path)
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

  /// A first line that begins with # is for the shell; its line end stays, and with it the count.
  private static func withoutShebang(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.first == UInt8(ascii: "#") else { return bytes }
    return Array(bytes[(bytes.firstIndex(of: 10) ?? bytes.endIndex)...])
  }

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    let folder = path[..<slash]
    return folder.isEmpty ? "/" : String(folder)
  }
}
