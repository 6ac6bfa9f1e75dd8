/// How many columns of a terminal a text takes.
package enum TextWidth {
  package static func of(_ text: String) -> Int { DisplayWidth.of(text) }

  /// The text, or as much of it as takes no more columns with a mark behind it.
  package static func cut(_ text: String, to columns: Int) -> String {
    guard of(text) > columns else { return text }
    var result = ""
    var width = 1
    for character in text {
      width += of(String(character))
      guard width <= columns else { break }
      result.append(character)
    }
    return result + "…"
  }
}
