import LullCore

/// A text that lets one in, as a server knows it that was sent it: a secret, or what was made of one.
struct KnownSecret {
  /// What is shown in its place, and where it may go.
  let secret: Secret
  let text: SecretText

  /// All that a request tells.
  static func all(of request: HTTPRequest) -> [KnownSecret] {
    request.secretTexts.flatMap { all(in: $0) }
  }

  private static func all(in text: SecretText) -> [KnownSecret] {
    text.pieces.flatMap { piece -> [KnownSecret] in
      switch piece {
      case .literal: return []
      case .secret(let secret): return [KnownSecret(secret: secret, text: SecretText(secret))]
      // Its escapes are undone where it is looked for.
      case .escaped(let inner): return all(in: inner)
      case .base64(let inner): return made(piece, of: all(in: inner))
      case .digest(let digest): return made(piece, of: digest.texts.flatMap { all(in: $0) })
      }
    }
  }

  /// What was made of secrets: it tells all of them, and may go only where each may.
  private static func made(_ piece: SecretText.Piece, of parts: [KnownSecret]) -> [KnownSecret] {
    guard let first = parts.first?.secret else { return [] }
    let origins = first.origins.filter { origin in
      parts.allSatisfy { $0.secret.origins.contains(origin) }
    }
    let whole = Secret(first.source, name: first.name, origins: origins)
    return [KnownSecret(secret: whole, text: SecretText([piece]))] + parts
  }
}
