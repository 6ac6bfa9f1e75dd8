import LullArguments

extension Command {
  static let help = Command(
    "help", "tell about a command, or about filters", .more,
    forms: [
      ("help COMMAND", "tell more about one command, with examples"),
      ("help filters", "tell about expressions of -f, and their functions"),
    ],
    spec: {
      ArgumentSpec(
        name: "lull help",
        description: "Tells about a command, about filters (-f), or of what commands there are.",
        arguments: [
          .init(positional: "COMMAND", help: "which one, or filters", isRequired: false)
        ])
    }, words: .commands, takesBytes: true
  ) { words, _ throws(CommandEnd) in
    if words.dropFirst().first == "filters" { return Output.write(FilterHelp.text) ? 0 : 1 }
    throw try about(words.dropFirst())
  }

  private static func about(_ words: ArraySlice<String>) throws(CommandEnd) -> CommandEnd {
    guard let word = words.first, word != "--help", word != "-h" else { return .help(nil) }
    guard let command = Command.named(word) else {
      let near = NearestName.suggestion(for: word, among: Command.all.map(\.name))
      throw .wrongUsage(
        "there is no command '\(word)'" + (near.map { " (did you mean '\($0)'?)" } ?? ""), nil)
    }
    return .help(command)
  }
}
