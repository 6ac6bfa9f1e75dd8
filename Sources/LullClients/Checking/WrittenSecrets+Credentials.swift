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

  /// Returns whether a header is a credential. Header names are more specific than field names, so
  /// more values count.
  static func isCredential(header name: String, _ value: String) -> Bool {
    if isCredential(name, value) { return true }
    return CredentialName.names(name) && value.count >= 8 && value.contains(where: \.isNumber)
      && !value.contains(where: \.isWhitespace)
  }

  /// Returns the credentials in the query of a path, or in a part of one: `/x?api_key=abc`.
  static func queryCredentials(in text: String) -> [(name: String, value: String)] {
    guard !text.contains(where: \.isWhitespace) else { return [] }
    return text.split(whereSeparator: { "?&;#".contains($0) }).compactMap { part in
      guard let mark = part.firstIndex(of: "=") else { return nil }
      let name = String(part[..<mark])
      let value = String(part[mark...].dropFirst())
      // Placeholders for a value: {key}, %s, <key>, $KEY, a mask.
      let stands =
        value.contains { "{<$*…‹".contains($0) } || value.hasPrefix("%") && value.count < 4
      return stands || !isCredential(name, value) ? nil : (name, value)
    }
  }

  /// Returns the kind of credential that a part of a path has the format of.
  static func shape(ofPartOf text: String) -> String? {
    guard !text.contains(where: \.isWhitespace) else { return nil }
    return text.split(whereSeparator: { "/?&;#=".contains($0) }).lazy
      .compactMap { shape(of: String($0)) }.first
  }

  /// Returns whether a text in the file is a used credential or its end. For `Bearer abc` the end
  /// is the secret, regardless of how the text was built.
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
