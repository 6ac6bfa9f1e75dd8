import LullHost

extension REPL {
  /// Shows the help for what a name stands for here: of a variable's value, else of what Lull calls so,
  /// else what `help` says of the value; false if there is nothing of that name.
  func explain(_ name: String) -> Bool {
    if let path = Question.path(name) {
      let joined = path.joined(separator: ".")
      if let text = Completer(session: session).help(for: path) ?? session.help(named: joined) {
        show(help: text)
        return true
      }
      if let text = helpElsewhere(for: path) {
        show(help: text)
        return true
      }
      guard session.isThere(path) else {
        StandardOutput.write(session.refusal(ofHelpFor: joined))
        return false
      }
    }
    let expression = name.replacing(":", with: ".")
    guard case .ready(let line) = read(Array("help(\(expression))".utf8), firstLine: lineCount)
    else { return refuse("'\(name)' is no name: NAME? and .help NAME take one, such as api.load") }
    return evaluate(line)
  }

  /// The help for a member that the object has not, but others have: `api.load?` of a service.
  private func helpElsewhere(for path: [String]) -> String? {
    guard let name = path.last, path.count > 1, !session.isThere(path),
      let receiver = Completer(session: session).typeName(at: path.dropLast()),
      let text = session.help(named: name)
    else { return nil }
    return "\(receiver) has no '\(name)'. Others do:\n\n" + text
  }

  private func show(help text: String) {
    if isInteractive {
      StandardOutput.page(text)
    } else {
      StandardOutput.write(text)
    }
  }
}
