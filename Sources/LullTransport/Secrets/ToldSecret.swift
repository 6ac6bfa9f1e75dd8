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
      // What it has been made of is told besides; a server has given out the rest.
      for part in value.split(whereSeparator: { ", ".utf8.contains($0) }) {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")),
          ["signature", "response"].contains(
            String(decoding: part[..<equals], as: UTF8.self).lowercased())
        else { continue }
        let signature = part[(equals + 1)...].filter { $0 != UInt8(ascii: "\"") }
        told.append(ToldSecret(text: signature, mask: CredentialMask.mark, isLiteral: false))
      }
    }
    return told
  }
}
