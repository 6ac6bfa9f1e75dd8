import LullCore

/// A server's challenge in a 401 response: one of the schemes that the server accepts. (RFC 9110,
/// 11.6.1)
struct AuthChallenge: Equatable {
  /// The name of the scheme, in lower case.
  let scheme: String
  /// The parameters, with names in lower case and values without quotes. If a name occurs several
  /// times, the first value is kept.
  private(set) var parameters: [String: String] = [:]

  init(scheme: String) { self.scheme = scheme.lowercased() }

  subscript(_ name: String) -> String? { parameters[name] }

  /// Returns all challenges in the values of `WWW-Authenticate` headers, in order. Invalid parts
  /// are skipped.
  static func all(in values: [String]) -> [AuthChallenge] {
    var challenges: [AuthChallenge] = []
    for value in values {
      var rest = Substring(value)[...]
      while let word = token(&rest) {
        skipBlanks(&rest)
        if rest.first == "=", !challenges.isEmpty, let text = parameter(&rest) {
          let last = challenges.count - 1
          let name = word.lowercased()
          if challenges[last].parameters[name] == nil {
            challenges[last].parameters[name] = text
          }
        } else {
          challenges.append(AuthChallenge(scheme: String(word)))
          skipToken68(&rest)
        }
      }
    }
    return challenges
  }

  /// Returns the next token. Skips commas, blanks and other characters before the token.
  private static func token(_ rest: inout Substring) -> Substring? {
    rest = rest.drop { !isTokenCharacter($0) }
    let word = rest.prefix { isTokenCharacter($0) }
    rest = rest[word.endIndex...]
    return word.isEmpty ? nil : word
  }

  /// Reads the value of a parameter after its name: `= value` or `= "value"`.
  private static func parameter(_ rest: inout Substring) -> String? {
    var text = rest.dropFirst()
    skipBlanks(&text)
    guard text.first == "\"" else {
      let value = text.prefix { $0 != "," && $0 != " " && $0 != "\t" }
      rest = text[value.endIndex...]
      return String(value)
    }
    var value = ""
    text = text.dropFirst()
    while let character = text.popFirst(), character != "\"" {
      guard character == "\\", let escaped = text.popFirst() else {
        value.append(character)
        continue
      }
      value.append(escaped)
    }
    rest = text
    return value
  }

  /// Skips a token68 such as `Negotiate YII…==`, which must not be read as a parameter's name.
  private static func skipToken68(_ rest: inout Substring) {
    skipBlanks(&rest)
    let word = rest.prefix { isTokenCharacter($0) || $0 == "/" }
    let after = rest[word.endIndex...].drop { $0 == "=" }
    let next = after.drop { $0 == " " || $0 == "\t" }
    if !word.isEmpty, next.isEmpty || next.first == "," { rest = next }
  }

  private static func skipBlanks(_ rest: inout Substring) {
    rest = rest.drop { $0 == " " || $0 == "\t" }
  }

  private static func isTokenCharacter(_ character: Character) -> Bool {
    guard character.isASCII else { return false }
    return character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character)
  }
}

/// A server's challenge for digest authentication. (RFC 7616, 3.3)
struct DigestChallenge: Sendable, Equatable {
  enum Protection: Sendable { case none, head, all }

  let algorithm: Digest
  /// The name of the algorithm as the server wrote it, such as `MD5` or `SHA-256-sess`. nil means
  /// that the challenge has no algorithm, and that MD5 is used.
  let algorithmName: String?
  /// Whether the algorithm ends in `-sess`: user and password are combined with the nonce once, for
  /// all requests with that nonce.
  let isSession: Bool
  let realm: String
  let nonce: String
  let opaque: String?
  /// The parts of a request that the answer to the challenge protects. `head` protects the method
  /// and the URL, and `all` also the body. `none` means that the challenge does not offer a choice
  /// (`qop`).
  let protection: Protection
  let hidesUser: Bool
  let isUTF8: Bool

  /// Returns nil if `challenge` is not a digest challenge, or has unsupported parameters.
  init?(_ challenge: AuthChallenge) {
    guard challenge.scheme == "digest", let nonce = challenge["nonce"] else { return nil }
    var name = (challenge["algorithm"] ?? "MD5").uppercased()
    isSession = name.hasSuffix("-SESS")
    if isSession { name = String(name.dropLast(5)) }
    switch name {
    case "MD5": algorithm = .md5
    case "SHA-256": algorithm = .sha256
    case "SHA-512-256": algorithm = .sha512of256
    // This name is not registered, but some servers request it.
    case "SHA-512": algorithm = .sha512
    default: return nil
    }
    if let offered = challenge["qop"] {
      let words = offered.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
      guard words.contains("auth") || words.contains("auth-int") else { return nil }
      protection = words.contains("auth") ? .head : .all
    } else {
      protection = .none
    }
    algorithmName = challenge["algorithm"]
    realm = challenge["realm"] ?? ""
    self.nonce = nonce
    opaque = challenge["opaque"]
    hidesUser = challenge["userhash"]?.lowercased() == "true"
    isUTF8 = challenge["charset"]?.lowercased() == "utf-8"
  }

  /// Returns the challenge with the strongest algorithm, or nil if no challenge is supported.
  static func best(of challenges: [AuthChallenge]) -> DigestChallenge? {
    // Of several equally strong challenges, the first is used: servers name their preferred
    // challenge first.
    challenges.compactMap { DigestChallenge($0) }
      .reduce(nil) { best, one in
        guard let best else { return one }
        return one.strength > best.strength ? one : best
      }
  }

  private var strength: Int {
    switch algorithm {
    case .sha512, .sha512of256: 2
    case .sha256: 1
    default: 0
    }
  }
}
