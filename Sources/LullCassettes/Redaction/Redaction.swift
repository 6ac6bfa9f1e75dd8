import LullCore
import LullTransport

/// Removes credentials from recordings. A hidden text occurs nowhere in them, in any place or
/// escaping. (CAS-20 to CAS-25)
///
/// Secrets in requests are masked already; if a response repeats one, it is masked here. Tokens and
/// cookies that a response issues are replaced by a stand-in such as `lull-token-1`. It is the same
/// everywhere, so that a request with the stand-in matches the recorded one. Values that are not
/// secrets but have the name of a credential become `***`. A request that is compared with a
/// recording is redacted in the same way.
package struct Redaction: Sendable {
  /// The beginning of a stand-in; its number follows.
  package static let standIn = CredentialMask.standIn

  private var search = SecretSearch()
  /// The same texts in lower case, because a server may repeat them in another case.
  private var folded = SecretSearch()
  /// The replacement of each text that is searched for.
  private var replacements: [Secret: String] = [:]
  /// All hidden texts, with their replacements.
  private(set) var texts: [[UInt8]: String] = [:]
  /// Credentials that are too short to be searched for everywhere.
  private var short: Set<String> = []
  /// Issued tokens, by the numbers of their stand-ins.
  private var issued: [Int: [UInt8]] = [:]
  /// The highest number of a stand-in so far.
  private(set) var count = 0
  /// The highest number of a stand-in from earlier recordings, whose tokens are unknown.
  private var strangers = 0

  /// Names of values to hide although they are not named like credentials. In lower case.
  package var names: Set<String> = []
  /// The responses so far.
  private var said: [HARResponse] = []
  /// Texts that a response contained before a request sent them as credentials.
  private(set) var late: [[UInt8]] = []

  /// Shorter values are only hidden under the name of a credential.
  static let shortest = 8

  package init() {}

  /// Hides a text from now on.
  ///
  /// - Parameters:
  ///   - text: The text. Texts under four bytes are ignored, because they are too common.
  ///   - mask: Its replacement.
  package mutating func hide(_ text: [UInt8], as mask: String) {
    guard text.count >= SecretSearch.shortest, texts[text] == nil else { return }
    texts[text] = mask
    let secret = Secret(.literal("\(replacements.count)"), name: mask)
    replacements[secret] = mask
    for form in HiddenForms(text).all { search.add(secret, form) }
    let small = Redaction.folded(text)
    // A text that occurs in its own mask would be replaced there too.
    if text.count >= Redaction.shortest, small != Redaction.folded(text, toCapitals: true),
      !mask.lowercased().contains(String(decoding: small, as: UTF8.self))
    {
      folded.add(secret, small)
    }
  }

  /// ASCII letters only, so that the length does not change.
  private static func folded(_ bytes: [UInt8], toCapitals: Bool = false) -> [UInt8] {
    let range: ClosedRange<UInt8> = toCapitals ? 0x61...0x7A : 0x41...0x5A
    return bytes.map { range.contains($0) ? $0 ^ 0x20 : $0 }
  }

  /// The number of hidden texts.
  var hiddenCount: Int { texts.count }

  func hides(_ text: [UInt8]) -> Bool { texts[text] != nil }

  /// Hides a token that a response has issued.
  mutating func replace(_ token: [UInt8]) {
    guard !hides(token), !CredentialMask.isMasked(String(decoding: token, as: UTF8.self))
    else { return }
    count += 1
    issued[count] = token
    hide(token, as: "\(Redaction.standIn)\(count)")
  }

  /// The token of a stand-in.
  package enum Meaning: Equatable {
    /// The stand-in is not from this recording.
    case none
    /// The stand-in is from this recording, but its token is no longer known.
    case unknown
    case text([UInt8])
  }

  func meaning(ofStandIn number: Int) -> Meaning {
    issued[number].map(Meaning.text) ?? (number <= strangers ? .unknown : .none)
  }

  mutating func noteShort(_ credential: String) { short.insert(credential) }

  /// Returns a script without hidden texts, and without short credentials that occur in it as
  /// strings.
  func hidden(inScript text: [UInt8]) -> [UInt8] {
    var text = String(escaping: hidden(text))
    for credential in short {
      for quote in ["\"", "'"] {
        text = text.replacing(quote + credential + quote, with: quote + CredentialMask.mark + quote)
      }
    }
    return Array(text.utf8)
  }

  /// Whether a new credential occurred in an earlier response under a neutral name, and looks
  /// random. It then counts as issued by that response. (CAS-73)
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

  /// Returns the recording without hidden texts and values named like credentials.
  ///
  /// - Parameter issued: Texts to hide, each with its mask, unless the recording has issued them:
  ///   they then have their stand-in.
  package mutating func redacted(
    _ entries: [HAREntry], hiding issued: [(text: [UInt8], mask: String)] = []
  ) -> [HAREntry] {
    // Learns from all of them first: a token may occur in an exchange before it is known.
    passStandIns(of: entries)
    for entry in entries { learn(from: entry) }
    for (text, mask) in issued { hide(text, as: mask) }
    return entries.map(hidden)
  }

  /// Returns an exchange without the texts hidden so far and values named like credentials.
  func hidden(_ entry: HAREntry) -> HAREntry {
    var entry = entry
    entry.request = hidden(entry.request)
    entry.response = entry.response.map(hidden)
    if let failure = entry.failure {
      entry.failure?.message = CredentialMask.text(hidden(failure.message))
    }
    return entry
  }

  /// Hides the credentials of an exchange from now on.
  ///
  /// - Parameter isPart: Whether more of its response will follow, with all of it repeated at the
  ///   end.
  package mutating func learn(from entry: HAREntry, isPart: Bool = false) {
    collect(from: entry.request)
    guard let response = entry.response else { return }
    collect(from: response)
    if !isPart { said.append(response) }
  }

  /// Makes new stand-ins differ from those of existing recordings.
  package mutating func passStandIns(of entries: [HAREntry]) {
    for entry in entries { pass(StandIns.highest(in: entry)) }
    strangers = count
  }

  /// Makes new stand-ins have higher numbers.
  mutating func pass(_ number: Int) { count = max(count, number) }

  /// Returns a request as a recording contains it.
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
      // "key" and "token" also name other things, which a program may need.
      response.body = HARBody(
        hidden(body: body.bytes) { CredentialMask.body($0, onlyCertain: true) },
        type: hidden(body.type))
    }
    return response
  }

  /// Masks a header. If its name hides nothing, its bytes are kept, which need not be text.
  private func masked(_ header: HARHeader, _ mask: (String) -> String) -> HARHeader {
    let name = hidden(header.name)
    let bytes = hidden(header.value)
    let value = String(escaping: bytes)
    let masked = mask(value)
    return masked == value ? HARHeader(name, bytes) : HARHeader(name, masked)
  }

  /// Masks a body in its charset; as bytes if it is not text.
  private func hidden(body bytes: [UInt8], _ mask: ([UInt8]) -> [UInt8]) -> [UInt8] {
    guard let text = RecordedText(bytes), text.isWide else { return mask(hidden(bytes)) }
    let masked = mask(hidden(text.bytes))
    // It may only look like that charset.
    return hidden(masked == text.bytes ? bytes : text.bytes(of: masked) ?? masked)
  }

  /// Masks the fields of a multipart form that are named like credentials.
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

  /// Returns any text without the texts hidden so far. Nested encodings are decoded and encoded
  /// again.
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

  /// Whether encoded words contain hidden texts. Most texts have no encoded words.
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

  /// Returns the masks of the hidden texts in an undecoded text.
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
  /// Hides credentials that a request sends and that are not secrets.
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

  /// Returns the values of the names to hide, except values that are too short to be found again.
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

  /// Hides credentials that a response issues.
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
          // Further masks would replace too much, which could not be restored.
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

  /// Each part beside the mask of a secret counts separately.
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

/// Hidden texts in recordings that cannot be replaced: those in compressed data, where other bytes
/// would change the file.
extension Redaction {
  /// Returns what to check before a recording is shared: possible unnamed tokens, parts of hidden
  /// texts, and data that cannot be decoded.
  package func suspicions(in entries: [HAREntry]) -> [String] {
    Leftover.all(in: entries).map(\.description) + unhidden(in: entries) + parts(in: entries)
      + opaque(in: entries)
  }

  /// Returns values that should be hidden by their names but are not: numbers, objects, whose
  /// fields have their own names, and values that are too short to be found again.
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

  /// Returns the exchanges with such places, by their index from 0, each with the mask of the
  /// hidden text. For a recording that is redacted otherwise. (CAS-71)
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

  /// Returns messages about bodies that cannot be decoded, with the reason. (CAS-71)
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

  /// Response bodies are decoded already, unless they are compressed files.
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

  /// Returns the declared codings of a request body; nil for none.
  private static func codings(of request: HARRequest) -> String? {
    let values = request.headers.filter { $0.name.lowercased() == "content-encoding" }
    return values.isEmpty
      ? nil : values.map { String(escaping: $0.value) }.joined(separator: ",")
  }

  /// Whether a replacement would corrupt the body, because it is compressed: it stays unchanged.
  static func isCoded(_ body: HARBody, of request: HARRequest? = nil) -> Bool {
    if case .decoded = content(body.bytes, request.flatMap(codings)) { true } else { false }
  }

  private static func content(_ bytes: [UInt8], _ codings: String?) -> CodedBytes.Content {
    let content = CodedBytes.content(of: bytes, codedAs: codings)
    return content == .plain ? CodedBytes.content(of: bytes) : content
  }

  /// Returns the mask of the first hidden text in coded bytes, or in base64 within them.
  private func hiddenIn(coded bytes: [UInt8], _ codings: String?, depth: Int = 3) -> String? {
    guard depth > 0 else { return nil }
    if case .decoded(let inner) = Redaction.content(bytes, codings) {
      // Damaged data is also searched undecoded.
      return firstMask(in: inner) ?? hiddenIn(coded: inner, nil, depth: depth - 1)
        ?? firstMask(in: bytes)
    }
    var found: String?
    _ = EncodedWords(bytes) { inner in
      // Most words are not compressed data; only that is decoded here.
      if found == nil, CodedBytes.mayBeCoded(inner) {
        found = hiddenIn(coded: inner, nil, depth: depth - 1)
      }
      return nil
    }
    return found
  }

  /// Returns the mask of the first hidden text.
  private func firstMask(in bytes: [UInt8]) -> String? {
    let shown = hidden(bytes)
    guard shown != bytes else { return nil }
    return masks(in: bytes).first ?? CredentialMask.mark
  }
}

/// Parts of hidden texts, such as their beginning, which a server may repeat. They stay, because
/// they may be anything else, but are reported.
extension Redaction {
  /// Returns the first place of each token that partly occurs somewhere. Only parts that look
  /// random count, because they do not occur by chance. (CAS-72)
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

/// All pieces of one length of some texts, which are searched for together.
private struct Pieces {
  private static let size = 12
  private static let base: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let highest = (1..<size).reduce(1 as UInt64) { power, _ in power &* base }

  /// By a rolling hash.
  private var owners: [UInt64: (piece: [UInt8], mask: String)] = [:]

  var isEmpty: Bool { owners.isEmpty }

  init(_ texts: [[UInt8]: String]) {
    // A match in a shorter text would be nearly all of it.
    for (text, mask) in texts where text.count >= 16 {
      Pieces.visit(text) { sum, start in
        let piece = Array(text[start..<(start + Pieces.size)])
        if RandomText.isNoise(String(decoding: piece, as: UTF8.self)) {
          owners[sum] = (piece, mask)
        }
      }
    }
  }

  /// Each once, in order.
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
