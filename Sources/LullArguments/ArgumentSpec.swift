/// An exit code of a program.
package struct ExitCode: Sendable {
  package let code: Int32
  /// The meaning of the exit code, as a phrase.
  package let meaning: String

  package init(_ code: Int32, _ meaning: String) {
    self.code = code
    self.meaning = meaning
  }
}

/// The syntax of a command line. The command line belongs to a script, as passed to `lull.args`, or
/// to a program.
package struct ArgumentSpec: Sendable {
  /// The name of the command in messages.
  package var name = ""
  package var description: String?
  /// The lines of examples in the help.
  package var examples: [String] = []
  /// The exit codes that have a special meaning for this command. Empty: the command uses the
  /// general exit codes.
  package var exitCodes: [ExitCode] = []
  /// The text at the end of the help.
  package var notes: String?
  /// The command that shows the help with all options. It is set if `--help` shows only the common
  /// options. nil: `--help` shows all.
  package var manual: String?
  /// The output of `--version`. nil: the option `--version` does not exist.
  package var version: String?
  package var arguments: [Argument] = []
  /// Hints for options that do not exist in this command. The key is the name of the option.
  package var hints: [String: String] = [:]

  /// Whether integers beyond 64 bits are accepted. (JSN-111)
  package var takesLargeIntegers = false

  package init() {}

  package init(
    name: String, description: String, arguments: [Argument], examples: [String] = [],
    exitCodes: [ExitCode] = [], notes: String? = nil
  ) {
    self.name = name
    self.description = description
    self.arguments = arguments
    self.examples = examples
    self.exitCodes = exitCodes
    self.notes = notes
  }

  /// The first line of the description.
  package var summary: String { String((description ?? "").prefix { $0 != "\n" }) }

  package var positionals: [Argument] { arguments.filter(\.isPositional) }
  package var options: [Argument] { arguments.filter { !$0.isPositional } }
  package var hasPositionals: Bool { arguments.contains(where: \.isPositional) }

  /// Returns the option with this name. nil if there is none.
  package func option(_ name: String) -> Argument? {
    arguments.first { !$0.isPositional && $0.names.contains(name) }
  }

  /// Returns whether a name is declared as an option. If so, it does not have its standard meaning,
  /// such as help.
  func has(_ name: String) -> Bool { option(name) != nil }

  /// The first ambiguity in the specification. nil if there is none.
  package var problem: String? {
    var names: Set<String> = []
    var keys: Set<String> = []
    for argument in arguments {
      for name in argument.names where !names.insert(name).inserted {
        return "'\(name)' is in the specification twice"
      }
      guard keys.insert(argument.key).inserted else {
        return "two arguments of the specification would both have the key '\(argument.key)'"
      }
    }
    return positionals.count(where: \.isRepeated) < 2
      ? nil : "only one positional argument can be repeated"
  }
}
