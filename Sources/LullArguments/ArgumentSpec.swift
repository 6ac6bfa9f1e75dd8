/// An exit code of a program.
package struct ExitCode: Sendable {
  package let code: Int32
  /// Why the program ends with it, as a phrase.
  package let meaning: String

  package init(_ code: Int32, _ meaning: String) {
    self.code = code
    self.meaning = meaning
  }
}

/// The syntax of a command line: of a script, as passed to `lull.args`, or of a program.
package struct ArgumentSpec: Sendable {
  /// The name of the command in messages.
  package var name = ""
  package var description: String?
  /// The lines of examples in the help.
  package var examples: [String] = []
  /// The exit codes with a meaning for this command; empty: the general ones.
  package var exitCodes: [ExitCode] = []
  /// The end of the help.
  package var notes: String?
  /// How to show the help with all options, if `--help` shows only the common ones; nil: it shows
  /// all.
  package var manual: String?
  /// The output of `--version`; nil: there is no such option.
  package var version: String?
  package var arguments: [Argument] = []
  /// Alternatives to options that don't exist, by their names.
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

  /// The option of that name.
  package func option(_ name: String) -> Argument? {
    arguments.first { !$0.isPositional && $0.names.contains(name) }
  }

  /// Whether `name` is an option of the script and so has no standard meaning.
  func has(_ name: String) -> Bool { option(name) != nil }

  /// The first ambiguity in the specification, if any.
  package var problem: String? {
    var names: Set<String> = []
    var keys: Set<String> = []
    for argument in arguments {
      for name in argument.names where !names.insert(name).inserted {
        return "'\(name)' is in the specification twice"
      }
      guard keys.insert(argument.key).inserted else {
        return "two arguments of the specification would both be '\(argument.key)'"
      }
    }
    return positionals.count(where: \.isRepeated) < 2
      ? nil : "only one positional argument can be repeated"
  }
}
