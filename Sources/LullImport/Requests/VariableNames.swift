/// Names of variables of the environment that hold what lets somebody in.
struct VariableNames {
  /// In capital letters, such as `GITHUB`; what all of them begin with.
  let prefix: String

  /// - Parameter name: of the API, as its file is called.
  init(api name: String) {
    prefix = SecurityReader.variableName(name)
  }

  /// `X-Api-Key` of the API `github` is `GITHUB_API_KEY`.
  func variable(for name: String) -> String {
    var text = VariableNames.capitals(
      name.lowercased().hasPrefix("x-") ? String(name.dropFirst(2)) : name)
    for start in ["\(prefix)_"] where text.hasPrefix(start) && text.count > start.count {
      text.removeFirst(start.count)
    }
    return "\(prefix)_\(text.isEmpty ? "SECRET" : text)"
  }

  private static func capitals(_ name: String) -> String {
    var text = ""
    var last: Character = "_"
    for character in name.prefix(60) {
      if character.isASCII, character.isLetter || character.isNumber {
        if character.isUppercase, last.isLowercase || last.isNumber { text.append("_") }
        text.append(character.uppercased())
      } else if !text.hasSuffix("_"), !text.isEmpty {
        text.append("_")
      }
      last = character
    }
    while text.hasSuffix("_") { text.removeLast() }
    return text
  }
}
