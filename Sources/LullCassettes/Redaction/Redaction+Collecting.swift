import LullCore

/// Finding what is to be hidden by the names that it has.
extension Redaction {
  /// What a request sends as a credential without being a secret.
  mutating func collect(from request: HARRequest) {
    for (user, password) in NamedCredentials.users(in: request.url) where !user.isEmpty {
      mask(unlessShort: password)
    }
    for text in NamedCredentials.values(inQueryOf: request.url) { mask(unlessShort: text) }
    for header in request.headers {
      let value = String(escaping: header.value)
      guard CredentialMask.header(header.name, value) != value else { continue }
      for text in NamedCredentials.values(inHeader: header.name, value) { mask(unlessShort: text) }
    }
    if let body = request.body {
      for text in NamedCredentials.values(inBody: body.bytes, .likely) { mask(unlessShort: text) }
    }
  }

  /// What a response gives out.
  mutating func collect(from response: HARResponse) {
    for header in response.headers {
      let value = String(escaping: header.value)
      switch header.name.lowercased() {
      case "set-cookie": replace(unlessShort: String(RecordedCookie(value).value))
      case "location", "content-location", "link", "refresh":
        for text in NamedCredentials.values(inQueryOf: value) { replace(unlessShort: text) }
      case let name:
        guard CredentialName.names(name) else { continue }
        for text in NamedCredentials.values(inHeader: name, value) { replace(unlessShort: text) }
      }
    }
    if let url = response.finalURL {
      for text in NamedCredentials.values(inQueryOf: url) { replace(unlessShort: text) }
    }
    if let body = response.body {
      for text in NamedCredentials.values(inBody: body.bytes, .certain) {
        replace(unlessShort: text)
      }
    }
  }

  private mutating func mask(unlessShort text: String) {
    if text.utf8.count >= Redaction.shortest { mask(Array(text.utf8)) }
  }

  private mutating func replace(unlessShort text: String) {
    if text.utf8.count >= Redaction.shortest { replace(Array(text.utf8)) }
  }
}
