import LullCore

/// A name and a value of a query or a form, whose value has its escapes still: what they hide separates nothing.
struct EscapedPair {
  let name: String
  let value: String

  /// With its escapes undone.
  var text: String { EscapedPair.decoded(value) }

  /// `+` stands for a space.
  static func decoded(_ text: some StringProtocol) -> String { CredentialMask.decoded(text) }

  static func all(in text: some StringProtocol) -> [EscapedPair] {
    text.split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      return EscapedPair(
        name: decoded(name), value: String(pair[name.endIndex...].dropFirst()))
    }
  }
}
