/// Markdown as it stands in generated files.
enum MarkdownText {
  /// Paragraphs broken at 100 columns; what must stay on its line does.
  static func wrapped(_ block: String) -> [String] {
    var lines: [String] = []
    for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let first = line.first, first != "|", first != "#", first != "<" else {
        lines.append(String(line))
        continue
      }
      var current = ""
      for word in line.split(separator: " ") {
        if !current.isEmpty, current.count + word.count >= 100 {
          lines.append(current)
          current = ""
        }
        current += current.isEmpty ? String(word) : " " + word
      }
      lines.append(current)
    }
    return lines
  }
}
