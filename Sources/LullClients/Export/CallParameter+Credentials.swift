import LullCore

extension CallParameter {
  /// Whether its default is written in the file and is likely to let somebody in.
  package var hasWrittenCredential: Bool {
    guard kind == .string, CredentialName.names(wireName) else { return false }
    return switch standard {
    case .string, .list: true
    default: false
    }
  }
}
