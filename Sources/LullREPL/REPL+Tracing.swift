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
      let layout = layout
      let heads = ["stage", "step", "type", "bytes"]
      let rows = answer.rows.map { [$0.stage, $0.step, $0.type, $0.size] }
      // What is left of a row for how it begins, but never next to nothing.
      let taken = heads.indices.map { column in
        2 + (([heads] + rows).map { TextWidth.of($0[column]) }.max() ?? 0)
      }
      let room = max(20, layout.width - taken.reduce(0, +))
      let whole = zip(rows, answer.rows).map { row, answer in
        row + [TextWidth.cut(answer.excerpt, to: room)]
      }
      let table = ShownTable(heads: heads + ["begins"], rows: whole, width: Int.max)
      text += table.text(layout) + "\n"
    }
    StandardOutput.write(text)
    return true
  }
}
