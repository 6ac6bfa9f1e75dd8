import LullCore

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
