import LullHost

extension REPL {
  /// Shows the help for what a name stands for here: of a variable's value, else of what Lull calls so,
  /// else what `help` says of the value; false if there is nothing of that name.
  func explain(_ name: String) -> Bool {
    if let path = Question.path(name) {
      let joined = path.joined(separator: ".")
      if let text = Completer(session: session).help(for: path) ?? session.help(named: joined) {
        StandardOutput.write(text)
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
}
