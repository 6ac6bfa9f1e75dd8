import LullCore
import LullHost

extension WrittenSecrets {
  /// Returns whether a value with that name is a credential.
  static func isCredential(_ name: String, _ value: String) -> Bool {
    if CredentialName.headers.contains(name.lowercased()) { return true }
    switch CredentialName(name) {
    case .certain:
      let plain = ["true", "false", "none", "null", "required", "optional"]
      return value.count >= 3 && !plain.contains(value.lowercased())
    case .likely: return looksRandom(value) && value.contains(where: \.isNumber)
    case nil: return false
    }
  }

  /// Returns whether a header value is a credential. A header name is more specific than a field
  /// name, so more values are considered credentials.
  static func isCredential(header name: String, _ value: String) -> Bool {
    if isCredential(name, value) { return true }
    return CredentialName.names(name) && value.count >= 8 && value.contains(where: \.isNumber)
      && !value.contains(where: \.isWhitespace)
  }

  /// Returns the credentials in the query of a path such as `/x?api_key=abc`. The text may be only
  /// a part of a path.
  static func queryCredentials(in text: String) -> [(name: String, value: String)] {
    guard !text.contains(where: \.isWhitespace) else { return [] }
    return text.split(whereSeparator: { "?&;#".contains($0) }).compactMap { part in
      guard let mark = part.firstIndex(of: "=") else { return nil }
      let name = String(part[..<mark])
      let value = String(part[mark...].dropFirst())
      // These texts are placeholders for a value: {key}, %s, <key>, $KEY, a mask.
      let stands =
        value.contains { "{<$*…‹".contains($0) } || value.hasPrefix("%") && value.count < 4
      return stands || !isCredential(name, value) ? nil : (name, value)
    }
  }

  /// Returns the kind of credential that a part of the text looks like. nil if no part looks like a
  /// credential. The text is split into parts like a URL.
  static func shape(ofPartOf text: String) -> String? {
    guard !text.contains(where: \.isWhitespace) else { return nil }
    return text.split(whereSeparator: { "/?&;#=".contains($0) }).lazy
      .compactMap { shape(of: String($0)) }.first
  }

  /// Returns whether a literal in the file is a credential that was used, or the end of one. The
  /// end of `Bearer abc` is the secret `abc`. A literal with this secret is found no matter how the
  /// header was put together.
  static func says(_ literal: String, _ credential: String) -> Bool {
    let literal = withoutScheme(literal)
    let value = withoutScheme(credential)
    guard !literal.isEmpty else { return false }
    if literal == value || literal == credential { return true }
    guard literal.count >= 6, value.hasSuffix(literal),
      let before = value.dropLast(literal.count).last
    else { return false }
    return !before.isLetter && !before.isNumber
  }
}
