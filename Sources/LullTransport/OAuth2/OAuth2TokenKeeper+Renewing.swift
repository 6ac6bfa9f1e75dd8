import LullCore

extension OAuth2TokenKeeper {
  /// What is to be done about them.
  enum Renewal: Sendable {
    /// Nothing: another process has renewed them.
    case done(OAuth2Tokens)
    /// To ask for new ones with what was known, and then to `save` or to `giveUp`. There is no entry where
    /// others hold it for too long and asking twice harms nobody. The mark is to be noted before the refresh token is
    /// sent; there is none where it may be used twice.
    case due(Entry?, known: OAuth2Tokens?, mark: String?)
  }

  /// Finds out what there is to do.
  ///
  /// Where a renewal was begun with the same refresh token of which nobody knows how it ended, since its
  /// process died or its answer did not come, that is a problem: the token may be used up, and servers take
  /// a second use for theft. Not so where earlier renewals have left the token as it was, and of tokens
  /// that need none. (TOK-02 to TOK-05; RFC 9700, section 4.14.2)
  func beginRenewal(
    _ need: OAuth2TokenNeed, unless isStopped: () -> Bool
  ) -> Result<Renewal, TokenFile.Problem> {
    // The file is replaced as a whole: what is good in it needs no lock.
    if let kept = kept.flatMap({ OAuth2Tokens($0) }), need.isMet(by: kept) {
      return .success(.done(kept))
    }
    switch open(unless: isStopped) {
    case .failure(let problem):
      guard problem.isBusy, settings.grant == .clientCredentials else { return .failure(problem) }
      return .success(.due(nil, known: nil, mark: nil))
    case .success(let entry):
      if let kept = entry.tokens, need.isMet(by: kept) {
        close(entry)
        return .success(.done(kept))
      }
      // Of what this process has known else another may have used up the refresh token since.
      let known = need.unsaved ?? entry.tokens
      guard known?.rotates != false, let token = refreshToken(known, entry) else {
        return .success(.due(entry, known: known, mark: nil))
      }
      guard !entry.begun.contains(token) else {
        close(entry)
        return .failure(TokenFile.Problem(message: interrupted))
      }
      return .success(.due(entry, known: known, mark: OAuth2Marks.mark(of: token)))
    }
  }

  /// What is used up if the endpoint takes each once; nil if nothing is.
  private func refreshToken(_ known: OAuth2Tokens?, _ entry: Entry) -> String? {
    switch settings.grant {
    case .clientCredentials: nil
    case .refresh: known?.refresh ?? entry.credential.map { SecretIdentity.text(of: $0) }
    case .login: known?.refresh
    }
  }

  private var interrupted: String {
    let what = "a renewal was cut off, and the refresh token may be used up with it: "
    if let login = settings.login { return what + "\(login.remedy) again" }
    return what + "give a new refresh_token, or remove \(path) if the server takes one twice"
  }
}
