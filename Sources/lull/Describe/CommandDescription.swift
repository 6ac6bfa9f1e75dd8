import LullArguments
import LullCore

/// The documents about commands that `lull describe -o json` writes. They are built from the same
/// tables as the help.
///
/// The members are listed in the guide Programs.md. Behaviours: DSC-01 to DSC-05.
enum CommandDescription {
  /// The version of the format. It changes if a member is removed or changes its meaning, not if a
  /// member is added.
  static let format = 1

  /// Returns a document with the members that all documents have, followed by the members that
  /// `members` writes.
  static func document(
    _ kind: String, _ members: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var writer = JSONWriter(pretty: true)
    writer.writeObject { writer in
      writer.write(key: "version", format)
      writer.write(key: "lull", LullCore.Lull.version)
      writer.write(key: "kind", kind)
      members(&writer)
    }
    return writer.output + [UInt8(ascii: "\n")]
  }

  /// The document that lists the commands, the help topics and the exit codes.
  static var overview: [UInt8] {
    document("overview") { writer in
      writer.writeList(key: "commands") { writer in
        for command in Command.all { writer.writeObject { writeName(of: command, &$0) } }
      }
      writer.writeList(key: "topics") { writer in
        for topic in HelpTopic.allCases {
          writer.writeObject { writer in
            writer.write(key: "name", topic.rawValue)
            writer.write(key: "summary", topic.summary)
          }
        }
      }
      write(Exit.codes, &writer)
    }
  }

  /// The document about one command, with its arguments and options.
  static func document(of command: Command) -> [UInt8] {
    let spec = command.spec
    return document("command") { writer in
      writeName(of: command, &writer)
      writer.write(key: "usage", ArgumentHelp.usage(of: spec))
      writer.write(key: "description", spec.description ?? "")
      writer.writeList(key: "forms") { writer in
        for form in command.forms {
          writer.writeObject { writer in
            writer.write(key: "usage", "lull \(form.usage)")
            writer.write(key: "summary", form.text)
          }
        }
      }
      writer.writeList(key: "arguments") { writer in
        for argument in spec.positionals { write(argument, &writer) }
      }
      writer.writeList(key: "options") { writer in
        for option in spec.options { write(option, &writer) }
      }
      writer.write(key: "examples", spec.examples)
      write(exitCodes(of: spec), &writer)
    }
  }

  /// The exit codes of a command. If the command declares none, the codes that all commands have.
  /// The codes for wrong usage and signals are always included.
  private static func exitCodes(of spec: ArgumentSpec) -> [ExitCode] {
    guard !spec.exitCodes.isEmpty else { return Exit.codes }
    let own = Set(spec.exitCodes.map(\.code))
    let general = Exit.codes.filter { [2, 130, 143].contains($0.code) && !own.contains($0.code) }
    return (spec.exitCodes + general).sorted { $0.code < $1.code }
  }

  static func write(_ codes: [ExitCode], _ writer: inout JSONWriter) {
    writer.writeList(key: "exit_codes") { writer in
      for code in codes {
        writer.writeObject { writer in
          writer.write(key: "code", Int(code.code))
          writer.write(key: "meaning", code.meaning)
        }
      }
    }
  }

  private static func writeName(of command: Command, _ writer: inout JSONWriter) {
    writer.write(key: "name", command.name)
    writer.write(key: "summary", command.summary)
    writer.write(key: "group", command.group.rawValue)
  }

  // MARK: Options

  private static func write(_ argument: Argument, _ writer: inout JSONWriter) {
    writer.writeObject { writer in
      if argument.isPositional {
        writer.write(key: "name", argument.shown)
      } else {
        writer.write(key: "names", argument.names)
      }
      if let negation = argument.negation { writer.write(key: "negation", negation) }
      writer.write(key: "type", argument.kind.rawValue)
      if argument.takesValue, !argument.isPositional {
        writer.write(key: "value", argument.shownPlaceholder)
      }
      if !argument.choices.isEmpty { writer.write(key: "choices", argument.choices) }
      if let demand = argument.demand { writer.write(key: "expected", demand.text) }
      if !argument.isPositional { writer.write(key: "category", argument.category ?? "Options") }
      writer.write(key: "summary", argument.help ?? "")
      if let details = argument.details { writer.write(key: "details", details) }
      if argument.isOn {
        writer.write(key: "default", true)
      } else if let standard = argument.standardText {
        writer.write(key: "default", standard)
      }
      writer.write(key: "required", argument.isRequired)
      writer.write(key: "repeatable", argument.isRepeated)
      write(argument.rules.filter { $0.kind == .conflict }, key: "conflicts", &writer)
      write(
        argument.rules.filter { $0.kind == .need || $0.kind == .purpose }, key: "requires", &writer)
    }
  }

  /// Writes the rules of an option. A rule lists other options, possibly with values. Either the
  /// option conflicts with them, or it requires one of them.
  private static func write(
    _ rules: [Argument.Rule], key: String, _ writer: inout JSONWriter
  ) {
    guard !rules.isEmpty else { return }
    writer.writeList(key: key) { writer in
      for rule in rules {
        writer.writeObject { writer in
          if !rule.values.isEmpty { writer.write(key: "values", rule.values) }
          writer.writeList(key: "options") { writer in
            for use in rule.uses {
              writer.writeObject { writer in
                writer.write(key: "name", use.name)
                guard !use.values.isEmpty else { return }
                writer.write(key: use.isInverted ? "other_than" : "values", use.values)
              }
            }
          }
          if let hint = rule.hint { writer.write(key: "hint", hint) }
        }
      }
    }
  }
}
