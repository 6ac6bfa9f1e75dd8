import LullCore
import LullSystem

/// Where those who share tokens find what another has got, and take turns in renewing them. Home thread only.
protocol OAuth2TokenStore {
  typealias Problem = TokenFile.Problem

  /// Finds out what there is to do about tokens that are needed; the answer comes once, on a later turn.
  ///
  /// - Parameter sign: when it is set, others are waited for no longer: that is a problem.
  func begin(
    _ need: OAuth2TokenNeed, unless sign: StopSign,
    _ answer: @escaping (Result<OAuth2Turn, Problem>) -> Void)
}

/// What is known of tokens that are needed.
struct OAuth2TokenNeed: Sendable {
  /// Unix seconds.
  let now: Double
  /// An access token that the service does not take.
  let rejected: String?
  /// What this process has got and could not put where others find it.
  let unsaved: OAuth2Tokens?
  /// Whether the tokens are to be kept elsewhere from now on, so that good ones are no answer.
  var isTakingOver = false

  func isMet(by tokens: OAuth2Tokens) -> Bool {
    !isTakingOver && tokens.isGood(now: now) && tokens.access != rejected
  }
}

/// What there is to do about them.
enum OAuth2Turn {
  /// Nothing: another has renewed them.
  case done(OAuth2Tokens)
  /// To ask for new ones.
  case due(OAuth2Renewal)
}

/// Asking for new tokens, which no other process does meanwhile.
struct OAuth2Renewal {
  typealias Note = (_ answer: @escaping (TokenFile.Problem?) -> Void) -> Void
  typealias End = (OAuth2Outcome, _ answer: @escaping (TokenFile.Problem?) -> Void) -> Void

  /// What was known; without any the `first` refresh token is used.
  let known: OAuth2Tokens?
  let first: SecretText?
  /// Keeps a note that the refresh token is used, before the first byte of it is sent; what it answers is why it must
  /// not be sent, which is busy where another process renews by now. nil: no note is needed. (TOK-02)
  let note: Note?
  /// Says what came of it; what it answers is why others will not find that.
  let end: End
}

/// What has come of asking for tokens.
enum OAuth2Outcome: Sendable {
  case got(OAuth2Tokens)
  /// None, and whether the endpoint has surely given none.
  case none(isCertain: Bool)
}

/// A token file, for the processes of one machine.
struct OAuth2TokenFile: OAuth2TokenStore {
  let keeper: OAuth2TokenKeeper
  let pump: Pump

  func begin(
    _ need: OAuth2TokenNeed, unless sign: StopSign,
    _ answer: @escaping (Result<OAuth2Turn, Problem>) -> Void
  ) {
    pump.offload(
      { [keeper, inbox = pump.inbox] in
        keeper.beginRenewal(need) { sign.isSet || inbox.isClosed }
      },
      then: { renewal in
        answer(
          renewal.map { renewal in
            switch renewal {
            case .done(let tokens): .done(tokens)
            case .due(let entry, let known, let mark):
              .due(
                OAuth2Renewal(
                  known: known, first: entry?.credential, note: note(entry, mark),
                  end: { outcome, answer in end(entry, outcome, answer) }))
            }
          })
      })
  }

  private func note(
    _ entry: OAuth2TokenKeeper.Entry?, _ mark: String?
  ) -> OAuth2Renewal.Note? {
    guard let entry, let mark else { return nil }
    return { answer in
      pump.offload({ [keeper] in keeper.note(entry.begun.adding(mark), in: entry) }, then: answer)
    }
  }

  private func end(
    _ entry: OAuth2TokenKeeper.Entry?, _ outcome: OAuth2Outcome,
    _ answer: @escaping (Problem?) -> Void
  ) {
    guard let entry else { return answer(nil) }
    pump.offload(
      { [keeper] in
        switch outcome {
        case .got(let tokens): keeper.save(tokens, in: entry)
        case .none(let isCertain): keeper.giveUp(entry, isCertain: isCertain)
        }
      }, then: answer)
  }
}
