package import LullCore

/// Finds values that are identified as credentials by their names.
enum NamedCredentials {
  /// How certain a name must be for its value to be treated as a credential.
  enum Certainty: Equatable {
    case certain
    case likely
    /// Only these names, in lower case.
    case named(Set<String>)
  }

  /// Returns the user names and passwords in the URLs of a text.
  static func users(in text: String) -> [(user: String, password: String)] {
    var found: [(String, String)] = []
    var rest = text[...]
    while let start = rest.firstRange(of: "://")?.upperBound {
      rest = rest[start...]
      let end = rest.firstIndex { "/?#'\"<> ".contains($0) } ?? rest.endIndex
      if let at = rest[..<end].lastIndex(of: "@") {
        let parts = rest[..<at].split(separator: ":", maxSplits: 1)
        found.append((String(parts.first ?? ""), decoded(parts.count > 1 ? parts[1] : "")))
      }
      rest = rest[end...]
    }
    return found
  }

  /// Returns the credentials in the queries and fragments of a text.
  static func values(
    inQueryOf text: String, _ certainty: Certainty = .likely
  ) -> [String] {
    guard text.contains("=") else { return [] }
    var values: [String] = []
    // The mask of a secret contains a space, which would separate words.
    let text = MaskedText.bare(CredentialMask.decodedMasks(text))
    for piece in text.split(whereSeparator: { "?&#<>\"' ;,".contains($0) }) {
      guard let equals = piece.firstIndex(of: "=") else { continue }
      let value = piece[piece.index(after: equals)...]
      if isCalledSo(decoded(piece[..<equals]), value, certainty) { values.append(decoded(value)) }
    }
    return values
  }

  /// Returns the credentials in the value of a header. A credential is identified by the name of
  /// the header or by the scheme at the start of the value.
  static func values(inHeader name: String, _ value: String) -> [String] {
    if name.lowercased() == "cookie" {
      return value.split(separator: ";").map { pair in
        pair.firstIndex(of: "=").map { String(pair[pair.index(after: $0)...]) } ?? String(pair)
      }
    }
    let words = value.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].allSatisfy({ $0.isLetter || $0 == "-" }) else {
      return [value]
    }
    let rest = String(words[1])
    guard words[0].lowercased() == "basic", let bytes = try? Base64.decode(Array(rest.utf8)) else {
      return [rest]
    }
    let pair = String(decoding: bytes, as: UTF8.self)
    let password = pair.firstIndex(of: ":").map { String(pair[pair.index(after: $0)...]) }
    return [rest, pair] + (password.map { [$0] } ?? [])
  }

  /// Returns the credentials in a body. The body may be JSON, several JSON documents, a form, a
  /// multipart form or HTML.
  static func values(inBody bytes: [UInt8], _ certainty: Certainty) -> [String] {
    var values: [String] = []
    if let document = try? JSONDocument(parsing: bytes) {
      collect(document.root, called: "", certainty, into: &values)
      return values
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { return [] }
    for document in BodyTexts.documents(in: text) {
      collect(document.root, called: "", certainty, into: &values)
    }
    for (name, value) in BodyTexts.fields(in: text) where isCalledSo(name, value, certainty) {
      values.append(value)
    }
    if certainty == .certain { values += self.values(inQueryOf: text, .certain) }
    guard !text.contains(where: \.isNewline) else { return values }
    return values
      + text.split(separator: "&").compactMap { pair in
        // A line with these characters is markup, not a form.
        guard let equals = pair.firstIndex(of: "="),
          !pair[..<equals].contains(where: { " <\"".contains($0) })
        else { return nil }
        let value = pair[pair.index(after: equals)...]
        return isCalledSo(decoded(pair[..<equals]), value, certainty) ? decoded(value) : nil
      }
  }

  /// Returns numbers of at least eight digits in a body whose names are unambiguous names of
  /// credentials. These numbers are not replaced in recordings, because a text instead of a number
  /// would change the type of the value.
  static func numbers(inBody bytes: [UInt8]) -> [String] {
    guard let document = try? JSONDocument(parsing: bytes) else { return [] }
    var numbers: [String] = []
    func look(_ element: JSONElement, _ name: String) {
      switch element.kind {
      case .object: for (key, value) in element.pairs { look(value, key) }
      case .array: for value in element.elements { look(value, name) }
      default:
        guard let certainty = CredentialName(name), element.string == nil,
          certainty == .certain || name.lowercased().hasSuffix("token"),
          let number = element.double, abs(number) >= 1e7
        else { return }
        numbers.append(element.int.map { "\($0)" } ?? element.digits ?? "\(number)")
      }
    }
    look(document.root, "")
    return numbers
  }

  /// Whether a JSON body has a member with one of the names whose value is a number, an object,
  /// true or false. These values are not texts, so they can't be found elsewhere and hidden.
  static func hasOther(named names: Set<String>, inBody bytes: [UInt8]) -> Bool {
    guard let document = try? JSONDocument(parsing: bytes) else { return false }
    func isHidden(_ key: String) -> Bool { names.contains(key) || values.contains(key) }
    func look(_ element: JSONElement, _ name: String) -> Bool {
      switch element.kind {
      case .object:
        names.contains(name.lowercased())
          && element.pairs.contains { !isHidden($0.key.lowercased()) }
          || element.pairs.contains { look($0.value, $0.key) }
      case .array: element.elements.contains { look($0, name) }
      default: names.contains(name.lowercased()) && element.string == nil && !element.isNull
      }
    }
    return look(document.root, "")
  }

  /// Names of members that may contain the credential, if the value with the credential's name is
  /// an object.
  private static let values: Set<String> = ["value", "bearer", "raw", "text"]

  private static func collect(
    _ element: JSONElement, called name: String, _ certainty: Certainty, into values: inout [String]
  ) {
    switch element.kind {
    case .object:
      for (key, value) in element.pairs {
        // In `{"token": {"value": "…"}}`, the value belongs to the name `token`.
        let isValue = self.values.contains(key.lowercased())
        collect(value, called: isValue && !name.isEmpty ? name : key, certainty, into: &values)
      }
    case .array:
      for value in element.elements { collect(value, called: name, certainty, into: &values) }
    case .string:
      guard let text = element.string else { return }
      if isCalledSo(name, text, certainty) {
        values.append(text)
      } else if let inner = BodyTexts.document(text) {
        collect(inner.root, called: "", certainty, into: &values)
      } else if certainty == .certain, text.contains("://") {
        // A URL may contain credentials as query parameters.
        values += self.values(inQueryOf: text, .certain)
      }
    default: break
    }
  }

  /// Whether a value is treated as a credential because of its name. For `certain`, which is used
  /// for responses, a value with an ambiguous name must also look like a token. For names in
  /// `codes`, the value must always look like a token.
  private static func isCalledSo(
    _ name: String, _ value: some StringProtocol, _ certainty: Certainty
  ) -> Bool {
    if case .named(let names) = certainty { return names.contains(name.lowercased()) }
    return switch CredentialName(name) {
    case .certain: true
    case .likely: certainty == .likely || RandomText.mayBeIssued(value)
    case nil: codes.contains(name.lowercased()) && RandomText.mayBeIssued(value)
    }
  }

  /// Names that are used for results of a login, but also for other data.
  private static let codes: Set<String> = [
    "code", "device_code", "user_code", "code_verifier", "ticket", "nonce", "state", "auth",
    "access",
  ]

  private static func decoded(_ text: some StringProtocol) -> String {
    CredentialMask.decoded(text)
  }
}

extension CredentialMask {
  /// Returns the number of occurrences of `***` in the response of an exchange.
  package static func count(in entry: HAREntry) -> Int {
    guard let response = entry.response else { return 0 }
    let texts = response.headers.map(\.value) + [response.body?.bytes ?? []]
    return texts.reduce(count(in: Array((response.finalURL ?? "").utf8))) { $0 + count(in: $1) }
  }

  /// Returns the number of occurrences of `***` in the bytes, including those within encoded words.
  private static func count(in bytes: [UInt8]) -> Int {
    var level = bytes
    var count = 0
    for _ in 0...StandInReading.depth where !level.isEmpty {
      count += countAsItIs(in: level)
      level = EncodedWords.decoded(in: level)
    }
    return count
  }

  private static func countAsItIs(in bytes: [UInt8]) -> Int {
    let star = UInt8(ascii: "*")
    return bytes.split(whereSeparator: { $0 != star }).count(where: { $0.count >= mark.utf8.count })
  }

  /// Whether a request contains `***`. Headers whose names denote credentials are not checked,
  /// because Lull sets them automatically.
  package static func stands(in request: HARRequest) -> Bool {
    let headers = request.headers.filter { !CredentialName.names($0.name) }.map(\.value)
    let texts = headers + [request.body?.bytes ?? [], Array(request.url.utf8)]
    return texts.contains { bytes in
      count(in: Array(decoded(String(decoding: bytes, as: UTF8.self)).utf8)) > 0
    }
  }
}

/// A credential that a later request sent, but that an earlier response contained under a name that
/// doesn't denote a credential. During recording, the test sees the real value in the response.
/// During replay, it sees the stand-in. (CAS-73)
struct LateCredential: CustomStringConvertible {
  private let said: String
  /// The method and URL of the later request that sent the credential; nil if no request is found,
  /// because the request contains only a mask.
  private let sent: String?
  private let name: String?
  private let mask: String

  /// Finds the response and the request that contain a late credential.
  ///
  /// - Parameters:
  ///   - text: The credential as it occurs in the unredacted entries.
  ///   - mask: The mask that replaces the credential from now on.
  init?(_ text: [UInt8], shownAs mask: String, in entries: [HAREntry]) {
    let value = String(decoding: text, as: UTF8.self)
    guard
      let source = entries.firstIndex(where: {
        $0.response.map { LateCredential.says(value, $0) } ?? false
      })
    else { return nil }
    guard let response = entries[source].response else { return nil }
    let later = entries[(source + 1)...].first { LateCredential.sends(value, $0.request) }
    said = "\(entries[source].request.method) \(LogText.url(entries[source].request.url))"
    sent = later.map { "\($0.request.method) \(LogText.url($0.request.url))" }
    name = LateCredential.name(of: value, in: response)
    self.mask = mask
  }

  var description: String {
    let value =
      name.map { "'\($0)' of the response to \(said)" }
      ?? "a value in the response to \(said)"
    let advice =
      name.map { "add hide = { \"\($0)\" } to the cassette and record it again" }
      ?? "stub that request with t.network:on"
    return
      "\(value) was sent as a credential\(sent.map { " by \($0)" } ?? ""): the test has seen "
      + "the real value, and will see \(mask) on replay; \(advice)"
  }

  private static func says(_ text: String, _ response: HARResponse) -> Bool {
    let texts = response.headers.map(\.value) + [response.body?.bytes ?? []]
    return texts.contains { String(decoding: $0, as: UTF8.self).contains(text) }
  }

  private static func sends(_ text: String, _ request: HARRequest) -> Bool {
    var redaction = Redaction()
    redaction.collect(from: request)
    return redaction.hides(Array(text.utf8))
  }

  /// Returns the name of the header or JSON member whose value is `text`.
  private static func name(of text: String, in response: HARResponse) -> String? {
    if let header = response.headers.first(where: { String(escaping: $0.value) == text }) {
      return header.name
    }
    guard let body = response.body, let readable = RecordedText(body.bytes),
      let document = try? JSONDocument(parsing: readable.bytes)
    else { return nil }
    return name(of: text, in: document.root, called: nil)
  }

  private static func name(of text: String, in element: JSONElement, called name: String?)
    -> String?
  {
    switch element.kind {
    case .object:
      for (key, value) in element.pairs {
        if let found = self.name(of: text, in: value, called: key) { return found }
      }
    case .array:
      for value in element.elements {
        if let found = self.name(of: text, in: value, called: name) { return found }
      }
    default: return element.string == text ? name : nil
    }
    return nil
  }
}
