/// What a command line may look like: that of a script, which `lull.args` is told, or of a program.
package struct ArgumentSpec: Sendable {
  /// What the command is called in messages.
  package var name = ""
  package var description: String?
  /// The lines of the examples in the help.
  package var examples: [String] = []
  /// The end of the help.
  package var notes: String?
  /// How the page with all options is requested, where `--help` shows the common ones; nil: it shows all.
  package var manual: String?
  /// What `--version` prints, if there is one.
  package var version: String?
  package var arguments: [Argument] = []
  /// What to type instead of options that there are not, by their names.
  package var hints: [String: String] = [:]

  /// Whether integers beyond 64 bits are taken, too. (JSN-111)
  package var takesLargeIntegers = false

  package init() {}

  package init(
    name: String, description: String, arguments: [Argument], notes: String? = nil
  ) {
    self.name = name
    self.description = description
    self.arguments = arguments
    self.notes = notes
  }

  /// The first line of the description.
  package var summary: String { String((description ?? "").prefix { $0 != "\n" }) }

  package var positionals: [Argument] { arguments.filter(\.isPositional) }
  package var options: [Argument] { arguments.filter { !$0.isPositional } }
  package var hasPositionals: Bool { arguments.contains(where: \.isPositional) }

  /// The option that is called so.
  package func option(_ name: String) -> Argument? {
    arguments.first { !$0.isPositional && $0.names.contains(name) }
  }

  /// Whether `name` is one of the script's own, so that it stands for nothing else.
  func has(_ name: String) -> Bool { option(name) != nil }

  /// What no command line could be told apart by, in words; nil if nothing is wrong.
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
