import LullArguments
import LullClients
import LullCore
import LullHost
import LullTransport

/// How far a script is trusted, and what it may take: the options before its name.
struct RunOptions {
  private var isSandboxed = false
  private var allowsBytecode = false
  private var limits = ScriptLimits()
  private var hosts = AllowedHosts()
  private var namesHosts = false
  /// Whether writes go out that environments hold back.
  private var isConfirmed = false

  /// What runs a script of that folder, or a session; nil, which has been told, if there is no room for it.
  func makeProgram(folder: [UInt8]?) -> ScriptProgram? {
    let program = ScriptProgram.ofProcess(
      trust: isSandboxed ? .sandbox(folder: folder) : .full(allowsBytecode: allowsBytecode),
      limits: limits, allowedHosts: isSandboxed || namesHosts ? hosts : nil)
    if isConfirmed { program?.host.part(APIFiles.self).confirmsWrites = true }
    return program
  }

  /// What is said of a precompiled chunk that a session is to run.
  var refusal: String {
    if isSandboxed {
      return "attempt to load a precompiled chunk, which is not available in the sandbox"
    }
    guard allowsBytecode else {
      return "attempt to load a precompiled chunk (only --allow-bytecode permits it)"
    }
    return "attempt to load a precompiled chunk, which a session cannot run: lull run does"
  }

  /// Takes the options at the beginning of `words`.
  mutating func take(
    from words: inout ArraySlice<String>, for command: Command
  ) throws(CommandEnd) {
    guard words.first?.hasPrefix("-") == true else { return }
    let parsed = try RunOptions.spec.takeLeading(from: &words, for: command)
    if parsed.has("--sandbox") { isSandboxed = true }
    if parsed.has("--allow-bytecode") { allowsBytecode = true }
    if parsed.has("--yes") { isConfirmed = true }
    for host in parsed.all("--allow-host") {
      namesHosts = true
      _ = hosts.allow(host)
    }
    if let text = parsed.text("--max-time") { limits.time = RunOptions.seconds(text) }
    if let text = parsed.text("--max-instructions") { limits.instructions = RunOptions.count(text) }
    if let text = parsed.text("--max-memory") { limits.memory = RunOptions.size(text) }
  }

  /// What cannot be meant together.
  func check(for command: Command) throws(CommandEnd) {
    guard isSandboxed && allowsBytecode else { return }
    throw .wrongUsage("--allow-bytecode would open the sandbox: give one of the two", command)
  }

  static func unknown(_ word: String, for command: Command) -> CommandEnd {
    let name = String(word.prefix { $0 != "=" })
    let known = arguments.flatMap(\.names) + ["--help", "--version"]
    let near = name == "-V" ? "--version" : NearestName.suggestion(for: name, among: known)
    return .wrongUsage(
      "unknown option '\(name)'" + (near.map { " (did you mean '\($0)'?)" } ?? ""), command)
  }

  /// As the page of help shows them.
  static var arguments: [Argument] {
    [
      .init(
        "--sandbox", kind: .flag,
        help:
          "give the script Lull, string, table, math, utf8, coroutine, print and modules beside "
          + "it, and no more"),
      .init(
        "--allow-host", placeholder: "HOST",
        demand: .init("a host such as example.com, *.example.com or localhost:8080", isHost),
        help: "a host it may reach, by redirects too: example.com, *.example.com, localhost:8080, "
          + "unix:/run/x.sock; without any, every host, and in the sandbox none",
        isRepeated: true),
      .init(
        "--max-time", placeholder: "SECONDS",
        demand: .init("a number of seconds above 0") { seconds($0) != nil },
        help: "end it after that many seconds", isReplaceable: true),
      .init(
        "--max-instructions", placeholder: "COUNT",
        demand: .init("a whole number above 0") { count($0) != nil },
        help: "end it after that many instructions; counting makes it two to three times slower",
        isReplaceable: true),
      .init(
        "--max-memory", placeholder: "SIZE",
        demand: .init("a size such as 64M, at least 1M") { size($0) != nil },
        help:
          "end it when Lua's memory and all that Lull keeps for it grow beyond that, such as 64M",
        isReplaceable: true),
      .init("--allow-bytecode", kind: .flag, help: "let it load precompiled chunks"),
      .init(
        "--yes", kind: .flag,
        help: "send what environments of API files with confirm_writes hold back"),
    ]
  }

  /// The same where a session is asked for.
  static var sessionArguments: [Argument] {
    arguments.map { argument in
      var argument = argument
      switch argument.names.first {
      case "--sandbox":
        argument.help =
          "give lines and FILES Lull, string, table, math, utf8, coroutine, print and modules "
          + "beside the first of FILES, and no more"
      case "--max-time": argument.help = "end a line after that many seconds"
      case "--max-instructions":
        argument.help =
          "end a line after that many instructions; counting makes it two to three times slower"
      case "--max-memory":
        argument.help = "end the session when it needs more memory, such as 64M"
      case "--allow-bytecode":
        argument.help = "let lines load precompiled chunks; FILES are source in any case"
      default: break
      }
      return argument
    }
  }

  private static var spec: ArgumentSpec {
    ArgumentSpec(name: "lull", description: "", arguments: arguments)
  }

  // MARK: What texts say

  private static func isHost(_ text: String) -> Bool {
    var hosts = AllowedHosts()
    return hosts.allow(text)
  }

  private static func seconds(_ text: String) -> Double? {
    Double(text).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
  }

  private static func count(_ text: String) -> Int64? {
    Int64(text).flatMap { $0 > 0 ? $0 : nil }
  }

  /// `1000K`, `64M`, `2G`, of at least a megabyte; nil for anything else.
  private static func size(_ text: String) -> Int64? {
    let shifts: [Character: Int64] = ["k": 10, "m": 20, "g": 30]
    let shift = text.last.flatMap { shifts[Character($0.lowercased())] }
    guard let number = Int64(shift == nil ? text[...] : text.dropLast()), number > 0 else {
      return nil
    }
    let (size, overflows) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
    return overflows || size < 1 << 20 ? nil : size
  }
}
