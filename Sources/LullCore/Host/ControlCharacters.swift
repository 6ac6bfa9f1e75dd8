/// What a server or a script has put into a text must not move the cursor or change colours where the
/// text is shown.
package enum ControlCharacters {
  /// Whether it is one, and not a line break or a tab.
  package static func contains(_ scalar: Unicode.Scalar) -> Bool {
    scalar != "\n" && scalar != "\t" && scalar.properties.generalCategory == .control
  }

  /// The text with each of them as `spelled` gives it; lines and tabs stay. Any thread.
  package static func shown<Text: StringProtocol>(
    in text: Text, as spelled: (Unicode.Scalar) -> String
  ) -> String {
    guard text.unicodeScalars.contains(where: contains) else { return String(text) }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if contains(scalar) {
        result.append(contentsOf: spelled(scalar).unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}
