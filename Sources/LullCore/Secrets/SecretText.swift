/// A text some parts of which are secrets, such as `Bearer ‹secret TOKEN›`.
public struct SecretText: Sendable, Hashable {
  package indirect enum Piece: Sendable, Hashable {
    case literal(String)
    case secret(Secret)
    /// What another text is in base64, made when that is known.
    case base64(SecretText)
    /// Another text escaped as in a form.
    case escaped(SecretText)
    case digest(SecretDigest)
  }

  package private(set) var pieces: [Piece]

  package init(_ pieces: [Piece]) {
    self.pieces = pieces
  }

  /// A text that is a secret as a whole.
  public init(_ secret: Secret) {
    pieces = [.secret(secret)]
  }

  /// A text as it stands in a form.
  package init(escaping text: SecretText) {
    pieces = [.escaped(text)]
  }

  /// A text that may be seen, to be joined with one that may not.
  public init(_ literal: String) {
    pieces = [.literal(literal)]
  }

  /// Joins two texts, whose secrets stay what they are.
  public static func + (left: SecretText, right: SecretText) -> SecretText {
    SecretText(left.pieces + right.pieces)
  }

  /// The text with a mask in place of each secret: the only form there is outside of the transport.
  public var masked: String {
    pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .secret(let secret): secret.mask
      case .base64(let text): text.secrets.map(\.mask).joined()
      case .escaped(let text): text.masked
      case .digest(let digest): digest.texts.flatMap(\.secrets).map(\.mask).joined()
      }
    }.joined()
  }

  /// In order, repeated ones too.
  package var secrets: [Secret] {
    pieces.flatMap { piece -> [Secret] in
      switch piece {
      case .literal: []
      case .secret(let secret): [secret]
      case .base64(let text), .escaped(let text): text.secrets
      case .digest(let digest): digest.texts.flatMap(\.secrets)
      }
    }
  }
}
