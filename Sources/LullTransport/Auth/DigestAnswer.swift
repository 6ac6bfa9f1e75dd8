import LullCore

/// What the answer to a digest challenge says. (RFC 7616, 3.4)
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
      Array(Hexadecimal.text(try challenge.algorithm.required(of: bytes)).utf8)
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
