import LullCore
import LullHost
import LullTransport

/// How far a script is trusted, and what it may take: the options before its name.
struct RunOptions {
  private var isSandboxed = false
  private var allowsBytecode = false
  private(set) var limits = LuaHost.Limits()
  private var hosts = AllowedHosts()
  private var namesHosts = false

  /// Where requests may go; nil: anywhere.
  var allowedHosts: AllowedHosts? { isSandboxed || namesHosts ? hosts : nil }

  /// - Parameter folder: that of the script.
  func trust(folder: [UInt8]?) -> ScriptTrust {
    isSandboxed ? .sandbox(folder: folder) : .full(allowsBytecode: allowsBytecode)
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

  /// Takes the option at the beginning of `words`, and its value if it has one; false, and nothing
  /// taken, if there is none of these.
  mutating func take(
    from words: inout ArraySlice<String>, page: CommandPage
  ) throws(CommandEnd) -> Bool {
    guard let word = words.first else { return false }
    switch word {
    case "--sandbox":
      isSandboxed = true
      words.removeFirst()
      return true
    case "--allow-bytecode":
      allowsBytecode = true
      words.removeFirst()
      return true
    default: break
    }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard let apply = RunOptions.valued[name] else { return false }
    words.removeFirst()
    let value: String
    if parts.count > 1 {
      value = String(parts[1])
    } else {
      guard let next = words.popFirst() else {
        throw .wrongUsage("\(name) needs a value", page)
      }
      value = next
    }
    guard apply.set(&self, value) else {
      throw .wrongUsage("\(name) needs \(apply.need), got '\(value)'", page)
    }
    return true
  }

  /// What cannot be meant together.
  func check(page: CommandPage) throws(CommandEnd) {
    guard isSandboxed && allowsBytecode else { return }
    throw .wrongUsage("--allow-bytecode would open the sandbox: give one of the two", page)
  }

  static func unknown(_ word: String, page: CommandPage) -> CommandEnd {
    let name = String(word.prefix { $0 != "=" })
    let near = NearestName.suggestion(for: name, among: arguments.flatMap(\.names) + ["--help"])
    return .wrongUsage(
      "unknown option '\(name)'" + (near.map { " (did you mean '\($0)'?)" } ?? ""), page)
  }

  /// As the page of help shows them.
  static var arguments: [ArgumentSpec.Argument] {
    [
      .init(
        "--sandbox", kind: .flag,
        help:
          "give the script Lull, string, table, math, utf8, coroutine, print and modules beside "
          + "it, and no more"),
      .init(
        "--allow-host", placeholder: "HOST",
        help: "a host it may reach, by redirects too: example.com, *.example.com, localhost:8080; "
          + "without any, every host, and in the sandbox none",
        isRepeated: true),
      .init("--max-time", placeholder: "SECONDS", help: "end it after that many seconds"),
      .init(
        "--max-instructions", placeholder: "COUNT",
        help: "end it after that many instructions; counting makes it two to three times slower"),
      .init(
        "--max-memory", placeholder: "SIZE",
        help:
          "end it when Lua's memory and all that Lull keeps for it grow beyond that, such as 64M"),
      .init("--allow-bytecode", kind: .flag, help: "let it load precompiled chunks"),
    ]
  }

  /// The same where a session is asked for.
  static var sessionArguments: [ArgumentSpec.Argument] {
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

  private typealias Valued = (need: String, set: @Sendable (inout RunOptions, String) -> Bool)

  private static let valued: [String: Valued] = [
    "--allow-host": (
      "a host such as example.com, *.example.com or localhost:8080",
      { options, value in
        options.namesHosts = true
        return options.hosts.allow(value)
      }
    ),
    "--max-time": (
      "a number of seconds above 0",
      { options, value in
        guard let seconds = Double(value), seconds > 0, seconds.isFinite else { return false }
        options.limits.time = seconds
        return true
      }
    ),
    "--max-instructions": (
      "a whole number above 0",
      { options, value in
        guard let count = Int64(value), count > 0 else { return false }
        options.limits.instructions = count
        return true
      }
    ),
    "--max-memory": (
      "a size such as 64M, at least 1M",
      { options, value in
        guard let size = RunOptions.size(value), size >= 1 << 20 else { return false }
        options.limits.memory = size
        return true
      }
    ),
  ]

  /// `1000`, `64K`, `64M`, `2G`; nil for anything else.
  private static func size(_ text: String) -> Int64? {
    let shifts: [Character: Int64] = ["k": 10, "m": 20, "g": 30]
    let shift = text.last.flatMap { shifts[Character($0.lowercased())] }
    guard let number = Int64(shift == nil ? text[...] : text.dropLast()), number > 0 else {
      return nil
    }
    let (size, overflows) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
    return overflows ? nil : size
  }
}
