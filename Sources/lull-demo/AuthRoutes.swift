import FlyingFox
import Foundation

/// Tokens that run out quickly, for clients that renew them.
struct AuthRoutes: Sendable {
  let state: DemoState

  var all: [Route] {
    [
      Route("POST", "/login", "{user, password} for {token, refresh_token, expires_in}") { call in
        let object = try call.jsonObject()
        guard let user = object["user"]?.string, !user.isEmpty,
          let password = object["password"]?.string, !password.isEmpty
        else { throw Problem.badRequest("user and password must be given") }
        return noStore(await state.update { $0.tokens.login(user) })
      },
      Route("POST", "/token", "{refresh_token} for a new token") { call in
        guard let refresher = try call.jsonObject()["refresh_token"]?.string else {
          throw Problem.badRequest("refresh_token must be given")
        }
        guard let grant = await state.update({ $0.tokens.refresh(refresher) }) else {
          throw Problem.unauthorized("that refresh token is unknown")
        }
        return noStore(grant)
      },
      Route(
        "POST", "/oauth/token",
        "OAuth 2.0: client_credentials of lull:s3cr3t, or refresh_token once each"
      ) { try await grant($0) },
      Route("GET", "/token-count", "how many tokens /token has given out") { _ in
        let tokens = await state.update { $0.tokens }
        return noStore(["count": .int(tokens.refreshes), "logins": .int(tokens.logins)])
      },
      Route("GET", "/private", "needs Authorization: Bearer <token>") { try await read($0) },
      Route("POST", "/expire", "ends all tokens now") { _ in
        noStore(["expired": .int(await state.update { $0.tokens.expireAll() })])
      },
    ]
  }

  /// RFC 6749, sections 2.3.1, 4.4, 5.2 and 6.
  private func grant(_ call: Call) async throws -> HTTPResponse {
    let form = Query(String(decoding: call.body, as: UTF8.self))
    var client = form["client_id"]
    var secret = form["client_secret"]
    let credentials = (call.headers[.authorization] ?? "").split(separator: " ")
    if credentials.count == 2, credentials[0] == "Basic",
      let bytes = Data(base64Encoded: String(credentials[1]))
    {
      let pair = String(decoding: bytes, as: UTF8.self)
        .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.removingPercentEncoding }
      client = pair.first ?? nil
      secret = pair.count == 2 ? pair[1] : nil
    }
    guard client == "lull", secret == "s3cr3t" else {
      return refusal(401, "invalid_client", "that client is unknown")
    }
    let refresher: String?
    switch form["grant_type"] {
    case "client_credentials": refresher = nil
    case "refresh_token": refresher = form["refresh_token"] ?? ""
    default: return refusal(400, "unsupported_grant_type", "that grant is not known here")
    }
    let tokens = await state.update { $0.tokens.oauth(client: "lull", refresher: refresher) }
    guard let tokens else {
      return refusal(400, "invalid_grant", "that refresh token is unknown or was used")
    }
    return noStore(tokens)
  }

  private func refusal(_ status: Int, _ code: String, _ words: String) -> HTTPResponse {
    let json: JSON = ["error": .string(code), "error_description": .string(words)]
    return Reply.json(json, status: status, headers: [("Cache-Control", "no-store")])
  }

  private func read(_ call: Call) async throws -> HTTPResponse {
    let credentials = (call.headers[.authorization] ?? "").split(separator: " ")
    guard credentials.count == 2, credentials[0].lowercased() == "bearer" else {
      throw Problem.unauthorized("send Authorization: Bearer <token>; POST /login gives one")
    }
    let token = String(credentials[1])
    guard let user = await state.update({ $0.tokens.user(of: token) }) else {
      throw Problem.unauthorized("that token is unknown or has expired")
    }
    return noStore(["user": .string(user), "message": "only for you"])
  }

  private func noStore(_ json: JSON) -> HTTPResponse {
    Reply.json(json, headers: [("Cache-Control", "no-store")])
  }
}
