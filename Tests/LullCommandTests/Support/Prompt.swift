import LullLibC

/// A session at a terminal, as somebody types at it.
extension Child {
  static let controlC = "\u{3}"
  static let controlD = "\u{4}"
  static let controlZ = "\u{1A}"
  static let up = "\u{1B}[A"

  /// As a terminal sends a text that is pasted.
  static func pasted(_ text: String) -> String { "\u{1B}[200~\(text)\u{1B}[201~" }

  /// A session with a history of its own, at its first prompt.
  static func prompt(
    _ arguments: [String] = ["repl"], state: TemporaryFolder? = nil,
    environment: [String: String] = [:]
  ) throws -> Child {
    let state = try state ?? TemporaryFolder()
    var variables = ["XDG_STATE_HOME": state.path, "TERM": "xterm", "NO_COLOR": "1"]
    variables.merge(environment) { $1 }
    let child = try Child(Binaries.lull, arguments, environment: variables, terminal: true)
    try child.waitForOutput("> ")
    return child
  }

  /// Types lines and waits for the text after each.
  func type(_ steps: (keys: String, until: String)...) throws {
    for step in steps {
      let before = output.count
      type(step.keys)
      try waitForOutput(step.until, after: before)
    }
  }

  /// Leaves with Ctrl-D at the next prompt; the exit code.
  ///
  /// Before the prompt the terminal takes Ctrl-D for the end of input of a line that nobody reads.
  func leave() throws -> Int32 {
    try waitForPrompt()
    type(Child.controlD)
    return try wait().code
  }
}
