package import LullCore

/// Removes the tokens of a login. If the login has a revocation endpoint, the tokens are revoked
/// there first. They are always removed from this machine. (RFC 7009) Home thread only.
package final class OAuth2Logout {
  package enum Outcome: Equatable {
    case absent
    case removed
    case revoked
    /// The tokens were removed here, but may still be valid. The text is the reason.
    case unrevoked(String)
    case failed(String)
  }

  package private(set) var outcome: Outcome?
  private let endpoint: OAuth2Endpoint
  private let login: OAuth2Login
  private let keeper: OAuth2TokenKeeper

  private var pump: Pump { endpoint.context.pump }

  /// Returns nil if the settings contain no login.
  package init?(_ settings: OAuth2.Settings, _ context: AuthContext, for waiting: HTTPRequest) {
    guard let login = settings.login, let path = settings.tokenFile else { return nil }
    self.login = login
    endpoint = OAuth2Endpoint(settings, context, for: waiting)
    keeper = OAuth2TokenKeeper(TokenFile(path), settings)
  }

  package func begin() {
    pump.offload(
      { [inbox = pump.inbox, keeper] in keeper.open { inbox.isClosed } },
      then: { [weak self] opened in
        guard let self else { return }
        switch opened {
        case .failure(let problem): outcome = .failed(problem.message)
        case .success(let entry):
          guard let tokens = entry.tokens else {
            keeper.close(entry)
            outcome = .absent
            return
          }
          revoke(tokens, entry)
        }
      })
  }

  private func revoke(_ tokens: OAuth2Tokens, _ entry: OAuth2TokenKeeper.Entry) {
    guard let url = login.revocationURL else { return remove(entry, .removed) }
    // Revoking a refresh token also revokes its access tokens. (RFC 7009, section 2.1)
    let token =
      tokens.refresh.map { OAuth2Request.secret($0, "refresh token") }
      ?? OAuth2Request.secret(tokens.access, "access token")
    let hint = tokens.refresh == nil ? "access_token" : "refresh_token"
    endpoint.post([("token", token), ("token_type_hint", SecretText(hint))], to: url) {
      [weak self] answer in
      guard let self else { return }
      let problem = answer.problem("not revoked at")
      remove(entry, problem.map { .unrevoked($0.message) } ?? .revoked)
    }
  }

  private func remove(_ entry: OAuth2TokenKeeper.Entry, _ outcome: Outcome) {
    pump.offload(
      { [keeper] in keeper.remove(entry) },
      then: { [weak self] problem in
        self?.outcome = problem.map { .failed($0.message) } ?? outcome
      })
  }
}
