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
