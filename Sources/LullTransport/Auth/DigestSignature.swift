import LullCore

/// The answer to a digest challenge, for one request. (RFC 7616, 3.4)
final class DigestSignature: RequestSignature {
  private let session: DigestSession
  private let user: SecretText
  private let password: SecretText
  /// Of the body, if it has been made already.
  private let bodyDigest: [UInt8]?

  init(_ session: DigestSession, user: SecretText, password: SecretText, bodyDigest: [UInt8]?) {
    self.session = session
    self.user = user
    self.password = password
    self.bodyDigest = bodyDigest
  }

  var secrets: [SecretText] { [user, password] }

  func sign(
    _ request: inout HTTPRequest, at now: Double,
    _ text: (SecretText) throws(TransportError) -> [UInt8]
  ) throws(TransportError) {
    let (number, nonce) = session.next()
    let answer = try DigestAnswer(
      session.challenge, user: text(user), password: text(password), method: request.method,
      uri: request.target, number: number, nonce: nonce,
      bodyDigest: session.challenge.protection == .all ? try bodyDigest(of: request) : nil)
    request.headers.set("authorization", bytes: answer.header)
  }

  /// A redirect may have taken the body away.
  private func bodyDigest(of request: HTTPRequest) throws(TransportError) -> [UInt8] {
    if let bodyDigest, request.payload != nil { return bodyDigest }
    return try session.challenge.algorithm.of(request.payload)
  }
}

/// What such an answer says.
struct DigestAnswer {
  let header: [UInt8]

  /// - Parameters:
  ///   - uri: path and query, as they go out.
  ///   - number: of the request among those with this challenge, from 1 on.
  ///   - nonce: what this side adds.
  ///   - bodyDigest: where the challenge protects that too.
  init(
    _ challenge: DigestChallenge, user: [UInt8], password: [UInt8], method: String, uri: String,
    number: Int, nonce: String, bodyDigest: [UInt8]?
  ) throws(TransportError) {
    func hash(_ bytes: [UInt8]) throws(TransportError) -> [UInt8] {
      guard let made = challenge.algorithm.of(bytes) else { throw challenge.algorithm.isMissing }
      return Array(Hexadecimal.text(made).utf8)
    }
    func hash(_ parts: [some Sequence<UInt8>]) throws(TransportError) -> [UInt8] {
      try hash(Array(parts.joined(separator: CollectionOfOne(UInt8(ascii: ":")))))
    }
    let realm = Array(challenge.realm.utf8)
    let given = Array(challenge.nonce.utf8)
    let own = Array(nonce.utf8)
    var identity = try hash([user, realm, password])
    if challenge.isSession { identity = try hash([identity, given, own]) }
    var request = [Array(method.utf8), Array(uri.utf8)]
    if let bodyDigest { request.append(Array(Hexadecimal.text(bodyDigest).utf8)) }
    let counter = Array(DigestAnswer.counter(number).utf8)
    let what = try hash(request)
    let word = bodyDigest == nil ? "auth" : "auth-int"
    let response =
      challenge.protection == .none
      ? try hash([identity, given, what])
      : try hash([identity, given, counter, own, Array(word.utf8), what])

    var header = Array("Digest ".utf8)
    if challenge.hidesUser {
      header += "username=\"".utf8 + (try hash([user, realm])) + "\"".utf8
    } else if challenge.isUTF8, user.contains(where: { $0 >= 0x80 }) {
      header += "username*=UTF-8''".utf8 + SecretEscaping.parameter.escaped(user)
    } else {
      header += "username=".utf8 + DigestAnswer.quoted(user)
    }
    func add(_ name: String, _ value: [UInt8]) { header += Array(", \(name)=".utf8) + value }
    add("realm", DigestAnswer.quoted(realm))
    add("nonce", DigestAnswer.quoted(given))
    add("uri", DigestAnswer.quoted(Array(uri.utf8)))
    add("response", DigestAnswer.quoted(response))
    if let name = challenge.algorithmName { add("algorithm", Array(name.utf8)) }
    if challenge.protection != .none {
      add("qop", Array(word.utf8))
      add("nc", counter)
      add("cnonce", DigestAnswer.quoted(own))
    } else if challenge.isSession {
      add("cnonce", DigestAnswer.quoted(own))
    }
    if let opaque = challenge.opaque { add("opaque", DigestAnswer.quoted(Array(opaque.utf8))) }
    if challenge.hidesUser { add("userhash", Array("true".utf8)) }
    if let problem = Headers.valueProblem(header) {
      throw TransportError(.authFailed, "the answer to a digest challenge \(problem)")
    }
    self.header = header
  }

  /// Eight hexadecimal digits.
  private static func counter(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
  }

  private static func quoted(_ bytes: [UInt8]) -> [UInt8] {
    var result = [UInt8(ascii: "\"")]
    for byte in bytes {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        result.append(UInt8(ascii: "\\"))
      }
      result.append(byte)
    }
    return result + [UInt8(ascii: "\"")]
  }
}

extension HTTPRequest {
  /// Path and query as they go out.
  var target: String {
    guard let text = ResourceURL.address(of: url)?.target else { return "/" }
    let target = text.prefix { $0 != "#" }
    return target.first == "/" ? String(target) : "/" + target
  }
}
