import LullArguments
import Testing

@Suite(.timeLimit(.minutes(20)))
struct ArgumentHelpTests {
  @Test func `help has the usage, what each argument is, and what may be said in its place`() {
    var spec = ArgumentSpec(
      name: "tool", description: "Does what it is told.",
      arguments: [
        .init(positional: "source", help: "where from", isRequired: true),
        .init(positional: "files", help: "what else", isRequired: false, isRepeated: true),
        .init(names: ["-n", "--limit"], kind: .integer, help: "at most so many", standard: "20"),
        .init(names: ["--format"], choices: ["table", "json"], help: "how to print it"),
        .init(names: ["--archived"], kind: .boolean, help: "old ones too"),
        .init(names: ["--token"], placeholder: "T", help: "who you are", isRequired: true),
        .init(names: ["--tag"], help: nil, isRepeated: true),
        .init(names: ["--quite-a-long-name-for-an-option"], placeholder: "X", help: "below it"),
      ], notes: "That is all.")
    spec.version = "1.2"
    #expect(
      ArgumentHelp.text(of: spec) == """
        Usage: tool --token T [OPTIONS] source [files...]

        Does what it is told.

        Arguments:
          source                        where from
          files                         what else

        Options:
          -n, --limit N                 at most so many (default 20)
              --format FORMAT           how to print it (table or json)
              --[no-]archived           old ones too
              --token T                 who you are (required)
              --tag TAG                 (may be repeated)
              --quite-a-long-name-for-an-option X
                                        below it
          -h, --help                    Show this help.
              --version                 Show the version.

        That is all.

        """)
  }

  @Test func `a flag that is on by default shows how it is taken back`() {
    var color = Argument(names: ["--color"], kind: .flag, help: "use colours")
    color.isOn = true
    let text = ArgumentHelp.text(
      of: ArgumentSpec(name: "tool", description: "", arguments: [color]))
    #expect(text.contains("--[no-]color  use colours"))
  }
}
