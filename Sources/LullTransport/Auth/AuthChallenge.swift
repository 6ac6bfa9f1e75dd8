import LullCore

/// What a server asks for with 401: one of the ways that it knows. (RFC 9110, 11.6.1)
struct AuthChallenge: Equatable {
  /// In lower case.
  let scheme: String
  /// Names in lower case, values without their quotes; the first of a name counts.
  private(set) var parameters: [String: String] = [:]

  init(scheme: String) { self.scheme = scheme.lowercased() }

  subscript(_ name: String) -> String? { parameters[name] }

  /// All that the values of `WWW-Authenticate` ask for, in their order. What cannot be read is left out.
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

  /// The next word; what is none, commas and blanks above all, is passed over.
  private static func token(_ rest: inout Substring) -> Substring? {
    rest = rest.drop { !isTokenCharacter($0) }
    let word = rest.prefix { isTokenCharacter($0) }
    rest = rest[word.endIndex...]
    return word.isEmpty ? nil : word
  }

  /// `= value` or `= "value"`; nil, with nothing read, if none follows.
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

  /// `Negotiate YII…==`: passed over, since it must not be taken for the name of a parameter.
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

/// What a server wants to see answered with a digest of the password. (RFC 7616, 3.3)
struct DigestChallenge: Sendable, Equatable {
  enum Protection: Sendable { case none, head, all }

  let algorithm: Digest
  /// `MD5`, `SHA-256-sess` and so on as the server has it; nil if it does not say, which means MD5.
  let algorithmName: String?
  /// Whether user and password are mixed with the nonce once, for all requests with it.
  let isSession: Bool
  let realm: String
  let nonce: String
  let opaque: String?
  /// Whether the body is signed too.
  let protection: Protection
  let hidesUser: Bool
  let isUTF8: Bool

  /// nil if it is none, or nothing that can be answered.
  init?(_ challenge: AuthChallenge) {
    guard challenge.scheme == "digest", let nonce = challenge["nonce"] else { return nil }
    var name = (challenge["algorithm"] ?? "MD5").uppercased()
    isSession = name.hasSuffix("-SESS")
    if isSession { name = String(name.dropLast(5)) }
    switch name {
    case "MD5": algorithm = .md5
    case "SHA-256": algorithm = .sha256
    case "SHA-512-256": algorithm = .sha512of256
    // Which is not registered, and asked for nevertheless.
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

  /// The one of the strongest algorithm that can be answered; nil if there is none.
  static func best(of challenges: [AuthChallenge]) -> DigestChallenge? {
    // Of several as strong the first, as servers name first what they like best.
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
