import LullHost
import LullTransport

/// How far a script is trusted, and what it may take: the options before its name.
struct RunOptions {
  private var isSandboxed = false
  private var allowsBytecode = false
  private(set) var limits = LuaHost.Limits()
  private var hosts = AllowedHosts()
  private var namesHosts = false

  struct WrongUsage: Error {
    let message: String
  }

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
  mutating func take(from words: inout ArraySlice<String>) throws(WrongUsage) -> Bool {
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
        throw WrongUsage(message: "\(name) needs a value")
      }
      value = next
    }
    guard apply.set(&self, value) else {
      throw WrongUsage(message: "\(name) needs \(apply.need), got '\(value)'")
    }
    return true
  }

  /// What cannot be meant together.
  func check() throws(WrongUsage) {
    guard isSandboxed && allowsBytecode else { return }
    throw WrongUsage(message: "--allow-bytecode would open the sandbox: give one of the two")
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
