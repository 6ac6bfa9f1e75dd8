import LullArguments
import LullClients
import LullHost

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

/// What `lull --help` shows.
enum CommandOverview {
  private static let width = 27

  static var text: String {
    """
    Usage: lull COMMAND …

    Talk to REST APIs: from the shell, from Lua scripts, from a session.

    \(Command.Group.allCases.map(block).joined(separator: "\n"))
    Examples:
      lull get https://api.github.com/users/octocat -f x.name
      lull post :8080/users name="Ann Lee" age:=40
      lull call github repos --user octocat -o table
      lull -e 'print(lull.service("https://example.com")("/"):load():await().text)'

    Options:
      -h, --help  show this help
      --version   show the version

    Exit codes: 0 fine, 1 a script error, 2 wrong usage, 3 the script cannot be read or
    compiled, 4 and 5 an HTTP status 4xx and 5xx, 6 no answer, 7 the same as the last time, or
    not what was declared, or of lull diff not the same, 130 and 143 ended by Ctrl-C and SIGTERM.

    """
  }

  private static func block(of group: Command.Group) -> String {
    var lines = ["\(group.rawValue):"]
    var others: [String] = []
    func endOthers() {
      if !others.isEmpty { lines.append("  lull \(others.joined(separator: ", "))") }
      others = []
    }
    for command in Command.all where command.group == group {
      if command.forms.isEmpty { others.append(command.name) } else { endOthers() }
      for form in command.forms {
        let usage = "lull \(form.usage)"
        let padding = String(repeating: " ", count: max(width - usage.count, 1))
        lines.append("  \(usage)\(padding)\(form.text)")
      }
    }
    endOthers()
    return lines.joined(separator: "\n") + "\n"
  }
}

/// What `lull help filters` shows: how expressions of `-f` are written, and the functions they have.
enum FilterHelp {
  private static let width = 30

  static var text: String {
    """
    Usage: lull get … -f LUA

    Writes what an expression of Lua makes of the content, x: -f x.name, -f 'x.items[1]',
    -f '#x', -f '{ id = x.id, who = x.owner.login }'. Elements count from 1. Lua's own string,
    table and math are there, and the functions below, which scripts have as lull.list.

    They take a list or a record, of which the values are meant; map, filter and pick of a record
    give a record. `by` is the name of a field or a function of the element:

      map(x, "name")             map(x, "owner.login")          map(x, "tags.1")
      filter(x, "visits")        filter(x, function(v) return v.visits > 9 end)

    A field that is missing is nothing, as null is.

    Functions:
    \(functions)
    Examples:
      lull get :8080/users -f 'pick(x, "id", "name")' -o table
      lull get :8080/users -f 'map(sort_by(x, "-visits"), "name")'
      lull get :8080/users --all -f 'sort_by(entries(count_by(x, "role")), "-value")' -o table
      lull get :8080/users --all -f 'sum(x, "visits")'

    """
  }

  private static var functions: String {
    let owner = LuaLibrary.withClients.description.owner("lull.list")
    return (owner?.entries ?? []).map { entry in
      let usage = owner?.spelling(of: entry).dropFirst("lull.list.".count) ?? ""
      let padding = String(repeating: " ", count: max(width - usage.count, 1))
      return "  \(usage)\(padding)\(entry.summary.filter { $0 != "`" })\n"
    }.joined()
  }
}
