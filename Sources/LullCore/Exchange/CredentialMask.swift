/// What people read in the place of credentials, in URLs, headers and texts. Bodies: `body`.
package enum CredentialMask {
  package static let mark = "***"
  /// What the stand-in of a token begins with that a recording has in its place; its number follows.
  package static let standIn = "lull-token-"

  /// A URL without user and password, and without what is called like a credential in its query.
  package static func url(_ text: String) -> String {
    let text = LogText.withoutUser(text)
    guard let start = text.firstIndex(where: { $0 == "?" || $0 == "#" }) else { return text }
    return String(text[..<start]) + pairs(text[start...])
  }

  /// The same of what was given for a URL and is none: up to the last `@` it may be user and password,
  /// whatever stands there.
  package static func malformedURL(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return CredentialMask.text(text) }
    let start =
      text.firstRange(of: "//")?.upperBound ?? text.firstRange(of: ":/")?.upperBound
      ?? text.startIndex
    guard start < at else { return CredentialMask.text(text) }
    return CredentialMask.text(String(text[..<start]) + text[text.index(after: at)...])
  }

  /// What stands for the value of a header: a cookie's value too, whose name says nothing of it.
  ///
  /// - Parameter mark: in the place of a credential.
  package static func header(
    _ name: String, _ value: String, mark: String = CredentialMask.mark
  ) -> String {
    if isMasked(value) { return value }
    return CredentialName.names(name) || namesScheme(value) ? mark : text(value)
  }

  /// `Bearer …`, whatever the header is called; what a server asks for by that name has parameters.
  private static func namesScheme(_ value: String) -> Bool {
    guard let space = value.firstIndex(of: " ") else { return false }
    let token = value[value.index(after: space)...]
    return ["bearer", "basic"].contains(value[..<space].lowercased()) && !token.isEmpty
      && !token.contains { $0 == " " || $0 == "\"" || $0 == "," }
  }

  /// Any text, without user, password and parameters of the URLs in it.
  package static func text(_ text: String) -> String {
    guard text.contains("=") || text.contains("@") else { return text }
    return pairs(withoutUsers(text)[...])
  }

  /// Whether what is called so is a credential to be masked: a secret has its mask already.
  static func masks(_ name: some StringProtocol, _ value: some StringProtocol) -> Bool {
    !value.isEmpty && CredentialName.names(decoded(name)) && !isMasked(value)
  }

  /// Whether the text of a secret is not there already.
  package static func isMasked(_ value: some StringProtocol) -> Bool {
    value.contains("‹secret ") || value.contains("%E2%80%B9secret") || value.contains(standIn)
  }

  /// With something else in the place of each mask of a secret.
  package static func replacingMasks(in text: String, _ make: (Substring) -> String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "‹secret "),
      let end = rest[start.upperBound...].firstIndex(of: "›")
    {
      result += rest[..<start.lowerBound] + make(rest[start.lowerBound...end])
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// With masks of secrets as they are, where they were escaped for a URL.
  package static func decodedMasks(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "%E2%80%B9secret"),
      let end = rest[start.upperBound...].firstRange(of: "%E2%80%BA")
    {
      result += rest[..<start.lowerBound] + decoded(rest[start.lowerBound..<end.upperBound])
      rest = rest[end.upperBound...]
    }
    return result + rest
  }

  private static func withoutUsers(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "://")?.upperBound {
      result += rest[..<start]
      rest = rest[start...]
      let end = rest.firstIndex { "/?#'\"<>".contains($0) || $0.isWhitespace } ?? rest.endIndex
      if let at = rest[..<end].lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    }
    return result + rest
  }

  /// `?a=b&token=c#key=d`: with the values masked, as far as there are any.
  private static func pairs(_ text: Substring) -> String {
    var result = ""
    var rest = text
    while let mark = rest.firstIndex(where: { "?&#".contains($0) }) {
      let start = rest.index(after: mark)
      result += rest[..<start]
      rest = rest[start...]
      let nameEnd = rest.firstIndex { "=?&#/".contains($0) || isEnd($0) } ?? rest.endIndex
      guard nameEnd < rest.endIndex, rest[nameEnd] == "=" else { continue }
      let valueStart = rest.index(after: nameEnd)
      // A secret's mask has a space in it.
      var end =
        rest[valueStart...].hasPrefix("‹")
        ? rest[valueStart...].firstIndex(of: "›") ?? rest.endIndex
        : rest[valueStart...].firstIndex { $0 == "&" || $0 == "#" || isEnd($0) } ?? rest.endIndex
      // What ends a sentence does not end a value.
      if end == rest.endIndex || rest[end].isWhitespace {
        while end > valueStart, "),;:.…".contains(rest[rest.index(before: end)]) {
          end = rest.index(before: end)
        }
      }
      guard masks(rest[..<nameEnd], rest[valueStart..<end]) else { continue }
      result += rest[..<valueStart] + CredentialMask.mark
      rest = rest[end...]
    }
    return result + rest
  }

  private static func isEnd(_ character: Character) -> Bool {
    character.isWhitespace || "'\"<>".contains(character)
  }

  /// Of a form or query: `+` and escapes read.
  package static func decoded(_ text: some StringProtocol) -> String {
    String(decoding: decodedBytes(text), as: UTF8.self)
  }

  /// The same as bytes, which may be no text.
  package static func decodedBytes(_ text: some StringProtocol) -> [UInt8] {
    guard text.contains("%") || text.contains("+") else { return Array(text.utf8) }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return bytes
  }
}
