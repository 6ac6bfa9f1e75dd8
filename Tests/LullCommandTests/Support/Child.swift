import LullLibC
import LullTestSupport

/// A program started as a person would start it, with its output read while it runs.
///
/// It never outlives its test: waiting for whatever still runs after `patience` seconds fails, and
/// when this object goes, it is killed.
final class Child {
  /// What stands at its standard input.
  enum Input {
    case nothing
    case text(String)
    /// Open until the child has ended.
    case held
  }

  /// How it ended, and what it wrote.
  struct Ending {
    /// The exit code; as in a shell 128 + n after signal n.
    let code: Int32
    /// The signal that killed it.
    let signal: Int32?
    let output: String
    let errors: String
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  // A watchdog, not an expectation: a loaded machine may take minutes for what is done in seconds.
  static let patience = 180.0

  /// POSIX_SPAWN_SETSID, which the C library has but Swift does not see.
  private static let newSession: Int32 = 0x80

  let process: pid_t
  private(set) var output: [UInt8] = []
  private(set) var errors: [UInt8] = []
  private var streams: Streams
  private let patience: Double
  private let deadline: Double
  private var hasBeenReaped = false

  /// - Parameters:
  ///   - environment: added to the environment of the tests, from which what changes Lull or Lua is
  ///     taken away.
  ///   - terminal: runs it in a session of its own with a terminal for all three streams, whose
  ///     keys are `type`.
  ///   - patience: seconds from now.
  init(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    folder: String? = nil, input: Input = .nothing, terminal: Bool = false,
    patience: Double = Child.patience
  ) throws {
    self.patience = patience
    deadline = Child.now + patience
    let words = (folder.map { ["env", "-C", $0] } ?? []) + [program] + arguments
    let variables = Child.variables(environment)
    // Its pipes, too: they must not stay open in another child.
    (process, streams) = try DescriptorLock.hold {
      var hasInput = true
      if case .nothing = input { hasInput = false }
      var streams = try terminal ? Streams.terminal() : Streams.pipes(hasInput: hasInput)
      // While the other end is ours too, so that a child that has ended is no trouble.
      if case .text(let text) = input { streams.write(text) }
      do {
        let process = try Child.spawn(words, variables, streams)
        streams.closeOthers()
        return (process, streams)
      } catch {
        streams.close()
        throw error
      }
    }
    if case .held = input {} else { closeInput() }
  }

  deinit {
    if !hasBeenReaped {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    streams.close()
  }

  // MARK: While it runs

  /// Waits until it has written this to its standard output (or terminal).
  func waitForOutput(_ text: String) throws {
    try waitForOutput(text, after: 0)
  }

  /// As above, behind that many bytes. Compared byte by byte: to Swift CR and LF are one character.
  func waitForOutput(_ text: String, after count: Int) throws {
    try waitForOutput(anyOf: [text], after: count)
  }

  func waitForOutput(anyOf texts: [String], after count: Int) throws {
    let wanted = texts.map { Array($0.utf8) }
    while !wanted.contains(where: { output.dropFirst(count).contains($0) }) {
      guard try read() else {
        let names = texts.map { "'\($0)'" }.joined(separator: " or ")
        throw failure("ended with \(try wait().code) without writing \(names)")
      }
    }
  }

  /// Waits until the last text that it has written is a prompt.
  func waitForPrompt() throws {
    while !endsWithPrompt {
      guard try read() else { throw failure("ended with \(try wait().code) without a prompt") }
    }
  }

  /// Colours and movements of the cursor behind the prompt are not text.
  private var endsWithPrompt: Bool {
    let end = String(decoding: output.suffix(200), as: UTF8.self)
    return end.replacing(#/\u{1B}\[[0-9;?]*[A-Za-z]|\r/#, with: "").hasSuffix("> ")
  }

  /// Waits for a fact outside of it, which cannot come any more once it has ended.
  func wait(until fact: String, _ condition: () -> Bool) throws {
    while !condition() {
      // It may have been the last thing it did.
      if hasEnded, !condition() {
        throw failure("ended with \(try wait().code) before \(fact)")
      }
      guard Child.now < deadline else { throw failure("still runs, but not: \(fact)") }
      usleep(1000)
    }
  }

  func send(_ signal: Int32) {
    kill(process, signal)
  }

  /// Presses keys at its terminal.
  func type(_ keys: String) {
    streams.write(keys)
  }

  /// The same, of what need not be UTF-8.
  func type(bytes: [UInt8]) {
    streams.write(bytes)
  }

  /// Gives its terminal another size.
  func resize(columns: Int, rows: Int) {
    streams.resize(columns: columns, rows: rows)
  }

  func closeInput() {
    Streams.close(&streams.input)
  }

  /// As somebody who has read enough, such as `head`.
  func closeOutput() {
    Streams.close(&streams.output)
  }

  var outputText: String { String(decoding: output, as: UTF8.self) }

  // MARK: Its end

  func wait() throws -> Ending {
    while try read() {}
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      guard Child.now < deadline else { throw failure("closed its output but does not end") }
      usleep(1000)
    }
    hasBeenReaped = true
    let signal = status & 0x7f
    return Ending(
      code: signal == 0 ? (status >> 8) & 0xff : 128 + signal, signal: signal == 0 ? nil : signal,
      output: outputText, errors: String(decoding: errors, as: UTF8.self))
  }

  // MARK: Parts

  /// Looks only: it stays to be reaped.
  var hasEnded: Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0
      || info.si_signo != 0
  }

  /// Reads what is there, or waits for something; false at the end of both streams.
  private func read() throws -> Bool {
    var ends = [streams.output, streams.errors].filter { $0 >= 0 }.map { (end: Int32) in
      pollfd(fd: end, events: Int16(POLLIN), revents: 0)
    }
    guard !ends.isEmpty else { return false }
    let left = deadline - Child.now
    guard left > 0 else { throw failure("still runs after \(Int(patience)) seconds") }
    guard poll(&ends, nfds_t(ends.count), Int32(left * 1000) + 1) > 0 else { return true }
    for end in ends where end.revents != 0 {
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = LullLibC.read(end.fd, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      let isOutput = end.fd == streams.output
      // A terminal whose last program has gone answers EIO.
      if count <= 0 {
        if isOutput { Streams.close(&streams.output) } else { Streams.close(&streams.errors) }
      } else if isOutput {
        output += buffer[..<count]
      } else {
        errors += buffer[..<count]
      }
    }
    return true
  }

  private func failure(_ what: String) -> Failure {
    Failure(
      description: """
        the program \(what)
        output: \(outputText.suffix(2000))
        errors: \(String(decoding: errors.suffix(2000), as: UTF8.self))
        """)
  }

  private static func spawn(
    _ words: [String], _ variables: [String], _ streams: Streams
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    streams.connect(&actions)
    // The signals of a test process are its own: a child starts with none blocked or ignored.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    if streams.terminalName != nil { flags |= newSession }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    let arguments = words.map { strdup($0) } + [nil]
    let environment = variables.map { strdup($0) } + [nil]
    defer { for copy in arguments + environment { free(copy) } }
    var process = pid_t()
    let status = posix_spawnp(
      &process, words[0], &actions, &attributes, arguments, environment)
    guard status == 0 else {
      throw Failure(description: "cannot start \(words[0]): \(String(cString: strerror(status)))")
    }
    return process
  }

  private static func variables(_ added: [String: String]) -> [String] {
    var variables: [String] = []
    var next = environ
    while let entry = next.pointee {
      variables.append(String(cString: entry))
      next += 1
    }
    // Neither the API files, nor the cache, nor the history of whoever runs the tests: folders that
    // nobody can make. A test that needs one names its own.
    let folders = ["CONFIG", "CACHE", "STATE"].map { ("XDG_\($0)_HOME", "/dev/null/none") }
    let added = added.merging(folders) { own, _ in own }
    let kept = variables.filter { variable in
      let name = variable.prefix { $0 != "=" }
      return added[String(name)] == nil && !Child.isForeign(name)
    }
    return kept + added.map { "\($0.key)=\($0.value)" }
  }

  /// What changes what Lull or Lua do, such as where tests run for somebody who reads them later.
  private static func isForeign(_ name: Substring) -> Bool {
    ["CI", "NO_COLOR", "NETRC", "CURL_CA_BUNDLE"].contains(name)
      || ["LULL_", "LUA_", "AWS_"].contains(where: name.hasPrefix)
      || name.lowercased().hasSuffix("_proxy")
  }

  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
