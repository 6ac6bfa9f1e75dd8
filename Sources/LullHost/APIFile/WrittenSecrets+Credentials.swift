import LullCore

extension WrittenSecrets {
  /// Whether what is called so is a credential by its value.
  static func isCredential(_ name: String, _ value: String) -> Bool {
    let name = name.lowercased().replacing("-", with: "_")
    if ["authorization", "proxy_authorization", "cookie", "x_api_key"].contains(name) {
      return true
    }
    let isCalledOne = [
      "api_key", "apikey", "app_key", "access_key", "secret", "password", "passwd", "passphrase",
      "access_token", "auth_token", "refresh_token", "bearer_token", "private_token",
    ].contains { name.contains($0) }
    if isCalledOne {
      let plain = ["true", "false", "none", "null", "required", "optional"]
      return value.count >= 3 && !plain.contains(value.lowercased())
    }
    // These are names of many other things too.
    let last = name.split(separator: "_").last.map(String.init) ?? name
    return ["token", "key", "auth", "sig", "signature", "pwd", "pass"].contains(last)
      && looksRandom(value) && value.contains(where: \.isNumber)
  }

  /// The credentials in the query of a path, or in a part of one: `/x?api_key=abc`.
  static func queryCredentials(in text: String) -> [(name: String, value: String)] {
    guard !text.contains(where: \.isWhitespace) else { return [] }
    return text.split(whereSeparator: { "?&;#".contains($0) }).compactMap { part in
      guard let mark = part.firstIndex(of: "=") else { return nil }
      let name = String(part[..<mark])
      let value = String(part[mark...].dropFirst())
      // What stands for a value: {key}, %s, <key>, $KEY, a mask.
      let stands =
        value.contains { "{<$*…‹".contains($0) } || value.hasPrefix("%") && value.count < 4
      return stands || !isCredential(name, value) ? nil : (name, value)
    }
  }

  /// What a part of a path is by its shape, in words.
  static func shape(ofPartOf text: String) -> String? {
    guard !text.contains(where: \.isWhitespace) else { return nil }
    return text.split(whereSeparator: { "/?&;#=".contains($0) }).lazy
      .compactMap { shape(of: String($0)) }.first
  }

  /// Whether a text of the file is a credential that was used, or the end of one: that is where the
  /// secret of `Bearer abc` stands, however it was put together.
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
