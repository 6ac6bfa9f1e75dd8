import LullCore
import Synchronization

/// Digest authentication: both sides know user and password, which are never sent. (RFC 7616)
///
/// The first request is sent without credentials, and its 401 response contains a challenge. The
/// request is then sent again completely, with an answer to the challenge. All later requests to
/// that origin are sent with an answer too, until the server sends another challenge. A new answer,
/// with its own number, is computed each time a request is sent. Home thread only. Lua:
/// `lull.auth.digest(user, password)`.
///
/// Behaviours: DIG-01 to DIG-08.
final class DigestAuth: AuthStage {
  private let user: SecretText
  private let password: SecretText
  /// The last challenge of each origin.
  private var sessions: [String: (session: DigestSession, generation: Int)] = [:]
  private var generation = 0

  init(user: SecretText, password: SecretText) {
    self.user = user
    self.password = password
  }

  /// The text that is shown in place of the `Authorization` header.
  var shown: String { "Digest \(password.masked)" }

  func authorize(
    _ request: HTTPRequest, in context: AuthContext,
    proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
  ) -> (() -> Void)? {
    guard request.headers["authorization"] == nil else {
      proceed(.success(AuthorizedRequest(request, generation: DigestAuth.notOurs)))
      return nil
    }
    guard let (session, generation) = sessions[request.origin] else {
      proceed(.success(AuthorizedRequest(DigestAuth.asking(request), generation: 0)))
      return nil
    }
    let finish = { [self] (bodyDigest: [UInt8]?) -> Result<AuthorizedRequest, TransportError> in
      Result { () throws(TransportError) in
        var http = request
        try http.sign(
          by: DigestSignature(session, user: user, password: password, bodyDigest: bodyDigest),
          header: "authorization", mask: shown)
        return AuthorizedRequest(http, generation: generation)
      }
    }
    guard session.challenge.protection == .all else {
      proceed(finish(nil))
      return nil
    }
    return BodyDigest.make(for: request, session.challenge.algorithm, in: context) { made in
      proceed(made.flatMap(finish))
    }
  }

  /// Adds `Expect: 100-continue` to a request with a streamed body, so that the server can refuse
  /// the request before the body is sent.
  private static func asking(_ request: HTTPRequest) -> HTTPRequest {
    guard case .streamed? = request.payload, request.headers["expect"] == nil else {
      return request
    }
    var http = request
    http.headers["expect"] = "100-continue"
    return http
  }

  func canRenew(
    after result: NetworkResult, to request: AuthorizedRequest, in context: AuthContext
  ) -> Bool {
    guard request.generation != DigestAuth.notOurs, let response = result.response else {
      return false
    }
    let origin = request.http.origin
    // A redirect target of another origin gets no credentials and cannot request any.
    guard response.url.map({ ResourceURL(shown: $0)?.origin == origin }) ?? true else {
      return false
    }
    let offered = AuthChallenge.all(in: response.headers.values("www-authenticate"))
    guard let challenge = DigestChallenge.best(of: offered) else {
      let schemes = offered.map(\.scheme).joined(separator: ", ")
      context.pump.log(
        .network,
        "\(origin) offers no supported digest" + (schemes.isEmpty ? "" : " (\(schemes))")
      )
      return false
    }
    // Another request may have received the same challenge and answered it already.
    if let known = sessions[origin], known.generation > request.generation { return true }
    generation += 1
    sessions[origin] = (DigestSession(challenge), generation)
    return true
  }

  /// The generation of a request to which nothing was added, because the request already has an
  /// `Authorization` header.
  private static let notOurs = -1
}

/// The answer to a digest challenge for one request. (RFC 7616, 3.4)
final class DigestSignature: RequestSignature {
  private let session: DigestSession
  private let user: SecretText
  private let password: SecretText
  /// The body's digest; nil if it has not been computed yet.
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
      session.challenge, user: text(user), password: text(password),
      method: request.method.rawValue,
      uri: request.target, number: number, nonce: nonce,
      bodyDigest: session.challenge.protection == .all ? try bodyDigest(of: request) : nil)
    request.headers.set("authorization", bytes: answer.header)
  }

  /// Returns the digest of the request's current body. `bodyDigest` may be outdated, because a
  /// redirect may have removed the body.
  private func bodyDigest(of request: HTTPRequest) throws(TransportError) -> [UInt8] {
    if let bodyDigest, request.payload != nil { return bodyDigest }
    return try session.challenge.algorithm.of(request.payload)
  }
}

/// Assigns consecutive numbers to the requests that answer one challenge.
final class DigestSession: Sendable {
  let challenge: DigestChallenge
  /// The client nonce of a `-sess` algorithm. All requests use the same client nonce, because the
  /// algorithm combines user and password with that nonce.
  private let ownNonce = Hexadecimal.random()
  private let count = Mutex(0)

  init(_ challenge: DigestChallenge) { self.challenge = challenge }

  /// Returns the number and the client nonce of the next request.
  func next() -> (number: Int, nonce: String) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return (number, challenge.isSession ? ownNonce : Hexadecimal.random())
  }
}

/// The header value that answers a digest challenge. (RFC 7616, 3.4)
struct DigestAnswer {
  let header: [UInt8]

  /// - Parameters:
  ///   - uri: Path and query of the request line.
  ///   - number: The number of the request with this challenge, starting at 1.
  ///   - nonce: The client nonce.
  ///   - bodyDigest: The body's digest, if the challenge protects it.
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
      throw TransportError(.authFailed, "the response to a digest challenge \(problem)")
    }
    self.header = header
  }

  /// Formats a number as eight hexadecimal digits.
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
