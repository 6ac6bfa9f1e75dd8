/// A literal is a text that is no secret, or one that a program may contain: `.bearer("demo")`. What must not
/// be seen comes from a `Secret`, since a literal is shown as it is in logs, as far as nothing else tells that
/// it is a credential. Interpolation is left out on purpose: it would put a secret's mask into the text.
extension SecretText: ExpressibleByStringLiteral {
  public init(stringLiteral literal: String) { self.init(literal) }
}

extension SecretText: CustomStringConvertible {
  /// `masked`.
  public var description: String { masked }
}
