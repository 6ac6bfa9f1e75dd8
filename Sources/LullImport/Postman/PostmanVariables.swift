import LullCore

/// The variables of a collection. Its texts contain them as `{{name}}`.
struct PostmanVariables {
  private var values: [String: String] = [:]
  /// The base URL that replaces a variable at the start of URLs.
  var baseURL: String?

  mutating func take(_ list: JSONElement?) {
    guard let list else { return }
    for variable in list.elements where variable["disabled"]?.bool != true {
      guard let name = variable["key"]?.string ?? variable["id"]?.string else { continue }
      guard variable["type"]?.string != "secret", let value = PostmanImport.text(variable["value"])
      else {
        continue
      }
      values[name] = Blank.without(value)
    }
  }

  /// - Parameter isSecret: Whether the text is a credential. Its variables remain placeholders.
  func filled(_ text: String, isSecret: Bool) -> String {
    PostmanVariables.replacing(in: Blank.without(text)) { name in
      guard !isSecret, !CredentialName.names(name), let value = values[name],
        ParsedValues.isHarmless(value), !value.contains("{{")
      else { return Blank.text(name) }
      return value
    }
  }

  /// Replaces the variables in a URL. If the URL starts with a variable and `baseURL` is set, the
  /// base URL replaces that variable.
  func filledHost(_ text: String) -> String {
    var text = text
    if let baseURL, let start = PostmanVariables.host(in: text) {
      text =
        (baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL) + text[start.upperBound...]
    }
    // The value of a variable may contain other variables.
    for _ in 0..<5 {
      let next = PostmanVariables.replacing(in: text) { name in
        guard !CredentialName.names(name), let value = values[name], !value.isEmpty else {
          return "{{\(name)}}"
        }
        return value
      }
      if next == text || next.utf8.count > 10_000 { break }
      text = next
    }
    return filled(text, isSecret: false)
  }

  /// Returns the range of a variable that starts a URL or is the whole host. The range includes the
  /// scheme and the port.
  private static func host(in text: String) -> Range<String.Index>? {
    text.firstMatch(of: /^\{\{[^{}]*\}\}/)?.range
      ?? text.firstMatch(of: /^https?:\/\/\{\{[^{}]*\}\}(:(\d+|\{\{[^{}]*\}\}))?(?=[\/?#]|$)/)?
      .range
  }

  private static func replacing(in text: String, _ make: (String) -> String) -> String {
    guard text.contains("{{") else { return text }
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "{{"),
      let end = rest[start.upperBound...].firstRange(of: "}}")
    {
      let name = rest[start.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
      result += rest[..<start.lowerBound] + make(name)
      rest = rest[end.upperBound...]
    }
    return result + rest
  }
}
