import LullCore
import LullSystem

/// A shared server as a store for the tokens of one client. The tokens are sealed with a key
/// derived from that client's credential, so that others who can read the server's data learn
/// nothing about the tokens.
///
/// The tokens of a token file are transferred to the server once. A mark in the file then shows
/// that the file's refresh token is used. So a process that can read the file but cannot reach the
/// server does not use that refresh token. While the server is unavailable, the rules of the token
/// file apply, and without a token file, refresh tokens are not used. If the server has lost its
/// data, refresh tokens are not used either. (TOK-11 to TOK-19) Home thread only.
struct OAuth2TokenServer: OAuth2TokenStore {
  private let client: ShareClient
  private let settings: OAuth2.Settings
  private let pump: Pump
  private let file: OAuth2TokenFile?
  private let credential: SecretText
  private let seal: Seal
  private let script: OAuth2TokenScript

  /// How long to wait for another process that renews the tokens, in seconds.
  var patience = 30.0
  /// How long to wait for a late or unavailable server, in seconds, if the tokens cannot be had
  /// without the server. During that time, calls are repeated. (TOK-21)
  var comeback = 3.0

  /// Returns nil if the client's credential is not known without running a command, or if the
  /// library for sealing is missing. The client's tokens then stay on this machine.
  init?(
    _ client: ShareClient, _ settings: OAuth2.Settings, _ pump: Pump, file: OAuth2TokenFile?
  ) {
    let given =
      switch settings.grant {
      case .clientCredentials: settings.clientSecret
      case .refresh(let token): token as SecretText?
      case .login: nil as SecretText?
      }
    guard let given else { return nil }
    credential = SecretIdentity.settled(given)
    guard let text = SecretIdentity.knownText(of: credential),
      let seal = Seal(secret: text.utf8, purpose: "tokens of " + settings.client),
      let digest = Digest.sha256.hmac(key: Array(text.utf8), Array(settings.client.utf8)),
      let name = client.settings.digest(of: digest)
    else { return nil }
    self.client = client
    self.settings = settings
    self.pump = pump
    self.file = file
    self.seal = seal
    let place = "token:\(Hexadecimal.text(name.prefix(16)))"
    script = OAuth2TokenScript(key: "lull:{\(client.settings.namespace):\(place)}")
  }

  func begin(
    _ need: OAuth2TokenNeed, unless sign: StopSign,
    _ answer: @escaping (Result<OAuth2Turn, Problem>) -> Void
  ) {
    ask(need, sign, until: pump.clock.uptime + patience, answer)
  }

  private func ask(
    _ need: OAuth2TokenNeed, _ sign: StopSign, until end: Double,
    _ answer: @escaping (Result<OAuth2Turn, Problem>) -> Void
  ) {
    let isNeeded = file == nil && settings.grant != .clientCredentials
    guard isNeeded || client.isUsable(script.key) else { return goOnAlone(need, sign, answer) }
    insist(script.begin, for: isNeeded ? comeback : 0, unless: sign) { outcome in
      guard case .reply(let value) = outcome, let found = OAuth2TokenScript.answer(value) else {
        // The lease may have been granted, so it is given up.
        client.post(script.giveUp())
        return goOnAlone(need, sign, answer)
      }
      switch found {
      case .leased(let sealed, let begun): decide(need, sign, sealed, begun, answer)
      case .busy where sign.isSet || pump.clock.uptime >= end:
        guard settings.grant == .clientCredentials, !sign.isSet else {
          return answer(
            .failure(Problem(message: "another host is renewing the token", isBusy: true)))
        }
        answer(.success(.due(OAuth2TokenServer.alone)))
      case .busy(let left):
        // The lease is usually released earlier.
        schedule(after: min(max(left, 0.005), 0.05)) { ask(need, sign, until: end, answer) }
      }
    }
  }

  /// Runs a script repeatedly until there is a reply, or until `seconds` have passed. This is safe,
  /// because a script that runs twice has the same effect as a script that runs once.
  private func insist(
    _ call: ScriptCall, for seconds: Double, unless sign: StopSign? = nil,
    _ finish: @escaping ShareLink.Finish
  ) {
    let end = pump.clock.uptime + seconds
    client.run(call) { outcome in
      let left = end - pump.clock.uptime
      guard case .unavailable = outcome, left > 0, sign?.isSet != true else {
        return finish(outcome)
      }
      schedule(after: min(left, 0.05)) {
        insist(call, for: left - min(left, 0.05), unless: sign, finish)
      }
    }
  }

  private func schedule(after seconds: Double, _ action: @escaping () -> Void) {
    let timer = Timer()
    timer.timer = pump.clock.schedule(after: seconds) {
      timer.timer = nil
      action()
    }
  }

  /// Retains a timer until the timer fires.
  private final class Timer {
    var timer: (any HostTimer)?
  }

  // MARK: With the lease

  private func decide(
    _ need: OAuth2TokenNeed, _ sign: StopSign, _ sealed: [UInt8]?, _ begun: OAuth2Marks,
    _ answer: @escaping (Result<OAuth2Turn, Problem>) -> Void
  ) {
    let kept = sealed.flatMap { seal.open($0, as: script.key) }
      .flatMap { try? JSONDocument(parsing: $0) }.flatMap { OAuth2Tokens($0.root) }
    if let kept, need.isMet(by: kept) {
      client.post(script.giveUp())
      client.tokens.remember(kept, of: script.key)
      return answer(.success(.done(kept)))
    }
    if sealed != nil, kept == nil, settings.grant != .clientCredentials {
      return refuse("the entry of the token on the shared server cannot be read", answer)
    }
    let begun = begun.without(client.tokens.unsentMarks)
    let known = need.unsaved ?? kept
    guard known == nil, begun.isEmpty, let file else {
      if hasLost(known) { return refuse(OAuth2TokenServer.loss, answer) }
      return renew(known, first: credential, begun, beside: nil, answer)
    }
    var takingOver = need
    takingOver.isTakingOver = true
    // Another process may hold the file's lock as long as a renewal takes, so the lease is
    // extended.
    let lease = Lease(client, script, pump)
    file.begin(takingOver, unless: sign) { turn in
      lease.end()
      switch turn {
      case .failure(let problem):
        client.post(script.giveUp())
        answer(.failure(problem))
      case .success(.done(let tokens)):
        client.post(script.giveUp())
        answer(.success(.done(tokens)))
      case .success(.due(let renewal)):
        if let known = renewal.known, need.isMet(by: known) {
          takeOver(known, from: renewal, marks: begun, answer)
        } else if renewal.known == nil, hasLost(nil) {
          renewal.end(.none(isCertain: true)) { _ in refuse(OAuth2TokenServer.loss, answer) }
        } else {
          renew(
            renewal.known, first: renewal.first ?? credential, begun, beside: renewal, answer)
        }
      }
    }
  }

  /// Transfers tokens from the file to the server. A mark in the file then shows that the file's
  /// refresh token is used.
  private func takeOver(
    _ tokens: OAuth2Tokens, from renewal: OAuth2Renewal, marks: OAuth2Marks,
    _ answer: @escaping (Result<OAuth2Turn, Problem>) -> Void
  ) {
    let lease = Lease(client, script, pump)
    func isDone(_ isCertain: Bool) {
      lease.end()
      renewal.end(.none(isCertain: isCertain)) { _ in answer(.success(.done(tokens))) }
    }
    let note = renewal.note ?? { $0(nil) }
    note { problem in
      guard problem == nil else {
        client.post(script.giveUp())
        return isDone(true)
      }
      save(tokens, marks: marks) { problem in isDone(problem != nil) }
    }
  }

  /// Whether the server once had newer tokens than `known`. If so, the refresh token in `known` may
  /// be used up.
  private func hasLost(_ known: OAuth2Tokens?) -> Bool {
    guard settings.grant != .clientCredentials, known?.rotates != false else { return false }
    return client.tokens.renewals(of: script.key) > known?.renewals ?? 0
  }

  private static let loss = "the shared server has lost the tokens"

  /// Releases the lease and answers with an error.
  private func refuse(
    _ reason: String, _ answer: @escaping (Result<OAuth2Turn, Problem>) -> Void
  ) {
    client.post(script.giveUp())
    let message =
      reason + ", so the refresh token may already have been used: set a new refresh_token"
    answer(.failure(Problem(message: message)))
  }

  /// Answers with a renewal, or with an error if the refresh token may already have been used.
  ///
  /// - Parameter file: A renewal in the token file that must be recorded and ended too.
  private func renew(
    _ known: OAuth2Tokens?, first: SecretText, _ begun: OAuth2Marks, beside file: OAuth2Renewal?,
    _ answer: @escaping (Result<OAuth2Turn, Problem>) -> Void
  ) {
    var mark: String?
    if settings.grant != .clientCredentials, known?.rotates != false {
      let token = known?.refresh ?? SecretIdentity.text(of: first)
      guard !begun.contains(token) else {
        client.post(script.giveUp())
        let endFile = file?.end ?? { $1(nil) }
        return endFile(.none(isCertain: false)) { _ in
          answer(.failure(Problem(message: OAuth2TokenServer.interrupted)))
        }
      }
      mark = OAuth2Marks.mark(of: token)
    }
    let lease = Lease(client, script, pump)
    let marks = mark.map { begun.adding($0) } ?? begun
    let note = mark.map {
      Note(place: self, mark: $0, marks: marks, lease: lease, inFile: file?.note)
    }
    let renewal = OAuth2Renewal(known: known, first: first, note: note?.write) { outcome, answer in
      lease.end()
      finish(outcome, noted: marks, before: begun) { problem in
        guard let file else { return answer(problem) }
        // The file keeps its mark, because the server has newer tokens from now on.
        var outcome = outcome
        if case .got = outcome { outcome = .none(isCertain: false) }
        file.end(outcome) { answer(problem ?? $0) }
      }
    }
    answer(.success(.due(renewal)))
  }

  private static let interrupted =
    "a renewal was interrupted, so the refresh token may already have been used: "
    + "set a new refresh_token"

  private func finish(
    _ outcome: OAuth2Outcome, noted marks: OAuth2Marks, before: OAuth2Marks,
    _ answer: @escaping (Problem?) -> Void
  ) {
    switch outcome {
    case .got(let tokens):
      client.tokens.remember(tokens, of: script.key)
      save(tokens, marks: marks, answer)
    case .none(let isCertain):
      client.post(script.giveUp(leaving: isCertain ? before : nil))
      answer(nil)
    }
  }

  private func save(
    _ tokens: OAuth2Tokens, marks: OAuth2Marks, _ answer: @escaping (Problem?) -> Void
  ) {
    guard let text = try? tokens.json.encode(), let sealed = seal.seal(text, as: script.key) else {
      return answer(Problem(message: "tokens cannot be encrypted for the shared server"))
    }
    insist(script.save(sealed, marks: marks), for: comeback) { outcome in
      if case .reply(let value) = outcome, value.integer == 1 { return answer(nil) }
      answer(
        Problem(
          message:
            "new tokens could not be stored on the shared server: only this process has them"))
    }
  }

  // MARK: Without the server

  /// A renewal with client credentials, which each process may make independently.
  private static var alone: OAuth2Renewal {
    OAuth2Renewal(known: nil, first: nil, note: nil) { $1(nil) }
  }

  private func goOnAlone(
    _ need: OAuth2TokenNeed, _ sign: StopSign,
    _ answer: @escaping (Result<OAuth2Turn, Problem>) -> Void
  ) {
    if let file { return file.begin(need, unless: sign, answer) }
    guard settings.grant == .clientCredentials else {
      let problem = Problem(
        message:
          "the shared server cannot be used, so a refresh token that may be valid only once is "
          + "not used")
      return pump.enqueue { answer(.failure(problem)) }
    }
    pump.enqueue { answer(.success(.due(OAuth2TokenServer.alone))) }
  }

  /// Extends the lease regularly as long as this process runs. Before a refresh token is sent, the
  /// lease lasts for only one second at a time, so that another host continues soon if this process
  /// is killed.
  private final class Lease {
    /// Whether a refresh token may have been sent.
    var isNoted = false
    private let client: ShareClient
    private let script: OAuth2TokenScript
    private let pump: Pump
    private var timer: (any HostTimer)?

    init(_ client: ShareClient, _ script: OAuth2TokenScript, _ pump: Pump) {
      self.client = client
      self.script = script
      self.pump = pump
      wait()
    }

    deinit { timer?.cancel() }

    private func wait() {
      let lease = isNoted ? OAuth2TokenScript.lease : OAuth2TokenScript.unsentLease
      timer = pump.clock.schedule(after: lease / 3) { [weak self] in
        guard let self else { return }
        client.post(script.renew(isNoted: isNoted))
        wait()
      }
    }

    func end() {
      timer?.cancel()
      timer = nil
    }
  }
}

extension OAuth2TokenServer {
  /// Records that a refresh token is about to be used. The record is stored in the file first, if
  /// there is a file, and then on the server.
  private struct Note {
    let place: OAuth2TokenServer
    let mark: String
    let marks: OAuth2Marks
    let lease: Lease
    let inFile: OAuth2Renewal.Note?

    func write(_ answer: @escaping (Problem?) -> Void) {
      guard let inFile else { return writeOnServer(answer) }
      inFile { problem in
        if problem == nil { writeOnServer(answer) } else { answer(problem) }
      }
    }

    private func writeOnServer(_ answer: @escaping (Problem?) -> Void) {
      attempt(until: place.pump.clock.uptime + place.comeback, answer)
    }

    private func attempt(until end: Double, _ answer: @escaping (Problem?) -> Void) {
      place.insist(place.script.note(marks), for: end - place.pump.clock.uptime) { outcome in
        guard case .reply(let value) = outcome, let count = value.integer, count >= 0 else {
          return refuse(
            "the shared server cannot record the use of a refresh token that may be valid only "
              + "once",
            answer)
        }
        // This process was suspended, and another host has the lease.
        guard count > 0 else {
          return answer(Problem(message: "another host is renewing the token", isBusy: true))
        }
        lease.isNoted = true
        if count > 1 { checkReplicas(until: end, answer) } else { answer(nil) }
      }
    }

    /// Waits until a replica has the record, so that it survives a failover.
    private func checkReplicas(until end: Double, _ answer: @escaping (Problem?) -> Void) {
      place.client.countReplicas(place.script.tag) { replicas in
        let left = end - place.pump.clock.uptime
        if replicas != 0 {
          answer(nil)
        } else if left > 0 {
          // `WAIT` concerns this connection only, which may have been replaced. The record is
          // therefore written again.
          place.schedule(after: min(left, 0.05)) { attempt(until: end, answer) }
        } else {
          refuse(
            "no replica of the shared server has recorded the use of a refresh token that may be "
              + "valid only once", answer)
        }
      }
    }

    /// Answers with an error. The refresh token is not sent, whether or not the record was stored.
    private func refuse(_ reason: String, _ answer: @escaping (Problem?) -> Void) {
      place.client.tokens.unsentMarks.insert(mark)
      answer(Problem(message: reason))
    }
  }
}
