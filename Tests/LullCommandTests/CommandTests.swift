import LullArguments
import Testing

@testable import lull

@Suite("The list of commands", .timeLimit(.minutes(20)))
struct CommandTests {
  private static let names = Command.all.map(\.name)

  @Test func `names each once`() {
    #expect(Set(Self.names).count == Command.all.count)
    for command in Command.all {
      #expect(Command.named(command.name)?.summary == command.summary)
    }
  }

  @Test(arguments: names) func `knows what each one takes`(name: String) throws {
    let command = try #require(Command.named(name))
    #expect(command.spec.problem == nil)
    #expect(command.spec.name.hasPrefix("lull \(name)"))
    #expect(!command.summary.isEmpty)
  }

  /// Rule 5 of how Lull is written.
  @Test(arguments: names) func `has one line of help for each option`(name: String) throws {
    for option in try #require(Command.named(name)).spec.options {
      let help = try #require(option.help, "\(option.names)")
      #expect(help.count <= 80 && !help.contains("\n") && help.hasSuffix("."), "\(help)")
      #expect(help.first?.isUppercase == true, "\(help)")
      #expect(option.details.map { $0.hasSuffix(".") && !$0.contains("\n") } ?? true)
    }
  }

  /// But for those that list the words that their value may be.
  @Test func `shows each option of a request on a line of its own`() {
    let options = Command.get.spec.options
    let lines = Command.get.manual.split(separator: "\n").map(String.init)
    for option in options where option.choices.isEmpty {
      let help = option.help?.dropLast() ?? ""
      let line = lines.first { $0.contains("\(option.shown.dropFirst(2))") && $0.contains(help) }
      #expect(line.map { $0.count <= 80 } == true, "\(option.names)")
    }
  }

  /// In `lull help all`: by what is typed, or among others on one line.
  @Test(arguments: names) func `is in the overview`(name: String) throws {
    let words = try lull("help", "all").output.split(separator: "\n")
      .filter { $0.hasPrefix("  lull ") }
      .compactMap { $0.dropFirst(7).split(separator: "  ").first }
      .flatMap { $0.split(whereSeparator: { " ,".contains($0) }) }
    #expect(words.contains { $0 == name })
  }

  /// Its page is its own: the command was reached, and no script of that name was looked for.
  @Test(arguments: names) func `is reached`(name: String) throws {
    let help = try lull("help", name)
    #expect(help.output.hasPrefix("Usage: lull \(name)"))
    #expect(help.code == 0)
    let asked = try lull(name, "--help")
    #expect(asked.errors == "")
    #expect(asked.code == 0)
    #expect(asked.output.hasPrefix("Usage: lull"))
  }

  @Test(arguments: names) func `is offered by completion`(name: String) throws {
    let typed = String(name.dropLast())
    for words in [["--complete", typed], ["--complete", "help", typed]] {
      let offered = try Child(Binaries.lull, words).wait().output.split(separator: "\n")
      let known = offered.map { $0.prefix { $0 != "\t" } }
      #expect(known.contains { $0 == name }, "\(words)")
    }
  }

  /// Which words behind it completion knows of.
  @Test(arguments: names) func `completes what follows`(name: String) throws {
    let command = try #require(Command.named(name))
    let output = try Child(Binaries.lull, ["--complete", name, ""]).wait().output
    let offered = output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    switch command.words {
    case .of(let words), .kindsAndFiles(let words): #expect(offered == words)
    case .commands: #expect(offered == Self.names + HelpPageTests.topics + ["all", "annotations"])
    case .options: #expect(offered.contains("--output"))
    case .files, .optionsAndFiles, .target, .call, .apisAndFiles, .subject:
      #expect(offered.last == "//files")
    }
  }
  @Test func `help annotations prints a Lua file that declares the module`() throws {
    let ending = try lull("help", "annotations")
    #expect(ending.output.hasPrefix("---@meta lull\n"))
    #expect(ending.output.contains("\nfunction lull.service("))
    #expect(ending.output.hasSuffix("\nreturn lull\n"))
    #expect(ending.errors == "")
    #expect(ending.code == 0)
  }
}
