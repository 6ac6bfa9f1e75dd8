import LullCore

extension CallParameter {
  /// Whether its default is written in the file and is likely to let somebody in.
  package var hasWrittenCredential: Bool {
    isCredentialByName || nestsWrittenCredential
  }

  /// Whether its default has fields, or parts, that are called like credentials, whatever it is called itself.
  package var nestsWrittenCredential: Bool {
    switch standard {
    case .string(let text)?: CredentialMask.body(text) != text
    case .json(let bytes)?: CredentialMask.body(bytes) != bytes
    case .list?, .object?:
      standard.map { value in
        let bytes = value.jsonText
        return CredentialMask.body(bytes) != bytes
      } ?? false
    case .number?, .integer?, .boolean?, .secret?, .file?, .content?, nil: false
    }
  }

  private var isCredentialByName: Bool {
    guard CredentialName.names(wireName) else { return false }
    // One word of several is no secret, and a small number none either.
    if case .choice(let words) = kind, words.count > 1 { return false }
    return switch standard {
    case .string, .list, .json: true
    case .integer(let number): number.magnitude >= 1000
    case .number: true
    default: false
    }
  }
}
