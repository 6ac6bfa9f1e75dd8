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
