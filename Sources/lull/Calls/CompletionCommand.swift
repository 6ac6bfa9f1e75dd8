import LullArguments
import LullHost

extension Command {
  static let completion = Command(
    "completion", "print what makes a shell complete words", .more,
    forms: [("completion SHELL", "print what makes bash, zsh or fish complete words")],
    spec: { CompletionCommand.spec }, words: .of(CompletionScript.allCases.map(\.rawValue))
  ) { words, _ throws(CommandEnd) in try CompletionCommand(words.dropFirst()).run() }
}

/// `lull completion bash|zsh|fish`: prints the script for a shell.
struct CompletionCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull completion",
      description: """
        Prints what makes a shell complete commands, options, APIs, their calls and parameters. To know
        those, files of APIs are looked at as by lull check: in the sandbox, unless lull trust trusts them.
        """,
      arguments: [
        .init(
          positional: "SHELL", help: "bash, zsh or fish", isRequired: true)
      ],
      notes: """
        Examples:
          echo 'source <(lull completion bash)' >>~/.bashrc
          lull completion zsh >"${fpath[1]}/_lull"
          lull completion fish >~/.config/fish/completions/lull.fish

        """)
  }

  private let script: CompletionScript

  /// - Parameter words: what follows `completion`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let word = try CompletionCommand.spec.read(words, for: .completion).text("SHELL")
    guard let script = CompletionScript(rawValue: word ?? "") else {
      throw .wrongUsage(
        "there is no completion for '\(word ?? "")': bash, zsh or fish", .completion)
    }
    self.script = script
  }

  func run() -> Int32 { Output.write(script.text) ? 0 : 1 }
}
