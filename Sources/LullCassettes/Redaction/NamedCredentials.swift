import LullCore

/// Values whose names say that they let somebody in.
enum NamedCredentials {
  /// What of a body counts: what can be nothing else, or what may be.
  enum Certainty: Equatable {
    case certain
    case likely
    /// What somebody has named, in small letters, and nothing else.
    case named(Set<String>)
  }

  /// User and password of the URLs in a text.
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

  /// Of the queries and fragments in a text.
  static func values(
    inQueryOf text: String, _ certainty: Certainty = .likely
  ) -> [String] {
    guard text.contains("=") else { return [] }
    var values: [String] = []
    // There is a blank in the mask of a secret.
    let text = MaskedText.bare(CredentialMask.decodedMasks(text))
    for piece in text.split(whereSeparator: { "?&#<>\"' ;,".contains($0) }) {
      guard let equals = piece.firstIndex(of: "=") else { continue }
      let value = piece[piece.index(after: equals)...]
      if isCalledSo(decoded(piece[..<equals]), value, certainty) { values.append(decoded(value)) }
    }
    return values
  }

  /// Of a header that is called so, or has a scheme before what it holds.
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

  /// Of JSON, also of several texts, of a form, of a form in parts or in HTML.
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
        // A line of markup is no form.
        guard let equals = pair.firstIndex(of: "="),
          !pair[..<equals].contains(where: { " <\"".contains($0) })
        else { return nil }
        let value = pair[pair.index(after: equals)...]
        return isCalledSo(decoded(pair[..<equals]), value, certainty) ? decoded(value) : nil
      }
  }

  /// Numbers of at least eight digits that are called like nothing else: their bodies would not be the same with
  /// a text in their places.
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

  /// Whether a number, an object, true or false stands in JSON under one of the names, which are no texts to be found again.
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

  /// What a credential is called inside of an object that is called as it is.
  private static let values: Set<String> = ["value", "bearer", "raw", "text"]

  private static func collect(
    _ element: JSONElement, called name: String, _ certainty: Certainty, into values: inout [String]
  ) {
    switch element.kind {
    case .object:
      for (key, value) in element.pairs {
        // `{"token": {"value": "…"}}`
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
        // The address of something that only who has it may have.
        values += self.values(inQueryOf: text, .certain)
      }
    default: break
    }
  }

  /// What may be called so and be something else is taken for a credential in an answer if it looks like one.
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

  /// What a login gives out, and whose names are those of other things.
  private static let codes: Set<String> = [
    "code", "device_code", "user_code", "code_verifier", "ticket", "nonce", "state", "auth",
    "access",
  ]

  private static func decoded(_ text: some StringProtocol) -> String {
    CredentialMask.decoded(text)
  }
}
