extension DifferenceReport {
  /// The report for reviews, in GitHub's Markdown: a table for each file.
  var markdown: String {
    let changed = files.filter { !$0.difference.isEmpty }
    guard !changed.isEmpty else { return "No setting and no call differs.\n" }
    return changed.map(DifferenceReport.markdown).joined(separator: "\n")
  }

  private static func markdown(of file: File) -> String {
    var text = "### \(escaped(file.before)) → \(escaped(file.after))\n"
    let difference = file.difference
    if let change = difference.change { text += "\nThe file was \(change.rawValue).\n" }
    let settings = difference.settings.map { use in
      [
        use.change.name, side(use.change.before), side(use.change.after), places(of: use) ?? "all",
      ]
    }
    text += table(["Setting", "Before", "After", "Where"], settings)
    var calls: [[String]] = []
    for call in difference.calls {
      if call.details.isEmpty { calls.append([shownName(of: call), summary(of: call), "", ""]) }
      for detail in call.details {
        calls.append([
          shownName(of: call), detail.what, detail.before ?? "none", detail.after ?? "none",
        ])
      }
    }
    text += table(["Call", "What", "Before", "After"], calls)
    text += table(
      ["Environment", "What"],
      difference.environments.map { [$0.name, $0.isAdded ? "added" : "removed"] })
    return text
  }

  private static func side(_ side: APIDifference.Side?) -> String {
    guard let side else { return "default" }
    return side.value + (side.place.map { " (\($0))" } ?? "")
  }

  private static func table(_ head: [String], _ rows: [[String]]) -> String {
    guard !rows.isEmpty else { return "" }
    let lines = [head, head.map { _ in "---" }].map { $0.joined(separator: " | ") }
    let cells = rows.map { $0.map(escaped).joined(separator: " | ") }
    return "\n" + (lines + cells).map { "| \($0) |\n" }.joined()
  }

  /// Escapes text, so that it can't start a cell, formatting, an HTML tag or a mention.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "@": result += "&#64;"
      case "\\", "`", "*", "_", "{", "}", "[", "]", "(", ")", "#", "+", "!", "|", "~":
        result += "\\"
        result.unicodeScalars.append(character)
      case _
      where character.value < 0x20 || character.value == 0x7F || character.value == 0x85
        || character.value == 0x2028 || character.value == 0x2029:
        result += " "
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
