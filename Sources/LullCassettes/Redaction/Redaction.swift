import LullCore
import LullTransport

/// Removes credentials from recordings. A hidden text does not occur in the result, regardless of
/// its position and escaping. (CAS-20 to CAS-25)
///
/// - Secrets in requests are already masked. If a response repeats a secret, the secret is masked
///   there too.
/// - Tokens and cookies issued by a response are replaced by stand-ins such as `lull-token-1`. The
///   stand-in for a token is always the same, so that a request with the stand-in matches the
///   recorded request.
/// - Values that are not secrets, but whose names denote credentials, become `***`.
///
/// A request that is compared with a recording is redacted in the same way.
package struct Redaction: Sendable {
  /// The text with which each stand-in begins. The number of the stand-in follows.
  package static let standIn = CredentialMask.standIn

  private var search = SecretSearch()
  /// Searches for hidden texts without regard to case, because a server may repeat a text in
  /// another case.
  private var folded = SecretSearch()
  /// The replacement for each text that is searched for.
  private var replacements: [Secret: String] = [:]
  /// The replacement for each hidden text.
  private(set) var texts: [[UInt8]: String] = [:]
  /// Credentials that are too short to be hidden everywhere.
  private var short: Set<String> = []
  /// The tokens issued by responses, by the number of the stand-in.
  private var issued: [Int: [UInt8]] = [:]
  /// The highest number of a stand-in so far.
  private(set) var count = 0
  /// The highest number of a stand-in in earlier recordings. The tokens that these stand-ins
  /// replace are unknown.
  private var strangers = 0

  /// Additional names in lower case. Values with these names are hidden, although the names do not
  /// denote credentials.
  package var names: Set<String> = []
  /// The responses whose credentials have been collected so far.
  private var said: [HARResponse] = []
  /// Late credentials: texts that a response contained before a request sent them as credentials.
  private(set) var late: [[UInt8]] = []

  /// The smallest length of a value that is hidden everywhere. A shorter value is hidden only where
  /// its name denotes a credential.
  static let shortest = 8

  package init() {}

  /// From now on, hides a text.
  ///
  /// - Parameters:
  ///   - text: The text. Texts of fewer than four bytes are ignored, because they are too common.
  ///   - mask: The text that replaces the hidden text.
  package mutating func hide(_ text: [UInt8], as mask: String) {
    guard text.count >= SecretSearch.shortest, texts[text] == nil else { return }
    texts[text] = mask
    let secret = Secret(.literal("\(replacements.count)"), name: mask)
    replacements[secret] = mask
    for form in HiddenForms(text).all { search.add(secret, form) }
    let small = Redaction.folded(text)
    // If the mask contains the text, the text would be replaced inside the mask too.
    if text.count >= Redaction.shortest, small != Redaction.folded(text, toCapitals: true),
      !mask.lowercased().contains(String(decoding: small, as: UTF8.self))
    {
      folded.add(secret, small)
    }
  }

  /// Converts ASCII letters to lower case, or to upper case with `toCapitals`. Other letters are
  /// unchanged, so that the length stays the same.
  private static func folded(_ bytes: [UInt8], toCapitals: Bool = false) -> [UInt8] {
    let range: ClosedRange<UInt8> = toCapitals ? 0x61...0x7A : 0x41...0x5A
    return bytes.map { range.contains($0) ? $0 ^ 0x20 : $0 }
  }

  /// The number of hidden texts.
  var hiddenCount: Int { texts.count }

  func hides(_ text: [UInt8]) -> Bool { texts[text] != nil }

  /// From now on, replaces a token issued by a response with a new stand-in.
  mutating func replace(_ token: [UInt8]) {
    guard !hides(token), !CredentialMask.isMasked(String(decoding: token, as: UTF8.self))
    else { return }
    count += 1
    issued[count] = token
    hide(token, as: "\(Redaction.standIn)\(count)")
  }

  /// What is known about the token that a stand-in replaces.
  package enum Meaning: Equatable {
    /// The stand-in does not belong to this recording.
    case none
    /// The stand-in belongs to this recording, but the token is no longer known.
    case unknown
    case text([UInt8])
  }

  func meaning(ofStandIn number: Int) -> Meaning {
    issued[number].map(Meaning.text) ?? (number <= strangers ? .unknown : .none)
  }

  mutating func noteShort(_ credential: String) { short.insert(credential) }

  /// Hides all hidden texts in a script. A credential that is too short to be hidden everywhere is
  /// hidden only if it is a string of the script.
  func hidden(inScript text: [UInt8]) -> [UInt8] {
    var text = String(escaping: hidden(text))
    for credential in short {
      for quote in ["\"", "'"] {
        text = text.replacing(quote + credential + quote, with: quote + CredentialMask.mark + quote)
      }
    }
    return Array(text.utf8)
  }

  /// If an earlier response contained a new credential under another name, and the credential looks
  /// random, treats the credential as a token issued by this response. Returns whether this is the
  /// case. (CAS-73)
  mutating func noteLate(_ credential: String) -> Bool {
    let text = Array(credential.utf8)
    guard !hides(text), !CredentialMask.isMasked(credential), isSaid(text) else { return false }
    late.append(text)
    return RandomText.mayBeIssued(credential)
  }

  private func isSaid(_ text: [UInt8]) -> Bool {
    var search = SecretSearch()
    search.add(Secret(.literal(""), name: ""), text)
    return said.contains { response in
      let texts = response.headers.map(\.value) + [response.body?.bytes ?? []]
      return texts.contains { !search.matches(in: $0, takesShort: false).isEmpty }
    }
  }

  mutating func mask(_ credential: [UInt8]) {
    guard !CredentialMask.isMasked(String(decoding: credential, as: UTF8.self)) else { return }
    hide(credential, as: CredentialMask.mark)
  }

  /// Returns a recording in which hidden texts, and values whose names denote credentials, are
  /// replaced.
  ///
  /// - Parameter issued: Additional texts to hide, each with its mask. A text issued by a response
  ///   in the recording is replaced by its stand-in instead.
  package mutating func redacted(
    _ entries: [HAREntry], hiding issued: [(text: [UInt8], mask: String)] = []
  ) -> [HAREntry] {
    // Collect the credentials of all exchanges first, because a token may occur before the exchange
    // that identifies it.
    passStandIns(of: entries)
    for entry in entries { learn(from: entry) }
    for (text, mask) in issued { hide(text, as: mask) }
    return entries.map(hidden)
  }

  /// Returns an exchange in which the texts hidden so far, and values whose names denote
  /// credentials, are replaced.
  func hidden(_ entry: HAREntry) -> HAREntry {
    var entry = entry
    entry.request = hidden(entry.request)
    entry.response = entry.response.map(hidden)
    if let failure = entry.failure {
      entry.failure?.message = CredentialMask.text(hidden(failure.message))
    }
    return entry
  }

  /// From now on, hides the credentials found in an exchange.
  ///
  /// - Parameter isPart: Whether only the first part of the response has arrived. In this case,
  ///   this function is called again with the complete response.
  package mutating func learn(from entry: HAREntry, isPart: Bool = false) {
    collect(from: entry.request)
    guard let response = entry.response else { return }
    collect(from: response)
    if !isPart { said.append(response) }
  }

  /// Ensures that new stand-ins differ from the stand-ins in existing recordings.
  package mutating func passStandIns(of entries: [HAREntry]) {
    for entry in entries { pass(StandIns.highest(in: entry)) }
    strangers = count
  }

  /// Ensures that the numbers of new stand-ins are higher than `number`.
  mutating func pass(_ number: Int) { count = max(count, number) }

  /// Collects the credentials of a request, and returns the request in the form in which it is
  /// recorded.
  package mutating func redacted(_ request: HARRequest) -> HARRequest {
    collect(from: request)
    return hidden(request)
  }

  // MARK: Replacing known texts

  private func hidden(_ request: HARRequest) -> HARRequest {
    var request = request
    request.url = CredentialMask.url(hidden(request.url))
    request.headers = request.headers.map { header in
      masked(header) { CredentialMask.header(header.name, $0) }
    }
    if let body = request.body, !Redaction.isCoded(body, of: request) {
      let isOfParts = body.type.lowercased().hasPrefix("multipart/")
      request.body = HARBody(
        hidden(body: body.bytes) { isOfParts ? masked(parts: $0) : CredentialMask.body($0) },
        type: hidden(body.type))
      request.body?.isOfFile = body.isOfFile
    }
    return request
  }

  func hidden(_ response: HARResponse) -> HARResponse {
    var response = response
    response.finalURL = response.finalURL.map { CredentialMask.url(hidden($0)) }
    response.headers = response.headers.map { header in
      let isCookie = header.name.lowercased() == "set-cookie"
      return masked(header) {
        isCookie ? RecordedCookie($0).masked : CredentialMask.header(header.name, $0)
      }
    }
    if let body = response.body, !Redaction.isCoded(body) {
      // The names "key" and "token" are also used for other data, which a program may need.
      response.body = HARBody(
        hidden(body: body.bytes) { CredentialMask.body($0, onlyCertain: true) },
        type: hidden(body.type))
    }
    return response
  }

  /// Masks the value of a header. If `mask` changes nothing, the original bytes are kept, because
  /// they need not be text.
  private func masked(_ header: HARHeader, _ mask: (String) -> String) -> HARHeader {
    let name = hidden(header.name)
    let bytes = hidden(header.value)
    let value = String(escaping: bytes)
    let masked = mask(value)
    return masked == value ? HARHeader(name, bytes) : HARHeader(name, masked)
  }

  /// Masks a body, decoded with its charset. If the body is not text, its bytes are masked
  /// directly.
  private func hidden(body bytes: [UInt8], _ mask: ([UInt8]) -> [UInt8]) -> [UInt8] {
    guard let text = RecordedText(bytes), text.isWide else { return mask(hidden(bytes)) }
    let masked = mask(hidden(text.bytes))
    // The body may be binary data that only looks like text in that charset, so keep its bytes if
    // nothing was masked.
    return hidden(masked == text.bytes ? bytes : text.bytes(of: masked) ?? masked)
  }

  /// Masks the fields of a multipart form whose names denote credentials.
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

  // MARK: Any text

  /// Hides the texts hidden so far in any bytes. Nested encodings are decoded, and encoded again
  /// after the replacement.
  func hidden(_ bytes: [UInt8]) -> [UInt8] { hidden(bytes, depth: StandInReading.depth) }

  private func hidden(_ bytes: [UInt8], depth: Int) -> [UInt8] {
    guard !replacements.isEmpty else { return bytes }
    var bytes = bytes
    if depth > 0, holdsEncoded(bytes) {
      bytes =
        EncodedWords(bytes) { inner in
          let made = hidden(inner, depth: depth - 1)
          return made == inner ? nil : made
        }.text
    }
    bytes = replaced(bytes, search.matches(in: bytes, takesShort: false))
    return replaced(bytes, folded.matches(in: Redaction.folded(bytes), takesShort: false))
  }

  /// Whether encoded words in the bytes contain hidden texts. Most texts have no encoded words.
  private func holdsEncoded(_ bytes: [UInt8]) -> Bool {
    var level = bytes
    for _ in 0..<StandInReading.depth {
      level = EncodedWords.decoded(in: level)
      if level.isEmpty { return false }
      if isFound(in: level) { return true }
    }
    return false
  }

  private func isFound(in bytes: [UInt8]) -> Bool { !masks(in: bytes).isEmpty }

  /// Returns the masks of the hidden texts that occur in the bytes. Encoded words are not decoded.
  func masks(in bytes: [UInt8]) -> [String] {
    (search.matches(in: bytes, takesShort: false)
      + folded.matches(in: Redaction.folded(bytes), takesShort: false))
      .map { replacements[$0.secret] ?? CredentialMask.mark }
  }

  private func replaced(_ bytes: [UInt8], _ matches: [SecretSearch.Match]) -> [UInt8] {
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

/// Finds credentials by their names.
extension Redaction {
  /// From now on, hides the credentials in a request, except secrets, which are masked already.
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

  /// Returns the values of the names in `names`. Values that are too short to be found elsewhere
  /// are omitted.
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

  /// From now on, hides the credentials issued by a response.
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
          // Masking other values would replace too much, which could not be undone. Only
          // credentials in URLs are hidden.
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

  /// From now on, hides a credential, unless it is too short. If the text contains masks of
  /// secrets, the texts between the masks are handled separately.
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

/// Finds hidden texts that can't be replaced, because they are in compressed data, where a
/// replacement would corrupt the file.
extension Redaction {
  /// Returns messages about texts to check before a recording is shared: possible tokens without a
  /// name, fragments of hidden texts, and data that can't be decoded.
  package func suspicions(in entries: [HAREntry]) -> [String] {
    Leftover.all(in: entries).map(\.description) + unhidden(in: entries) + parts(in: entries)
      + opaque(in: entries)
  }

  /// Returns messages about values whose names denote credentials, but that can't be hidden. These
  /// are numbers, objects whose fields have other names, and values that are too short to be found
  /// elsewhere.
  private func unhidden(in entries: [HAREntry]) -> [String] {
    guard !names.isEmpty else { return [] }
    return entries.enumerated().flatMap { index, entry in
      var found: [String] = []
      let request = entry.request
      if !namedValues(request.headers, [request.url], request.body).isEmpty
        || NamedCredentials.hasOther(named: names, inBody: request.body?.bytes ?? [])
      {
        found.append("request")
      }
      if let response = entry.response,
        !namedValues(response.headers, [response.finalURL ?? ""], response.body).isEmpty
          || NamedCredentials.hasOther(named: names, inBody: response.body?.bytes ?? [])
      {
        found.append("response")
      }
      return found.map {
        "exchange \(index + 1), \($0): the value to hide is a number, an object, true or false, "
          + "or shorter than 4 characters"
      }
    }
  }

  /// Returns messages about exchanges with a hidden text in compressed data, by the index of the
  /// exchange, starting at 0. Used for recordings in which all other hidden texts have been
  /// replaced. (CAS-71)
  package func concealed(in entries: [HAREntry]) -> [Int: String] {
    var found: [Int: String] = [:]
    for (index, entry) in entries.enumerated() {
      for (place, body, codings) in Redaction.bodies(of: entry) {
        guard found[index] == nil, let mask = hiddenIn(coded: body.bytes, codings) else { continue }
        found[index] = "exchange \(index + 1), \(place), has \(mask) in compressed data"
      }
    }
    return found
  }

  /// Returns messages about bodies that can't be decoded, each with the reason. (CAS-71)
  private func opaque(in entries: [HAREntry]) -> [String] {
    entries.enumerated().flatMap { index, entry in
      Redaction.bodies(of: entry).compactMap { place, body, codings in
        guard let codings, case .unknown(let why) = Redaction.content(body.bytes, codings) else {
          return nil
        }
        return "exchange \(index + 1), \(place), which is \(why)"
      }
    }
  }

  /// Returns the bodies of an exchange, each with its name for messages and its content codings. A
  /// response body is already decoded, unless it is a compressed file.
  private static func bodies(
    of entry: HAREntry
  ) -> [(place: String, body: HARBody, codings: String?)] {
    var bodies: [(String, HARBody, String?)] = []
    if let body = entry.request.body {
      bodies.append(("request body", body, codings(of: entry.request)))
    }
    if let body = entry.response?.body { bodies.append(("response body", body, nil)) }
    return bodies
  }

  /// Returns the content codings that a request declares for its body; nil if it declares none.
  private static func codings(of request: HARRequest) -> String? {
    let values = request.headers.filter { $0.name.lowercased() == "content-encoding" }
    return values.isEmpty
      ? nil : values.map { String(escaping: $0.value) }.joined(separator: ",")
  }

  /// Whether a body is compressed. The bytes of a compressed body are not replaced, because that
  /// would corrupt it.
  static func isCoded(_ body: HARBody, of request: HARRequest? = nil) -> Bool {
    if case .decoded = content(body.bytes, request.flatMap(codings)) { true } else { false }
  }

  private static func content(_ bytes: [UInt8], _ codings: String?) -> CodedBytes.Content {
    let content = CodedBytes.content(of: bytes, codedAs: codings)
    return content == .plain ? CodedBytes.content(of: bytes) : content
  }

  /// Returns the mask of the first hidden text found in compressed bytes, or in base64 words within
  /// these bytes; nil if there is none.
  private func hiddenIn(coded bytes: [UInt8], _ codings: String?, depth: Int = 3) -> String? {
    guard depth > 0 else { return nil }
    if case .decoded(let inner) = Redaction.content(bytes, codings) {
      // Damaged data is also searched in its compressed form.
      return firstMask(in: inner) ?? hiddenIn(coded: inner, nil, depth: depth - 1)
        ?? firstMask(in: bytes)
    }
    var found: String?
    _ = EncodedWords(bytes) { inner in
      // Decode only words that may be compressed data. Most words are not.
      if found == nil, CodedBytes.mayBeCoded(inner) {
        found = hiddenIn(coded: inner, nil, depth: depth - 1)
      }
      return nil
    }
    return found
  }

  /// Returns the mask of the first hidden text in the bytes; nil if there is none.
  private func firstMask(in bytes: [UInt8]) -> String? {
    let shown = hidden(bytes)
    guard shown != bytes else { return nil }
    return masks(in: bytes).first ?? CredentialMask.mark
  }
}

/// Finds fragments of hidden texts, for example the beginning of a token that a server repeats.
/// Fragments are reported but not replaced, because they may have another meaning.
extension Redaction {
  /// Returns messages about fragments of hidden texts, each with the position of the first
  /// occurrence. Only fragments that look random are considered, because others may occur by
  /// chance. (CAS-72)
  func parts(in entries: [HAREntry]) -> [String] {
    let pieces = Pieces(texts)
    guard !pieces.isEmpty else { return [] }
    var seen: Set<String> = []
    var found: [String] = []
    func look(_ bytes: [UInt8], _ number: Int, _ place: String) {
      for mask in pieces.masks(in: bytes) where seen.insert(mask).inserted {
        found.append("exchange \(number), \(place): a part of \(mask)")
      }
    }
    for (index, entry) in entries.enumerated() {
      let number = index + 1
      look(Array(entry.request.url.utf8), number, "request URL")
      for header in entry.request.headers {
        look(header.value, number, "request header '\(header.name)'")
      }
      look(entry.request.body?.bytes ?? [], number, "request body")
      for header in entry.response?.headers ?? [] {
        look(header.value, number, "response header '\(header.name)'")
      }
      look(entry.response?.body?.bytes ?? [], number, "response body")
    }
    return found
  }
}

/// All fragments of a fixed length from several texts. The bytes of a recording are searched for
/// all of them at the same time.
private struct Pieces {
  private static let size = 12
  private static let base: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let highest = (1..<size).reduce(1 as UInt64) { power, _ in power &* base }

  /// The fragments, each with the mask of its text, by the rolling hash of the fragment.
  private var owners: [UInt64: (piece: [UInt8], mask: String)] = [:]

  var isEmpty: Bool { owners.isEmpty }

  init(_ texts: [[UInt8]: String]) {
    // In a shorter text, a piece would be nearly the whole text.
    for (text, mask) in texts where text.count >= 16 {
      Pieces.visit(text) { sum, start in
        let piece = Array(text[start..<(start + Pieces.size)])
        if RandomText.isNoise(String(decoding: piece, as: UTF8.self)) {
          owners[sum] = (piece, mask)
        }
      }
    }
  }

  /// Returns the masks of the texts that have a fragment in the bytes, in order and without
  /// duplicates.
  func masks(in bytes: [UInt8]) -> [String] {
    var masks: [String] = []
    Pieces.visit(bytes) { sum, start in
      guard let owner = owners[sum], !masks.contains(owner.mask),
        bytes[start..<(start + Pieces.size)].elementsEqual(owner.piece)
      else { return }
      masks.append(owner.mask)
    }
    return masks
  }

  private static func visit(_ bytes: [UInt8], _ body: (_ sum: UInt64, _ start: Int) -> Void) {
    guard bytes.count >= size else { return }
    var sum = bytes[..<size].reduce(0 as UInt64) { $0 &* base &+ UInt64($1) }
    body(sum, 0)
    for end in size..<bytes.count {
      sum = (sum &- UInt64(bytes[end - size]) &* highest) &* base &+ UInt64(bytes[end])
      body(sum, end - size + 1)
    }
  }
}
