/// Words in columns, as a shell lists files: down, then to the right.
enum Columns {
  static func text(_ words: [String], width: Int, limit: Int = 200) -> String {
    let shown = words.prefix(limit)
    let longest = shown.map(\.count).max() ?? 0
    let columns = max(1, (width + 1) / (longest + 2))
    let rows = (shown.count + columns - 1) / columns
    var text = ""
    for row in 0..<rows {
      let line = stride(from: row, to: shown.count, by: rows).map { shown[$0] }
      for (index, word) in line.enumerated() {
        text += word
        if index < line.count - 1 {
          text += String(repeating: " ", count: longest + 2 - word.count)
        }
      }
      text += "\n"
    }
    if words.count > limit { text += "… \(words.count - limit) more\n" }
    return text
  }
}
