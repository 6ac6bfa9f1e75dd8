import LullCore

/// A text that a request has told a server, and what is shown in its place: for those who hide it in what they
/// write down.
package struct ToldSecret: Sendable {
  package let text: [UInt8]
  package let mask: String
  /// Whether it stands in the program itself, as a token that was issued does, and in no place outside.
  package let isLiteral: Bool
}

extension SecretStore {
  /// All texts that tell a secret of the request.
  ///
  /// - Parameter wire: the same as it goes out.
  func told(by request: HTTPRequest, as wire: HTTPRequest) -> [ToldSecret] {
    var told = KnownSecret.all(of: request).compactMap { known -> ToldSecret? in
      guard let text = try? bytes(of: known.text) else { return nil }
      if case .literal = known.secret.source {
        return ToldSecret(text: text, mask: known.secret.mask, isLiteral: true)
      }
      return ToldSecret(text: text, mask: known.secret.mask, isLiteral: false)
    }
    guard request.secrets?.signature != nil else { return told }
    for (name, value) in wire.headers.bytePairs
    where CredentialName.names(String(decoding: name, as: UTF8.self)) {
      told.append(ToldSecret(text: value, mask: CredentialMask.mark, isLiteral: false))
      // `Signature=` of what it is made of.
      if let equals = value.lastIndex(of: UInt8(ascii: "=")) {
        let signature = Array(value[(equals + 1)...])
        told.append(ToldSecret(text: signature, mask: CredentialMask.mark, isLiteral: false))
      }
    }
    return told
  }
}
