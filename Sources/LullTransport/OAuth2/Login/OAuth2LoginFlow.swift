public import LullCore

/// One login: prompts the user to authorise the program in a browser, and stores the tokens.
///
/// Order of events: The flow checks that tokens can be stored. The flow requests a code from the
/// server, or opens a listener. The flow calls `show`. When the user has agreed and the tokens are
/// written, `outcome` is set. The owner of the loop calls `serve` before each turn. Code, verifier
/// and device code are not exposed. Home thread only.
package final class OAuth2LoginFlow {
  /// A successful login.
  package struct Outcome: Equatable {
    package let path: String
    /// Seconds until the user must log in again; nil if the tokens are renewed, or if they are
    /// valid until the service rejects them.
    package let lifetime: Double?
  }

  /// How long the listener waits, in seconds.
  package static let patience = 300.0

  package private(set) var outcome: Result<Outcome, TransportError>?
  private let endpoint: OAuth2Endpoint
  private let login: OAuth2Login
  private let keeper: OAuth2TokenKeeper?
  private let watch: LoopbackListener.Watch
  private let patience: Double
  private let show: (OAuth2Prompt) -> Void
  private var listener: LoopbackListener?
  private var redirect: LoginRedirect?
  private let pkce = PKCE()
  private var timer: (any HostTimer)?

  private var settings: OAuth2.Settings { endpoint.settings }
  private var clock: any HostClock { endpoint.context.pump.clock }

  /// Returns nil if the settings contain no login.
  ///
  /// - Parameters:
  ///   - waiting: A request whose connection settings the endpoint requests use.
  ///   - watch: Watches a descriptor for readability.
  package init?(
    _ settings: OAuth2.Settings, _ context: AuthContext, for waiting: HTTPRequest,
    patience: Double = OAuth2LoginFlow.patience,
    watch: @escaping (Int32) -> DescriptorWatch?, show: @escaping (OAuth2Prompt) -> Void
  ) {
    guard let login = settings.login else { return nil }
    self.login = login
    endpoint = OAuth2Endpoint(settings, context, for: waiting)
    keeper = settings.tokenFile.map { OAuth2TokenKeeper(TokenFile($0), settings) }
    self.patience = patience
    self.watch = watch
    self.show = show
  }

  package func begin() {
    guard let keeper else {
      return end(OAuth2.failure("the login '\(login.name)' has no token file"))
    }
    let pump = endpoint.context.pump
    // The user must not be prompted for tokens that cannot be stored.
    pump.offload(
      { [inbox = pump.inbox] () -> TokenFile.Problem? in
        switch keeper.open(unless: { inbox.isClosed }) {
        case .failure(let problem): return problem
        case .success(let entry):
          keeper.close(entry)
          return nil
        }
      },
      then: { [weak self] problem in
        guard let self, outcome == nil else { return }
        if let problem { end(OAuth2.failure(problem.message)) } else { ask() }
      })
  }

  private func ask() {
    switch login.way {
    case .device(let url): askForDevice(at: url)
    case .code(let code):
      do throws(TransportError) {
        try listen(for: code)
      } catch {
        end(error)
      }
    }
  }

  /// Handles requests to the listener.
  package func serve() {
    guard let listener, let redirect else { return }
    var verdict: LoginRedirect.Verdict?
    listener.serve { request in
      // The first valid redirect ends the login; other requests have no effect.
      let own =
        verdict == nil ? redirect.verdict(on: request) : .wrong(404, "there is no such page")
      if case .wrong = own {} else { verdict = own }
      return LoopbackAnswer(own)
    }
    switch verdict {
    case nil, .wrong: break
    case .refused(let reason):
      stopListening()
      end(OAuth2.failure("the login '\(login.name)' failed: \(reason)"))
    case .code(let code):
      stopListening()
      redeem(code, redirect.url)
    }
  }

  /// Cancels the login. No callbacks follow.
  package func cancel() {
    stopListening()
    end(TransportError(.cancelled, "the login was cancelled"))
  }

  private func end(_ error: TransportError) {
    guard outcome == nil else { return }
    outcome = .failure(error)
  }

  // MARK: Authorization code

  private func listen(for code: OAuth2Login.Code) throws(TransportError) {
    guard let challenge = pkce.challenge else {
      throw OAuth2.failure("the login '\(login.name)' failed: digests are not available")
    }
    let listener = try LoopbackListener(port: code.port, watch: watch)
    let redirect = LoginRedirect(
      host: "127.0.0.1:\(listener.port)", path: code.path, state: PKCE.randomText(),
      issuer: code.issuer)
    self.listener = listener
    self.redirect = redirect
    timer = clock.schedule(after: patience) { [weak self] in
      guard let self, self.listener != nil else { return }
      stopListening()
      end(
        OAuth2.failure(
          "the login '\(login.name)' failed: the browser did not return within "
            + LogText.seconds(patience)))
    }
    var query = [
      ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", redirect.url),
      ("state", redirect.state), ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ]
    if let scope = settings.scope { query.append(("scope", scope)) }
    if let audience = settings.audience { query.append(("audience", audience)) }
    let text = query.map { "\($0.0)=\(OAuth2Request.escaped($0.1))" }.joined(separator: "&")
    // The existing query is kept. (RFC 6749, section 3.1)
    let mark = code.authorizationURL.contains("?") ? "&" : "?"
    show(.open(url: code.authorizationURL + mark + text))
  }

  private func stopListening() {
    timer?.cancel()
    timer = nil
    listener?.close()
    listener = nil
  }

  private func redeem(_ code: String, _ redirectURL: String) {
    let pairs: [OAuth2Request.Pair] = [
      ("grant_type", SecretText("authorization_code")),
      ("code", OAuth2Request.secret(code, "authorization code")),
      ("redirect_uri", SecretText(redirectURL)),
      ("code_verifier", OAuth2Request.secret(pkce.verifier, "code verifier")),
    ]
    endpoint.post(pairs, to: settings.tokenURL) { [weak self] answer in self?.take(answer) }
  }

  // MARK: Device code

  private func askForDevice(at url: String) {
    endpoint.post(settings.reach, to: url) { [weak self] answer in
      guard let self, outcome == nil else { return }
      if let problem = answer.problem("no device code from") { return end(problem) }
      guard let device = answer.text("device_code"), !device.isEmpty,
        let code = answer.text("user_code"), !code.isEmpty,
        // Some servers use the name `verification_url`.
        let place = (answer.text("verification_uri") ?? answer.text("verification_url"))
          .flatMap(OAuth2LoginFlow.page)
      else {
        return end(
          OAuth2.failure(
            "no device code from \(LogText.url(url)): its response lacks device_code, user_code, or a "
              + "verification_uri that is an https URL"))
      }
      let complete = answer.text("verification_uri_complete").flatMap(OAuth2LoginFlow.page)
      show(.enter(code: LogText.part(code, limit: 80), url: place, complete: complete))
      let polling = DevicePolling(
        interval: answer.number("interval"), lifetime: answer.number("expires_in"),
        now: clock.uptime)
      // A code that expires before the interval ends is polled once.
      wait(min(polling.interval, polling.deadline - clock.uptime), polling, device)
    }
  }

  /// Returns the URL if it is safe to open.
  private static func page(_ text: String) -> String? {
    guard let url = ResourceURL(absolute: text), OAuth2Login.isSafe(url) else { return nil }
    return url.percentEncoded
  }

  private func wait(_ seconds: Double, _ polling: DevicePolling, _ device: String) {
    timer = clock.schedule(after: seconds) { [weak self] in
      guard let self, outcome == nil else { return }
      poll(polling, device)
    }
  }

  private func poll(_ polling: DevicePolling, _ device: String) {
    let pairs: [OAuth2Request.Pair] = [
      ("grant_type", SecretText("urn:ietf:params:oauth:grant-type:device_code")),
      ("device_code", OAuth2Request.secret(device, "device code")),
    ]
    endpoint.post(pairs, to: settings.tokenURL) { [weak self] answer in
      guard let self, outcome == nil else { return }
      var polling = polling
      switch polling.next(after: DevicePolling.Answer(answer), now: clock.uptime) {
      case .wait(let seconds): wait(seconds, polling, device)
      case .end: take(answer)
      case .denied:
        end(OAuth2.failure("the login '\(login.name)' was denied in the browser"))
      case .expired:
        end(
          OAuth2.failure(
            "the login '\(login.name)' failed: the code was not used in time; "
              + "\(login.remedy) again")
        )
      }
    }
  }

  // MARK: Tokens

  private func take(_ answer: OAuth2Answer) {
    guard outcome == nil else { return }
    switch answer.tokens(now: clock.now, known: nil) {
    case .failure(let error): end(error)
    case .success(var tokens):
      tokens.login = PKCE.randomText()
      keep(tokens)
    }
  }

  private func keep(_ tokens: OAuth2Tokens) {
    guard let keeper else { return }
    let pump = endpoint.context.pump
    pump.offload(
      { [inbox = pump.inbox] () -> TokenFile.Problem? in
        switch keeper.open(unless: { inbox.isClosed }) {
        case .failure(let problem): problem
        case .success(let entry): keeper.save(tokens, in: entry)
        }
      },
      then: { [weak self] problem in
        guard let self, outcome == nil else { return }
        if let problem { return end(OAuth2.failure(problem.message)) }
        let ends = tokens.refresh == nil && tokens.expires != nil
        outcome = .success(
          Outcome(path: keeper.path, lifetime: ends ? tokens.lifetime : nil))
      })
  }
}

/// The step that a user must take to authorise a program, passed to the closure of `Auth.logIn`.
public enum OAuth2Prompt: Sendable, Equatable {
  /// Open this URL in a browser on this machine.
  case open(url: String)
  /// Open `url` in a browser on any device, and type the code. If there is a `complete` URL, it
  /// contains the code, and may be shown as a QR code.
  case enter(code: String, url: String, complete: String?)
}

/// The result of a login.
public struct OAuth2LoginResult {
  /// The authentication to configure from now on. Its identity differs from the identity before
  /// this login, so that an on-disk cache does not mix the entries of different users.
  public let auth: Auth
  /// The file that contains the tokens.
  public let tokenFile: String
  /// Seconds until the user must log in again; nil if the tokens are renewed, or if they are valid
  /// until the service rejects them.
  public let lifetime: Double?
}

/// The result of a logout.
public enum OAuth2LogoutResult: Sendable, Equatable {
  /// There were no tokens.
  case absent
  /// The tokens were removed here; there is no endpoint to revoke them.
  case removed
  /// The tokens were removed here and revoked on their server.
  case revoked
  /// The tokens were removed here, but may still be valid. The text is the reason.
  case unrevoked(String)
}

/// Records the logins that a program configures, and the first request that needs a login, for a
/// tool that performs these logins.
///
/// While there is a coordinator, requests that need a login are not sent. Home thread only.
package final class OAuth2LoginCoordinator {
  /// The logins in order, each once.
  package private(set) var logins: [OAuth2.Settings] = []
  /// The first request that needs a login, and its context.
  package private(set) var need: (request: HTTPRequest, context: AuthContext)?
  private let whenNeeded: () -> Void

  /// - Parameter whenNeeded: Called at the first request that needs a login.
  package init(whenNeeded: @escaping () -> Void) {
    self.whenNeeded = whenNeeded
  }

  package func note(_ settings: OAuth2.Settings) {
    if settings.login != nil, !logins.contains(settings) { logins.append(settings) }
  }

  /// Records a request that needs a login. Returns true if the request must not be sent.
  func takes(_ request: HTTPRequest, in context: AuthContext, for settings: OAuth2.Settings) -> Bool
  {
    guard settings.login != nil else { return false }
    if need == nil {
      need = (request, context)
      whenNeeded()
    }
    return true
  }
}
