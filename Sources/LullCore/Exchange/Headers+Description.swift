extension Headers: CustomStringConvertible {
  /// One after the other as `name: value`, without what looks like a credential.
  public var description: String {
    pairs.map { "\($0.name): \(LogText.part(CredentialMask.header($0.name, $0.value)))" }
      .joined(separator: ", ")
  }
}
