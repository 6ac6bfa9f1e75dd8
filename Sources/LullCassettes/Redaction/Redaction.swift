import LullCore
import LullTransport

/// Takes what lets somebody in out of recordings: nothing that is hidden once is in any of them, in whatever
/// place and however it is escaped there. (CAS-20 to CAS-25)
///
/// Secrets have their mask already where a request sends them; where an answer repeats them they get it here.
/// What an answer gives out (tokens, cookies) gets a stand-in, `lull-token-1`, that is the same wherever it comes
/// again, so that a request with the stand-in is the recorded one. Values that are no secrets and are called
/// like credentials become `***`. A request that is asked of a recording goes through the same.
package struct Redaction: Sendable {
  /// What a stand-in begins with; its number follows.
  package static let standIn = CredentialMask.standIn

  private var search = SecretSearch()
  /// What stands in the place of each that is searched for.
  private var replacements: [Secret: String] = [:]
  private var known: Set<[UInt8]> = []
  /// Credentials that are too short to be looked for everywhere.
  private var short: Set<String> = []
  private var count = 0

  /// Values shorter than this are hidden where their name tells what they are, and nowhere else.
  static let shortest = 8

  package init() {}

  /// From now on that text is hidden.
  ///
  /// - Parameters:
  ///   - text: nothing is hidden of one under four bytes, which is too common to be taken for a secret.
  ///   - mask: what stands in its place.
  package mutating func hide(_ text: [UInt8], as mask: String) {
    guard text.count >= SecretSearch.shortest, known.insert(text).inserted else { return }
    let secret = Secret(.literal("\(replacements.count)"), name: mask)
    replacements[secret] = mask
    for form in HiddenForms(text).all { search.add(secret, form) }
  }

  /// The same for what an answer has given out.
  mutating func replace(_ token: [UInt8]) {
    guard !known.contains(token), !CredentialMask.isMasked(String(decoding: token, as: UTF8.self))
    else { return }
    count += 1
    hide(token, as: "\(Redaction.standIn)\(count)")
  }

  mutating func noteShort(_ credential: String) { short.insert(credential) }

  /// A script without what is hidden, and without short credentials that stand in it as strings.
  func hidden(inScript text: [UInt8]) -> [UInt8] {
    var text = String(escaping: hidden(text))
    for credential in short {
      for quote in ["\"", "'"] {
        text = text.replacing(quote + credential + quote, with: quote + CredentialMask.mark + quote)
      }
    }
    return Array(text.utf8)
  }

  mutating func mask(_ credential: [UInt8]) {
    guard !CredentialMask.isMasked(String(decoding: credential, as: UTF8.self)) else { return }
    hide(credential, as: CredentialMask.mark)
  }

  /// The recording without anything that is hidden, or called like a credential.
  ///
  /// - Parameter issued: texts that are hidden, each with its mask, unless the recording has given them out:
  ///   then they have their stand-in.
  package mutating func redacted(
    _ entries: [HAREntry], hiding issued: [(text: [UInt8], mask: String)] = []
  ) -> [HAREntry] {
    // All of it first: a token may stand in what was recorded before it was known.
    passStandIns(of: entries)
    for entry in entries { learn(from: entry) }
    for (text, mask) in issued { hide(text, as: mask) }
    return entries.map { entry in
      var entry = entry
      entry.request = hidden(entry.request)
      entry.response = entry.response.map(hidden)
      if let failure = entry.failure {
        entry.failure?.message = CredentialMask.text(hidden(failure.message))
      }
      return entry
    }
  }

  /// Hides from now on what an exchange tells of credentials.
  package mutating func learn(from entry: HAREntry) {
    collect(from: entry.request)
    if let response = entry.response { collect(from: response) }
  }

  /// New stand-ins are none of those that recordings have already.
  package mutating func passStandIns(of entries: [HAREntry]) {
    for entry in entries { count = max(count, StandIns.highest(in: entry)) }
  }

  /// A request as it is in a recording.
  package mutating func redacted(_ request: HARRequest) -> HARRequest {
    collect(from: request)
    return hidden(request)
  }

  // MARK: In place of what is known

  private func hidden(_ request: HARRequest) -> HARRequest {
    var request = request
    request.url = CredentialMask.url(hidden(request.url))
    request.headers = request.headers.map { header in
      let value = String(escaping: hidden(header.value))
      return masked(header, hiddenAs: CredentialMask.header(header.name, value))
    }
    if let body = request.body {
      let bytes = hidden(body.bytes)
      request.body = HARBody(
        body.type.lowercased().hasPrefix("multipart/")
          ? masked(parts: bytes) : CredentialMask.body(bytes), type: hidden(body.type))
    }
    return request
  }

  private func hidden(_ response: HARResponse) -> HARResponse {
    var response = response
    response.finalURL = response.finalURL.map { CredentialMask.url(hidden($0)) }
    response.headers = response.headers.map { header in
      let value = String(escaping: hidden(header.value))
      return masked(
        header,
        hiddenAs: header.name.lowercased() == "set-cookie"
          ? RecordedCookie(value).masked : CredentialMask.header(header.name, value))
    }
    if let body = response.body {
      // "key" and "token" are names of other things too, which a program may need.
      response.body = HARBody(
        CredentialMask.body(hidden(body.bytes), onlyCertain: true), type: hidden(body.type))
    }
    return response
  }

  /// The header as it was where nothing of it is hidden: its bytes may be no text.
  private func masked(_ header: HARHeader, hiddenAs value: String) -> HARHeader {
    let name = hidden(header.name)
    return value == String(escaping: header.value)
      ? HARHeader(name, header.value) : HARHeader(name, value)
  }

  /// A form of several parts without values of fields that are called like credentials.
  private func masked(parts bytes: [UInt8]) -> [UInt8] {
    guard var text = String(validating: bytes, as: UTF8.self) else { return bytes }
    for (name, value) in BodyTexts.fields(in: text)
    where CredentialName.names(name) && !value.isEmpty && !CredentialMask.isMasked(value) {
      text = text.replacing("\r\n\r\n" + value, with: "\r\n\r\n" + CredentialMask.mark)
    }
    return Array(text.utf8)
  }

  private func hidden(_ text: String) -> String {
    String(escaping: hidden(Array(text.utf8)))
  }

  /// Any text without what is hidden so far.
  func hidden(_ bytes: [UInt8]) -> [UInt8] {
    let matches = search.matches(in: bytes, takesShort: false)
    guard !matches.isEmpty else { return bytes }
    var result: [UInt8] = []
    var end = 0
    for match in matches {
      result += bytes[end..<match.range.lowerBound]
      result += (replacements[match.secret] ?? CredentialMask.mark).utf8
      end = match.range.upperBound
    }
    return result + bytes[end...]
  }
}
