import LullCore

extension CallParameter {
  /// Whether its default is written in the file and is likely to let somebody in.
  package var hasWrittenCredential: Bool {
    isCredentialByName || nestsWrittenCredential
  }

  /// Whether its default has fields, or parts, that are called like credentials, whatever it is called itself.
  package var nestsWrittenCredential: Bool {
    guard let standard else { return false }
    switch standard {
    case .string(let text): return CredentialMask.body(text) != text
    case .json, .list, .object:
      let bytes = standard.jsonText
      return CredentialMask.body(bytes) != bytes
    case .number, .integer, .digits, .boolean, .secret, .file, .content: return false
    }
  }

  private var isCredentialByName: Bool {
    guard CredentialName.names(wireName) else { return false }
    // One word of several is no secret, and a small number none either.
    if case .choice(let words) = kind, words.count > 1 { return false }
    return switch standard {
    case .string, .list, .json, .digits: true
    case .integer(let number): number.magnitude >= 1000
    case .number: true
    default: false
    }
  }
}
