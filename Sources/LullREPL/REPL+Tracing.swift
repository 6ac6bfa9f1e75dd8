import LullHost

extension REPL {
  /// What each step of the pipeline made of the last answer.
  func showTrace() -> Bool {
    guard let answer = session.lastAnswer else {
      return refuse("no request of this session has ended yet")
    }
    var text = answer.title + "\n"
    if answer.rows.isEmpty {
      text += "no step of a pipeline had anything to do\n"
    } else {
      let rows = answer.rows.map { [$0.stage, $0.step, $0.type, $0.size, $0.excerpt] }
      let table = ShownTable(
        heads: ["stage", "step", "type", "bytes", "begins"], rows: rows, width: Int.max)
      text += table.text(layout) + "\n"
    }
    StandardOutput.write(text)
    return true
  }
}
