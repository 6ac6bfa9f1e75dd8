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
      let value = MaskedText.bare(String(escaping: header.value))
      guard CredentialName.names(header.name) || CredentialMask.header(header.name, value) != value
      else { continue }
      for text in NamedCredentials.values(inHeader: header.name, value) { mask(unlessShort: text) }
    }
    if let body = request.body, let text = RecordedText(body.bytes) {
      for text in NamedCredentials.values(inBody: text.bytes, .likely) { mask(unlessShort: text) }
    }
    for text in namedValues(request.headers, [request.url], request.body) {
      mask(text)
    }
  }

  /// Values of what the recording was told to hide, by their names, unless they are too short to be found again.
  func namedValues(
    _ headers: [HARHeader], _ urls: [String], _ body: HARBody?
  ) -> [[UInt8]] {
    guard !names.isEmpty else { return [] }
    let certainty = NamedCredentials.Certainty.named(names)
    var values = headers.filter { names.contains($0.name.lowercased()) }
      .map { MaskedText.bare(String(escaping: $0.value)) }
    for url in urls {
      values += NamedCredentials.values(inQueryOf: url, certainty)
    }
    if let body, let text = RecordedText(body.bytes) {
      values += NamedCredentials.values(inBody: text.bytes, certainty)
    }
    return values.flatMap { MaskedText.parts(of: $0) }.map { Array($0.utf8) }
  }

  /// What a response gives out.
  mutating func collect(from response: HARResponse) {
    let urls = response.headers.map { String(escaping: $0.value) } + [response.finalURL ?? ""]
    for text in namedValues(response.headers, urls, response.body) { replace(text) }
    for header in response.headers {
      guard
        let value = RecordedText(header.value).map({ String(decoding: $0.bytes, as: UTF8.self) })
      else { continue }
      switch header.name.lowercased() {
      case "set-cookie": replace(unlessShort: String(RecordedCookie(value).value))
      case "location", "content-location", "link", "refresh":
        for text in NamedCredentials.values(inQueryOf: value) { replace(unlessShort: text) }
      case let name:
        guard CredentialName.names(name) else {
          // Masks would take the rest, and nothing could be put in their places again.
          guard value.contains("://") else { continue }
          for text in NamedCredentials.values(inQueryOf: value) { replace(unlessShort: text) }
          continue
        }
        for text in NamedCredentials.values(inHeader: name, value) { replace(unlessShort: text) }
      }
    }
    if let url = response.finalURL {
      for text in NamedCredentials.values(inQueryOf: url) { replace(unlessShort: text) }
    }
    if let body = response.body, let text = RecordedText(body.bytes) {
      for text in NamedCredentials.values(inBody: text.bytes, .certain) {
        replace(unlessShort: text)
      }
      for (_, password) in NamedCredentials.users(in: String(decoding: text.bytes, as: UTF8.self)) {
        replace(unlessShort: password)
      }
    }
  }

  /// Beside the mask of a secret each part counts by itself.
  private mutating func mask(unlessShort text: String) {
    for part in MaskedText.parts(of: text) {
      let isWhole = part == text
      if part.utf8.count >= (isWhole ? Redaction.shortest : 4) {
        if isWhole, noteLate(part) { replace(Array(part.utf8)) } else { mask(Array(part.utf8)) }
      } else if isWhole {
        noteShort(part)
      }
    }
  }

  private mutating func replace(unlessShort text: String) {
    for part in MaskedText.parts(of: text) where part.utf8.count >= Redaction.shortest {
      replace(Array(part.utf8))
    }
  }
}
