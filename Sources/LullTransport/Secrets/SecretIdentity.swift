import LullLibC
package import LullCore

/// On whose behalf a resource is asked for, to keep apart what different ones get. Not to be kept as it
/// is: what it says is secret.
package enum SecretIdentity {
  /// One line for each credential that GET requests of the resource are configured to carry, or that
  /// stands in its URL; empty if there are none.
  ///
  /// A variable and a file count by what is in them now, a command by its words: it is not run.
  package static func text(of resource: Resource) -> String { text(of: resource.credentials) }

  /// The same of credentials that are known.
  static func text(of credentials: [(name: String, value: SecretText)]) -> String {
    var text = ""
    for (name, value) in credentials { text += "\(name):\(self.text(of: value))\n" }
    return text
  }

  /// What the credential says, as above.
  static func text(of value: SecretText) -> String {
    value.pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .base64(let inner), .escaped(let inner): self.text(of: inner)
      // What is signed may be another with each request; who signs is the same.
      case .digest(let digest): digest.texts.map { self.text(of: $0) }.joined()
      case .secret(let secret): self.text(of: secret)
      }
    }.joined()
  }

  /// Whether all that is secret in it is known without running a command, and is there.
  static func isKnown(_ value: SecretText) -> Bool {
    value.secrets.allSatisfy { knownText(of: SecretText($0)) != nil }
  }

  /// What the credential says; nil where only a command knows.
  static func knownText(of value: SecretText) -> String? {
    let isKnown = value.secrets.allSatisfy { secret in
      switch secret.source {
      case .command, .shell: false
      case .literal, .environment, .file: true
      }
    }
    let text = text(of: value)
    return isKnown && !text.isEmpty ? text : nil
  }

  /// The credential as it reads now, whatever becomes of its variable or file; a command stays one.
  static func settled(_ value: SecretText) -> SecretText {
    SecretText(
      value.pieces.map { piece in
        guard case .secret(let secret) = piece else { return piece }
        switch secret.source {
        case .literal, .command, .shell: return piece
        case .environment, .file:
          let text = text(of: secret)
          // Sending it says what is missing.
          guard !text.isEmpty else { return piece }
          return .secret(Secret(.literal(text), name: secret.name, origins: secret.origins))
        }
      })
  }

  private static func text(of secret: Secret) -> String {
    switch secret.source {
    case .literal(let text): return text
    // Copied before anybody can change the environment.
    case .environment(let name): return getenv(name).map { String(escapingCString: $0) } ?? ""
    case .file(let path):
      guard case .success(let bytes) = SecretFile.read(path) else { return "" }
      return String(escaping: bytes)
    case .command(let words): return words.joined(separator: " ")
    case .shell(let line): return line
    }
  }
}
