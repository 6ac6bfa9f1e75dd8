import LullCore

/// Recognises the redirect request that delivers the code of a login. (RFC 6749, section 4.1.2; RFC
/// 9207)
struct LoginRedirect: Sendable {
  enum Verdict: Equatable {
    case code(String)
    /// The login has failed, with the reason.
    case refused(String)
    /// The request does not belong to this login, and the login continues. The values are the
    /// status and the text of the response to the request.
    case wrong(Int, String)
  }

  /// The required `Host` of the request, which prevents access under another name.
  let host: String
  let path: String
  let state: String
  let issuer: String?

  var url: String { "http://\(host)\(path)" }

  func verdict(on request: LoopbackRequest) -> Verdict {
    guard request.hosts == [host] else {
      return .wrong(400, "the Host header is wrong")
    }
    guard request.path == path else { return .wrong(404, "there is no such page") }
    guard request.method == "GET" else { return .wrong(405, "the method must be GET") }
    guard let parameters = request.parameters else {
      return .wrong(400, "the parameters cannot be read")
    }
    func values(_ name: String) -> [String] {
      parameters.filter { $0.name == name }.map(\.value)
    }
    for name in ["state", "code", "error", "error_description", "iss"] {
      guard values(name).count < 2 else { return .wrong(400, "'\(name)' appears twice") }
    }
    guard let given = values("state").first, LoginRedirect.isSame(given, state) else {
      return .wrong(400, "this is not the expected login: 'state' is different")
    }
    if let issuer {
      guard let sender = values("iss").first else {
        return .refused("the response does not name its issuer ('iss')")
      }
      guard sender == issuer else {
        let shown = LogText.part(sender, limit: 200)
        return .refused("the response is from '\(shown)', not from '\(issuer)' ('iss')")
      }
    }
    if let name = values("error").first {
      let words = values("error_description").first.map { ": " + LogText.part($0, limit: 200) }
      return .refused("the server reports \(LogText.part(name, limit: 80))\(words ?? "")")
    }
    guard let code = values("code").first, !code.isEmpty else {
      return .refused("the response has no code")
    }
    return .code(code)
  }

  /// Compares two texts in constant time, so that the duration does not reveal where they differ.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// A proof that the client that redeems a code is the client that requested the code. (RFC 7636)
struct PKCE: Sendable {
  /// The verifier: 43 characters that encode 32 random bytes.
  let verifier: String
  /// The challenge for S256; nil if no digest can be computed.
  let challenge: String?

  init() { self.init(verifier: PKCE.randomText()) }

  init(verifier: String) {
    self.verifier = verifier
    challenge = Digest.sha256.of(verifier).map { PKCE.text($0) }
  }

  /// 256 random bits from the system, in base64url.
  static func randomText() -> String {
    var generator = SystemRandomNumberGenerator()
    return text((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) })
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(decoding: Base64.encode(bytes, alphabet: .url, isPadded: false), as: UTF8.self)
  }
}
