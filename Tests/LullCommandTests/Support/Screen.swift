import LullLibC

/// What somebody sees who sits at a session: a real terminal's screen, by tmux.
final class Screen {
  private let state: TemporaryFolder
  private var socket: String { state.path + "/tmux" }

  /// A session at its first prompt.
  init(
    _ arguments: [String] = [], state: TemporaryFolder? = nil, columns: Int = 80, rows: Int = 24,
    folder: String? = nil, environment: [String: String] = [:], until prompt: String = ">"
  ) throws {
    self.state = try state ?? TemporaryFolder()
    // It takes the environment of whoever starts its server.
    var variables = [
      "XDG_STATE_HOME": self.state.path, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8",
      "TMUX": "", "SHELL": "/bin/sh", "NO_COLOR": "",
    ]
    variables.merge(environment) { $1 }
    let ending = try Child(
      "tmux",
      [
        "-u", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", String(columns),
        "-y", String(rows), "exec '\(Binaries.lull)' repl \(arguments.joined(separator: " "))",
      ], environment: variables, folder: folder
    ).wait()
    guard ending.code == 0 else { throw Child.Failure(description: "tmux: " + ending.errors) }
    try wait(end: prompt)
  }

  deinit { _ = try? tmux("kill-server") }

  /// What is on it, without empty lines below; with escape sequences for colours if these are asked for.
  ///
  /// - Parameter joined: a line that takes several rows as one.
  func text(colours: Bool = false, joined: Bool = true) throws -> String {
    let ending = try tmux("capture-pane", "-p\(colours ? "e" : "")\(joined ? "J" : "")")
    var text = ending.output
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }

  /// Types a text, with Enter for the ends of its lines.
  func type(_ text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if index > 0 { try press("Enter") }
      if !line.isEmpty { _ = try tmux("send-keys", "-l", "--", String(line)) }
    }
  }

  /// Presses keys, by tmux's names of them.
  func press(_ keys: String...) throws {
    _ = try Child("tmux", ["-u", "-S", socket, "send-keys"] + keys).wait()
  }

  func resize(columns: Int, rows: Int) throws {
    _ = try tmux("resize-window", "-x", String(columns), "-y", String(rows))
  }

  /// Where the cursor is: column and row, from 0.
  func cursor() throws -> (column: Int, row: Int) {
    let numbers = try tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").output
      .split { $0.isWhitespace }.compactMap { Int($0) }
    guard numbers.count == 2 else { throw Child.Failure(description: "no cursor") }
    return (numbers[0], numbers[1])
  }

  @discardableResult
  func wait(for part: String, colours: Bool = false) throws -> String {
    try wait(until: "it shows '\(part)'", colours: colours) { $0.contains(part) }
  }

  /// Waits until it ends with this, but for empty lines below.
  @discardableResult
  func wait(end part: String) throws -> String {
    try wait(until: "it ends with '\(part)'") { $0.hasSuffix(part) }
  }

  @discardableResult
  func wait(until fact: String, colours: Bool = false, _ condition: (String) -> Bool) throws
    -> String
  {
    let deadline = Child.now + 60
    while true {
      let text = try text(colours: colours)
      if condition(text) { return text }
      guard Child.now < deadline else {
        throw Child.Failure(description: "not so: \(fact)\n\(text)")
      }
      usleep(20_000)
    }
  }

  private func tmux(_ words: String...) throws -> Child.Ending {
    try Child("tmux", ["-u", "-S", socket] + words).wait()
  }
}
