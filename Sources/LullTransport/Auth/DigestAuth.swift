import LullCore

/// Digest authentication: user and password are known to both sides, and never sent. (RFC 7616)
///
/// The first request goes out as it is; what the server asks for with its 401 is answered by it, sent
/// anew as a whole, and by all requests to that origin after it until the server asks for something else.
/// Each time a request goes out its answer is made anew, with a number of its own. Home thread only.
/// Lua: `lull.auth.digest(user, password)`.
final class DigestAuth: AuthStage {
  private let user: SecretText
  private let password: SecretText
  /// What was asked for last, by origin.
  private var sessions: [String: (session: DigestSession, generation: Int)] = [:]
  private var generation = 0

  init(user: SecretText, password: SecretText) {
    self.user = user
    self.password = password
  }

  /// What is seen of it.
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

  /// A body from files is kept back, as far as the server says that it wants none of it yet.
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
    // Whoever answers elsewhere is told nothing, and asks for nothing.
    guard response.url.map({ ResourceURL(shown: $0)?.origin == origin }) ?? true else {
      return false
    }
    let offered = AuthChallenge.all(in: response.headers.values("www-authenticate"))
    guard let challenge = DigestChallenge.best(of: offered) else {
      let schemes = offered.map(\.scheme).joined(separator: ", ")
      context.pump.log(
        .network,
        "\(origin) asks for no digest that is known here" + (schemes.isEmpty ? "" : " (\(schemes))")
      )
      return false
    }
    // Another request may have been asked the same, and have answered already.
    if let known = sessions[origin], known.generation > request.generation { return true }
    generation += 1
    sessions[origin] = (DigestSession(challenge), generation)
    return true
  }

  /// Of a request that brings a header of its own.
  private static let notOurs = -1
}
