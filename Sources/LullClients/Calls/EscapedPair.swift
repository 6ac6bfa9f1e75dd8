import LullCore

/// A name and a value of a query or a form, whose value has its escapes still: what they hide separates nothing.
package struct EscapedPair {
  package let name: String
  package let value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  /// With its escapes undone.
  package var text: String { EscapedPair.decoded(value) }

  /// `+` stands for a space.
  package static func decoded(_ text: some StringProtocol) -> String {
    CredentialMask.decoded(text)
  }

  package static func all(in text: some StringProtocol) -> [EscapedPair] {
    text.split(separator: "&").map { pair in
      let name = pair.prefix { $0 != "=" }
      return EscapedPair(
        name: decoded(name), value: String(pair[name.endIndex...].dropFirst()))
    }
  }
}
