import Synchronization

/// An authorization server, and an API that takes its tokens: each serves one request.
///
/// `/token` gives `access-N` and `refresh-N`, which is good once, `/device` a code, `/revoke` takes tokens
/// back, and `/me` says whose token it was.
final class LoginServer: Sendable {
  private struct State {
    var requests: [String] = []
    var tokens = 0
    var revoked: [String] = []
    /// Access tokens that are good no longer.
    var expired: [String] = []
    /// What polling for a device is answered, in turn.
    var pending = 0
  }

  private let server: FormServer
  private let state: Shared

  /// In a class: the server answers by it, and is made with it.
  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  var port: UInt16 { server.port }
  var url: String { server.url }
  /// First lines and bodies, as `POST /token a=b`.
  var requests: [String] { state.state.withLock { $0.requests } }

  init() throws {
    let shared = Shared()
    state = shared
    server = try FormServer { request, url in
      shared.state.withLock { state in
        let (line, form) = (request.line, request.form)
        state.requests.append(form.isEmpty ? line : line + " " + form)
        return LoginServer.answer(line, form, request.authorization, url, &state)
      }
    }
  }

  func stop() { server.stop() }

  private static func answer(
    _ line: String, _ form: String, _ authorization: String, _ url: String, _ state: inout State
  ) -> (Int, String) {
    func isRevoked(_ number: Substring) -> Bool { state.revoked.contains(String(number)) }
    switch line {
    case "POST /token":
      if form.contains("device_code"), state.pending < 1 {
        state.pending += 1
        return (400, #"{"error":"authorization_pending"}"#)
      }
      if let old = form.split(separator: "&").first(where: {
        $0.hasPrefix("refresh_token=refresh-")
      }) {
        let number = old.dropFirst(22)
        guard number == "\(state.tokens)", !isRevoked(number) else {
          return (400, #"{"error":"invalid_grant"}"#)
        }
      }
      state.tokens += 1
      let number = state.tokens
      return (
        200,
        #"{"access_token":"access-\#(number)","refresh_token":"refresh-\#(number)","#
          + #""token_type":"Bearer","expires_in":3600}"#
      )
    case "POST /device":
      return (
        200,
        #"{"device_code":"dev1ce-c0de","user_code":"WDJB-MJHT","interval":0.1,"#
          + #""expires_in":600,"verification_uri":"\#(url)/go"}"#
      )
    case "POST /revoke":
      let token = form.split(separator: "&").first { $0.hasPrefix("token=refresh-") }
      if let token { state.revoked.append(String(token.dropFirst(14))) }
      return (200, "")
    case "GET /me":
      let number = authorization.dropFirst("Bearer access-".count)
      guard authorization.hasPrefix("Bearer access-"), number == "\(state.tokens)",
        !isRevoked(number), !state.expired.contains(String(number))
      else { return (401, "{}") }
      return (200, #"{"user":"ann"}"#)
    default: return (404, "{}")
    }
  }

  /// Ends the access token given last; its refresh token is still good.
  func expire() { state.state.withLock { $0.expired.append("\($0.tokens)") } }
}
