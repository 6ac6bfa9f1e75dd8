import LullCore
import LullSystem

/// A store in which processes or hosts share tokens. Only one of them renews the tokens at a time.
/// Home thread only.
protocol OAuth2TokenStore {
  typealias Problem = TokenFile.Problem

  /// Decides which step a process must take to get valid tokens. `answer` is called once, on a
  /// later turn.
  ///
  /// - Parameter sign: Setting it ends the wait for other processes, with an error.
  func begin(
    _ need: OAuth2TokenNeed, unless sign: StopSign,
    _ answer: @escaping (Result<OAuth2Turn, Problem>) -> Void)
}

/// Describes the tokens that are needed.
struct OAuth2TokenNeed: Sendable {
  /// The current time in Unix seconds.
  let now: Double
  /// The access token that the service has rejected; nil for none.
  let rejected: String?
  /// Tokens that this process has received and could not store.
  let unsaved: OAuth2Tokens?
  /// Whether the tokens will be moved to another store. If so, the step is a renewal even if the
  /// tokens are valid.
  var isTakingOver = false

  func isMet(by tokens: OAuth2Tokens) -> Bool {
    !isTakingOver && tokens.isGood(now: now) && tokens.access != rejected
  }
}

/// The step that a process must take to get valid tokens.
enum OAuth2Turn {
  /// No step is needed, because another process has renewed the tokens.
  case done(OAuth2Tokens)
  /// New tokens must be requested.
  case due(OAuth2Renewal)
}

/// A request for new tokens, which no other process makes at the same time.
struct OAuth2Renewal {
  typealias Note = (_ answer: @escaping (TokenFile.Problem?) -> Void) -> Void
  typealias End = (OAuth2Outcome, _ answer: @escaping (TokenFile.Problem?) -> Void) -> Void

  /// The known tokens. If there are none, the `first` refresh token is used.
  let known: OAuth2Tokens?
  let first: SecretText?
  /// Records that the refresh token is used. Must be called before the first byte of the refresh
  /// token is sent. Answers with an error if the refresh token must not be sent. The error is busy
  /// if another process is renewing the tokens. nil means that no record is needed. (TOK-02)
  let note: Note?
  /// Ends the renewal with its outcome. Answers with an error if the outcome could not be stored
  /// for other processes.
  let end: End
}

/// The outcome of a request for tokens.
enum OAuth2Outcome: Sendable {
  case got(OAuth2Tokens)
  /// No tokens were received. The value says whether it is certain that the endpoint issued none.
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
