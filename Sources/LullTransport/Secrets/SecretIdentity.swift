import LullLibC
package import LullCore

/// The identity of the requester of a resource, as determined by the credentials. It separates the
/// responses for different credentials. It contains secrets and must not be stored unhashed.
package enum SecretIdentity {
  /// Returns one line for each credential that is part of the resource's URL, or that its GET
  /// requests are configured to send. Returns an empty text without credentials.
  ///
  /// An environment variable or a file contributes its current content. A command is not run: it
  /// contributes its words.
  package static func text(of resource: Resource) -> String { text(of: resource.credentials) }

  /// Returns one line for each credential. The line contains the credential's name and identity.
  static func text(of credentials: [(name: String, value: SecretText)]) -> String {
    var text = ""
    for (name, value) in credentials { text += "\(name):\(self.text(of: value))\n" }
    return text
  }

  /// Returns the identity of one credential: its text, with the words of a command in place of the
  /// command's output.
  static func text(of value: SecretText) -> String {
    value.pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .base64(let inner), .escaped(let inner): self.text(of: inner)
      // A signature may differ with each request; its credentials stay the same.
      case .digest(let digest): digest.texts.map { self.text(of: $0) }.joined()
      case .secret(let secret): self.text(of: secret)
      }
    }.joined()
  }

  /// Whether the texts of all secrets in `value` are available without running a command.
  static func isKnown(_ value: SecretText) -> Bool {
    value.secrets.allSatisfy { knownText(of: SecretText($0)) != nil }
  }

  /// Returns the text of the credential. Returns nil if the text is empty, or if a command has to
  /// run to get it.
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

  /// Returns the credential with its current text, so that later changes of its variable or file
  /// have no effect. A command stays a command.
  static func settled(_ value: SecretText) -> SecretText {
    SecretText(
      value.pieces.map { piece in
        guard case .secret(let secret) = piece else { return piece }
        switch secret.source {
        case .literal, .command, .shell: return piece
        case .environment, .file:
          let text = text(of: secret)
          // The error for a missing text is reported when the request is sent.
          guard !text.isEmpty else { return piece }
          return .secret(Secret(.literal(text), name: secret.name, origins: secret.origins))
        }
      })
  }

  private static func text(of secret: Secret) -> String {
    switch secret.source {
    case .literal(let text): return text
    // Copied before other code can change the environment.
    case .environment(let name): return getenv(name).map { String(escapingCString: $0) } ?? ""
    case .file(let path):
      guard case .success(let bytes) = SecretFile.read(path) else { return "" }
      return String(escaping: bytes)
    case .command(let words): return words.joined(separator: " ")
    case .shell(let line): return line
    }
  }
}
