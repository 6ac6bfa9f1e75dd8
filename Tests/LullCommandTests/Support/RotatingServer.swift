import LullLibC
import Synchronization

/// An authorization server whose refresh tokens are good once, and an API that takes each access token for
/// so many requests. It notes what a client does wrong.
final class RotatingServer: Sendable {
  struct Counts {
    /// Access tokens that were given.
    var rotations = 0
    /// Refresh tokens that came a second time.
    var reused = 0
    /// Tokens asked for while the last one was good.
    var needless = 0
    /// Requests of the API that were served.
    var served = 0
    /// Logins.
    var first = 0
  }

  private struct State {
    var counts = Counts()
    var usesLeft = 0
    var refresh = ""
    var used: Set<Substring> = []
  }

  private let server: FormServer
  private let state: Shared

  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  var url: String { server.url }
  var counts: Counts { state.state.withLock { $0.counts } }

  /// - Parameters:
  ///   - uses: requests that each access token is good for.
  ///   - delay: microseconds that a renewal takes, used up as it begins.
  init(uses: Int, delay: UInt32 = 0) throws {
    let shared = Shared()
    state = shared
    server = try FormServer { request, _ in
      if request.line == "POST /token" {
        let answer = shared.state.withLock { RotatingServer.token(request.form, uses, &$0) }
        usleep(delay)
        return answer
      }
      return shared.state.withLock { state in
        let current = "Bearer access-\(state.counts.rotations)"
        guard request.authorization == current, state.usesLeft > 0 else { return (401, "{}") }
        state.usesLeft -= 1
        state.counts.served += 1
        return (200, "{}")
      }
    }
  }

  /// A refresh token to begin with, as after a login; those before it are good no more.
  func begin() -> String {
    state.state.withLock { state in
      state.counts.first += 1
      state.refresh = "first-\(state.counts.first)"
      state.usesLeft = 0
      return state.refresh
    }
  }

  func stop() { server.stop() }

  private static func token(_ form: String, _ uses: Int, _ state: inout State) -> (Int, String) {
    let given = form.split(separator: "&").first { $0.hasPrefix("refresh_token=") }?.dropFirst(14)
    guard let given, given == state.refresh[...] else {
      if let given, state.used.contains(given) { state.counts.reused += 1 }
      return (400, #"{"error":"invalid_grant"}"#)
    }
    if state.usesLeft > 0 { state.counts.needless += 1 }
    state.used.insert(given)
    state.counts.rotations += 1
    state.usesLeft = uses
    state.refresh = "refresh-\(state.counts.rotations)"
    return (
      200,
      #"{"access_token":"access-\#(state.counts.rotations)","token_type":"Bearer","#
        + #""refresh_token":"\#(state.refresh)","expires_in":3600}"#
    )
  }
}
