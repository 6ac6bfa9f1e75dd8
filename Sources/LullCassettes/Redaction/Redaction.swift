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
  /// The same texts in small letters, since a server may say them in others.
  private var folded = SecretSearch()
  /// What stands in the place of each that is searched for.
  private var replacements: [Secret: String] = [:]
  /// All that is hidden, with what stands in the place of each.
  private(set) var texts: [[UInt8]: String] = [:]
  /// Credentials that are too short to be looked for everywhere.
  private var short: Set<String> = []
  /// What was given out, by the number of its stand-in.
  private var issued: [Int: [UInt8]] = [:]
  /// The highest number of a stand-in so far.
  private(set) var count = 0
  /// Up to which stand-ins of earlier recordings go, whose texts nobody knows.
  private var strangers = 0

  /// Names, in small letters, of what is a credential though it is not called like one.
  package var names: Set<String> = []
  /// What answers have said so far.
  private var said: [HARResponse] = []
  /// Texts that an answer had said before a request sent them as a credential.
  private(set) var late: [[UInt8]] = []

  /// Values shorter than this are hidden where their name tells what they are, and nowhere else.
  static let shortest = 8

  package init() {}

  /// From now on that text is hidden.
  ///
  /// - Parameters:
  ///   - text: nothing is hidden of one under four bytes, which is too common to be taken for a secret.
  ///   - mask: what stands in its place.
  package mutating func hide(_ text: [UInt8], as mask: String) {
    guard text.count >= SecretSearch.shortest, texts[text] == nil else { return }
    texts[text] = mask
    let secret = Secret(.literal("\(replacements.count)"), name: mask)
    replacements[secret] = mask
    for form in HiddenForms(text).all { search.add(secret, form) }
    let small = Redaction.folded(text)
    // A name that is called like its own text would be hidden in its mask.
    if text.count >= Redaction.shortest, small != Redaction.folded(text, toCapitals: true),
      !mask.lowercased().contains(String(decoding: small, as: UTF8.self))
    {
      folded.add(secret, small)
    }
  }

  /// Letters of ASCII only, so that as many bytes remain.
  private static func folded(_ bytes: [UInt8], toCapitals: Bool = false) -> [UInt8] {
    let range: ClosedRange<UInt8> = toCapitals ? 0x61...0x7A : 0x41...0x5A
    return bytes.map { range.contains($0) ? $0 ^ 0x20 : $0 }
  }

  /// How many texts are hidden so far.
  var hiddenCount: Int { texts.count }

  func hides(_ text: [UInt8]) -> Bool { texts[text] != nil }

  /// The same for what an answer has given out.
  mutating func replace(_ token: [UInt8]) {
    guard !hides(token), !CredentialMask.isMasked(String(decoding: token, as: UTF8.self))
    else { return }
    count += 1
    issued[count] = token
    hide(token, as: "\(Redaction.standIn)\(count)")
  }

  /// What a stand-in stands for.
  package enum Meaning: Equatable {
    /// That one is not of this recording.
    case none
    /// It is, and nobody knows any more.
    case unknown
    case text([UInt8])
  }

  func meaning(ofStandIn number: Int) -> Meaning {
    issued[number].map(Meaning.text) ?? (number <= strangers ? .unknown : .none)
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

  /// Whether a credential that is new was in an answer before, where nothing has called it so; one that looks
  /// random has then been given out by that. (CAS-73)
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
    return entries.map(hidden)
  }

  /// An exchange without anything that is hidden so far, or called like a credential.
  func hidden(_ entry: HAREntry) -> HAREntry {
    var entry = entry
    entry.request = hidden(entry.request)
    entry.response = entry.response.map(hidden)
    if let failure = entry.failure {
      entry.failure?.message = CredentialMask.text(hidden(failure.message))
    }
    return entry
  }

  /// Hides from now on what an exchange tells of credentials.
  ///
  /// - Parameter isPart: whether more of its answer is to come, with all of it once more at the end.
  package mutating func learn(from entry: HAREntry, isPart: Bool = false) {
    collect(from: entry.request)
    guard let response = entry.response else { return }
    collect(from: response)
    if !isPart { said.append(response) }
  }

  /// New stand-ins are none of those that recordings have already.
  package mutating func passStandIns(of entries: [HAREntry]) {
    for entry in entries { pass(StandIns.highest(in: entry)) }
    strangers = count
  }

  /// New stand-ins have higher numbers.
  mutating func pass(_ number: Int) { count = max(count, number) }

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
      // "key" and "token" are names of other things too, which a program may need.
      response.body = HARBody(
        hidden(body: body.bytes) { CredentialMask.body($0, onlyCertain: true) },
        type: hidden(body.type))
    }
    return response
  }

  /// The header with its bytes where its name hides nothing: they may be no text.
  private func masked(_ header: HARHeader, _ mask: (String) -> String) -> HARHeader {
    let name = hidden(header.name)
    let bytes = hidden(header.value)
    let value = String(escaping: bytes)
    let masked = mask(value)
    return masked == value ? HARHeader(name, bytes) : HARHeader(name, masked)
  }

  /// A body in its charset; as bytes, where these are no text.
  private func hidden(body bytes: [UInt8], _ mask: ([UInt8]) -> [UInt8]) -> [UInt8] {
    guard let text = RecordedText(bytes), text.isWide else { return mask(hidden(bytes)) }
    let masked = mask(hidden(text.bytes))
    // It may only look so.
    return hidden(masked == text.bytes ? bytes : text.bytes(of: masked) ?? masked)
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

  // MARK: In any text

  /// Any text without what is hidden so far: also within codings inside of each other, which are made anew.
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

  /// Whether words that are encoded say anything that is hidden: most texts have none.
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

  /// What stands for that which is hidden in a text as it stands there.
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

/// What is hidden and stands in a recording where nothing can be put in its place: in what is compressed, in which
/// other bytes would be another file.
extension Redaction {
  /// What to look at in a recording before anybody else sees it: what may be a token that nobody has named, parts
  /// of those that are hidden, and what nobody can look into.
  package func suspicions(in entries: [HAREntry]) -> [String] {
    Leftover.all(in: entries).map(\.description) + unhidden(in: entries) + parts(in: entries)
      + opaque(in: entries)
  }

  /// Values that were to be hidden by their names and are not: numbers, objects, whose fields have names of their
  /// own, and what is too short to be found again.
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
        "number \(index + 1), \($0): what is to be hidden there is a number, an object, true or false, or shorter than 4 characters"
      }
    }
  }

  /// Such places by the exchanges that have them, from 0, each with what stands there; of a recording without what
  /// could be taken out. (CAS-71)
  package func concealed(in entries: [HAREntry]) -> [Int: String] {
    var found: [Int: String] = [:]
    for (index, entry) in entries.enumerated() {
      for (place, body, codings) in Redaction.bodies(of: entry) {
        guard found[index] == nil, let mask = hiddenIn(coded: body.bytes, codings) else { continue }
        found[index] = "number \(index + 1), \(place), has \(mask) in what is compressed"
      }
    }
    return found
  }

  /// Bodies into which nobody can look, each with why. (CAS-71)
  private func opaque(in entries: [HAREntry]) -> [String] {
    entries.enumerated().flatMap { index, entry in
      Redaction.bodies(of: entry).compactMap { place, body, codings in
        guard let codings, case .unknown(let why) = Redaction.content(body.bytes, codings) else {
          return nil
        }
        return "number \(index + 1), \(place), which is \(why)"
      }
    }
  }

  /// A response's is decoded already, unless it is a file that is compressed.
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

  /// What a request says its body is coded as; nil if it says nothing.
  private static func codings(of request: HARRequest) -> String? {
    let values = request.headers.filter { $0.name.lowercased() == "content-encoding" }
    return values.isEmpty
      ? nil : values.map { String(escaping: $0.value) }.joined(separator: ",")
  }

  /// Whether other bytes in its place would make it another file: it stays as it is.
  static func isCoded(_ body: HARBody, of request: HARRequest? = nil) -> Bool {
    if case .decoded = content(body.bytes, request.flatMap(codings)) { true } else { false }
  }

  private static func content(_ bytes: [UInt8], _ codings: String?) -> CodedBytes.Content {
    let content = CodedBytes.content(of: bytes, codedAs: codings)
    return content == .plain ? CodedBytes.content(of: bytes) : content
  }

  /// The mask of the first thing that is hidden in what the bytes say, or what base64 in them says.
  private func hiddenIn(coded bytes: [UInt8], _ codings: String?, depth: Int = 3) -> String? {
    guard depth > 0 else { return nil }
    if case .decoded(let inner) = Redaction.content(bytes, codings) {
      // What is broken is looked at as it is, too.
      return firstMask(in: inner) ?? hiddenIn(coded: inner, nil, depth: depth - 1)
        ?? firstMask(in: bytes)
    }
    var found: String?
    _ = EncodedWords(bytes) { inner in
      // Most words are none: only what is compressed is looked at here.
      if found == nil, CodedBytes.mayBeCoded(inner) {
        found = hiddenIn(coded: inner, nil, depth: depth - 1)
      }
      return nil
    }
    return found
  }

  /// Of what is hidden there, the first.
  private func firstMask(in bytes: [UInt8]) -> String? {
    let shown = hidden(bytes)
    guard shown != bytes else { return nil }
    return masks(in: bytes).first ?? CredentialMask.mark
  }
}

/// Parts of what is hidden, such as its beginning, which a server may say again: they stay, since nobody can tell
/// what else they are, and are told of.
extension Redaction {
  /// Of each token that has a part somewhere the first place; for parts that look random only, which nobody says
  /// by chance. (CAS-72)
  func parts(in entries: [HAREntry]) -> [String] {
    let pieces = Pieces(texts)
    guard !pieces.isEmpty else { return [] }
    var seen: Set<String> = []
    var found: [String] = []
    func look(_ bytes: [UInt8], _ number: Int, _ place: String) {
      for mask in pieces.masks(in: bytes) where seen.insert(mask).inserted {
        found.append("number \(number), \(place): a part of \(mask)")
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

/// All pieces of one length of some texts, to be found in others at once.
private struct Pieces {
  private static let size = 12
  private static let base: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let highest = (1..<size).reduce(1 as UInt64) { power, _ in power &* base }

  /// By a sum that is made anew from one place to the next.
  private var owners: [UInt64: (piece: [UInt8], mask: String)] = [:]

  var isEmpty: Bool { owners.isEmpty }

  init(_ texts: [[UInt8]: String]) {
    // A shorter one would be told of for nearly all of it.
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
