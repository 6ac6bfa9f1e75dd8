import LullArguments
import LullClients
import LullCore
import LullHost
import LullSystem

extension Command {
  static let describe = Command(
    "describe", "describe commands and APIs in JSON", .describe,
    forms: [("describe [NAME]", "describe a command or an API for programs")],
    spec: { DescribeCommand.spec }, words: .subject
  ) { words, command throws(CommandEnd) in try DescribeCommand(words.dropFirst(), command).run() }

  static let skill = Command(
    "skill", "write a page about an API for coding assistants", .describe,
    forms: [("skill API", "write a page about an API for coding assistants")],
    spec: { SkillCommand.spec }, words: .apisAndFiles
  ) { words, command throws(CommandEnd) in try SkillCommand(words.dropFirst(), command).run() }
}

/// `lull describe`: describes Lull, one of its commands, an API or one of its calls, for programs
/// and for people.
struct DescribeCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull describe",
      description: """
        Describes Lull, a command, an API or a call, for programs with -o json.

        Without NAME: the commands, topics of help and exit codes. With a command: its
        arguments, options and examples. With an API: its calls, parameters,
        environments and the names of its secrets. A command has priority over an API of
        the same name; ./apis/NAME.lua always names the API.

        An API file runs in the sandbox, without secrets, the environment and the
        network. The guide Programs.md lists the members of the JSON.
        """,
      arguments: [
        .init(
          positional: "NAME", help: "A command, or an API by name or file.", isRequired: false),
        .init(positional: "CALL", help: "A call of the API.", isRequired: false),
        OptionTable.textOrJSON,
      ],
      examples: [
        "lull describe -o json",
        "lull describe get -o json",
        "lull describe shop create_order -o json",
      ])
  }

  private let name: String?
  private let call: String?
  private let isJSON: Bool

  /// - Parameter words: The arguments after `describe`.
  init(_ words: ArraySlice<String>, _ command: Command) throws(CommandEnd) {
    let parsed = try DescribeCommand.spec.read(words, for: command)
    name = parsed.text("NAME")
    call = parsed.text("CALL")
    isJSON = parsed.text("--output") == "json"
  }

  func run() -> Int32 {
    do throws(CommandFailure) {
      return Output.write(try bytes()) ? 0 : 1
    } catch {
      return error.tell()
    }
  }

  private func bytes() throws(CommandFailure) -> [UInt8] {
    guard let name else {
      return isJSON ? CommandDescription.overview : Array(CommandOverview.all.utf8)
    }
    if let command = Command.named(name) {
      if let call {
        let shown = ControlCharacters.shownInLine(call)
        throw CommandFailure(
          code: 2,
          message: "lull: '\(name)' is a command without calls such as '\(shown)': "
            + "lull describe \(name)\n")
      }
      return isJSON ? CommandDescription.document(of: command) : Array(command.manual.utf8)
    }
    let description = try APIDescription(of: name, missing: DescribeCommand.missing(name))
    let one = try call.map { name throws(CommandFailure) in try description.call(name) }
    if isJSON { return one.map { description.document(of: $0) } ?? description.document }
    let text = one.map { description.text(of: $0) } ?? description.text
    return Array(ControlCharacters.shown(in: text).utf8)
  }

  private static func missing(_ name: String) -> String {
    if APIFileLocator.isPath(name) || APIFileLocator.meansEnvironment(name) {
      return APIFileLocator.missing(name)
    }
    let names = Command.all.map(\.name) + APIFileLocator.listing().files.map(\.name)
    let near = NearestName.suggestion(for: name, among: names)
    return "there is no command or API '\(ControlCharacters.shownInLine(name))'"
      + (near.map { " (did you mean '\($0)'?)" }
        ?? ": lull describe lists the commands, lull apis the APIs")
  }
}

/// `lull skill API`: a page of Markdown about an API for coding assistants.
struct SkillCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull skill",
      description: """
        Writes a page of Markdown about an API, for coding assistants.

        The page says how to make each call, with parameters, an example, output, pages,
        exit codes, credentials and environments. The same API file always gives the
        same page, so you can commit it. The API file runs in the sandbox, as for lull
        export. Values of secrets and of the environment are never written. An existing
        file is only overwritten if Lull exported it.
        """,
      arguments: [
        .init(
          positional: "API", help: "An API by name or file; shop@prod for an environment.",
          isRequired: true),
        .init(
          names: ["-O", "--save"], placeholder: "FILE", demand: .fileName,
          help: "Write to this file, or - for stdout (default)."),
      ],
      examples: [
        "lull skill shop",
        "lull skill shop -O docs/skills/shop.md",
        "lull skill ./apis/shop.lua@staging > docs/shop.md",
      ])
  }

  private let word: String
  private let output: String?

  /// - Parameter words: The arguments after `skill`.
  init(_ words: ArraySlice<String>, _ command: Command) throws(CommandEnd) {
    let parsed = try SkillCommand.spec.read(words, for: command)
    word = parsed.text("API") ?? ""
    let output = parsed.text("--save")
    self.output = output == "-" ? nil : output
  }

  func run() -> Int32 {
    do throws(CommandFailure) {
      let file = output.map { ExportedFile($0) }
      try file?.check()
      let missing = APIFileLocator.missing(word)
      let page = SkillPage(try APIDescription(of: word, missing: missing)).text
      guard let file else { return Output.write(page) ? 0 : 1 }
      try file.write(Array(page.utf8))
      return 0
    } catch {
      return error.tell()
    }
  }
}
