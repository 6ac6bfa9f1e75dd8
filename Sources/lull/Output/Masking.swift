import LullCore

/// What is shown in the place of credentials.
enum Masking {
  static let mark = "***"

  /// User and masked password of a URL that has them.
  static func user(of url: String) -> String? {
    LogText.userInfo(of: url).map { "\($0.prefix { $0 != ":" }):\(mark)" }
  }

  /// A secret of `lull.secret` has its mask in its place already.
  static func header(_ name: String, _ value: String) -> String {
    LogText.isSecret(header: name) && !value.contains("‹secret ") ? mark : value
  }

  /// A URL without password, and without what is called like a credential in its query.
  static func url(_ text: String) -> String {
    let text = LogText.url(text)
    guard let mark = text.firstIndex(of: "?") else { return text }
    let pairs = text[text.index(after: mark)...].split(
      separator: "&", omittingEmptySubsequences: false)
    let shown = pairs.map { pair -> String in
      guard let equals = pair.firstIndex(of: "="),
        LogText.isSecret(header: pair[..<equals].lowercased())
      else { return String(pair) }
      return pair[...equals] + Masking.mark
    }
    return text[...mark] + shown.joined(separator: "&")
  }
}
