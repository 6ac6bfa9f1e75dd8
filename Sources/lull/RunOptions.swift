import LullArguments
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

/// The options before a script's name: its permissions and resource limits.
struct RunOptions {
  private var isSandboxed = false
  private var allowsBytecode = false
  private var limits = ScriptLimits()
  private var hosts = AllowedHosts()
  private var namesHosts = false
  /// Whether writes that need a confirmation in an environment are sent without asking.
  private var isConfirmed = false

  /// Creates the program that runs a script, or a session. Reports an error and returns `nil` if
  /// there are not enough resources.
  ///
  /// - Parameter folder: The folder of the script.
  func makeProgram(folder: [UInt8]?) -> ScriptProgram? {
    let program = ScriptProgram.ofProcess(
      trust: isSandboxed ? .sandbox(folder: folder) : .full(allowsBytecode: allowsBytecode),
      limits: limits, allowedHosts: isSandboxed || namesHosts ? hosts : nil)
    if isConfirmed { program?.host.part(APIFiles.self).confirmsWrites = true }
    return program
  }

  /// The error message for a precompiled chunk in a session.
  var refusal: String {
    if isSandboxed {
      return "attempt to load a precompiled chunk, which is not available in the sandbox"
    }
    guard allowsBytecode else {
      return "attempt to load a precompiled chunk (only --allow-bytecode permits it)"
    }
    return "attempt to load a precompiled chunk, which a session cannot run: use lull run"
  }

  /// Parses the options at the beginning of `words` and removes them.
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
    if let text = parsed.text("--max-time") { limits.time = Double(text) }
    if let text = parsed.text("--max-instructions") { limits.instructions = Int64(text) }
    if let text = parsed.text("--max-memory") { limits.memory = RunOptions.size(text) }
  }

  /// Rejects options that can't be combined.
  func check(for command: Command) throws(CommandEnd) {
    guard isSandboxed && allowsBytecode else { return }
    throw .wrongUsage(
      "--allow-bytecode cannot be combined with --sandbox: precompiled code could leave the sandbox",
      command)
  }

  static func unknown(_ word: String, for command: Command) -> CommandEnd {
    let name = String(word.prefix { $0 != "=" })
    let known = arguments.flatMap(\.names) + ["--help", "--version"]
    let near = name == "-V" ? "--version" : NearestName.suggestion(for: name, among: known)
    return .wrongUsage(
      "unknown option '\(name)'" + (near.map { " (did you mean '\($0)'?)" } ?? ""), command)
  }

  /// The options of scripts and sessions.
  static let arguments: [Argument] = [
    .init(
      "--sandbox", kind: .flag, help: "Run in the sandbox.",
      details: """
        Scripts have Lull, string, table, math, utf8, coroutine, print, and the modules in the folder of the \
        script or, in a session, of its first file.
        """),
    .init(
      "--allow-host", placeholder: "HOST",
      demand: .init("a host such as example.com, *.example.com or localhost:8080", isHost),
      help: "Allow requests to this host.",
      details: """
        The check also applies to redirects. Hosts are written example.com, *.example.com, localhost:8080 or unix:/run/x.sock. \
        By default every host is allowed; in the sandbox, none.
        """, isRepeated: true),
    .init(
      "--max-time", placeholder: "SECONDS", demand: .positiveSeconds,
      help: "Limit the time of a script or a line.", isReplaceable: true),
    .init(
      "--max-instructions", placeholder: "COUNT", demand: .positiveWholeNumber,
      help: "Limit the instructions of a script or a line.",
      details: "Counting makes Lua two to three times slower.", isReplaceable: true),
    .init(
      "--max-memory", placeholder: "SIZE",
      demand: .init("a size such as 64M, at least 1M") { size($0) != nil },
      help: "Limit the memory, for example 64M.",
      details: "The limit includes the memory that Lull uses for the script.", isReplaceable: true),
    .init(
      "--allow-bytecode", kind: .flag, help: "Allow precompiled chunks.",
      details: "Files of a session are always source."),
    .init(
      "--yes", kind: .flag, help: "Send writes without asking for confirmation.",
      details: "An environment of an API file with confirm_writes asks for confirmation."),
  ]

  private static var spec: ArgumentSpec {
    ArgumentSpec(name: "lull", description: "", arguments: arguments)
  }

  // MARK: Parsing values

  private static func isHost(_ text: String) -> Bool {
    var hosts = AllowedHosts()
    return hosts.allow(text)
  }

  /// Parses a size of at least 1 MB, such as `1000K`, `64M` or `2G`. Returns `nil` for any other
  /// text.
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

extension ScriptProgram {
  /// Creates a program that owns this process. Reports an error and returns `nil` if there are not
  /// enough resources.
  ///
  /// - Parameter allowedHosts: The hosts that requests may be sent to. `nil`: any.
  static func ofProcess(
    trust: ScriptTrust = .full(allowsBytecode: false), limits: ScriptLimits = .init(),
    allowedHosts: AllowedHosts? = nil, startsLua: Bool = true
  ) -> ScriptProgram? {
    if let environment = try? LoopEnvironment(ownsProcess: true, allowedHosts: allowedHosts),
      let program = ScriptProgram(
        environment: environment, library: .withClients, trust: trust, limits: limits,
        startsLua: startsLua)
    {
      return program
    }
    ErrorLines.fail(
      "lull: cannot start: not enough memory or descriptors\n", FailureFacts("failed"))
    return nil
  }
}
