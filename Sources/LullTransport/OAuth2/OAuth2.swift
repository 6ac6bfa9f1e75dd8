package import LullCore
import LullSystem

/// Access tokens from a token endpoint, for all requests of a service. (RFC 6749, sections 4.4 and 6)
///
/// The first request that needs a token asks for one, all others wait for that answer; a token that
/// ends soon, or that the service has answered 401 to, is renewed in the same way. Token requests go
/// to the endpoint's origin only, pass no policies, and are not retried. With a token file, processes
/// share tokens, and one of them renews at a time. Home thread only.
/// Tokens of a login are fetched by `lull login` or `Auth.logIn`, and only kept and renewed here.
/// Lua: `lull.auth.oauth2_client_credentials{…}`, `lull.auth.oauth2_refresh{…}`,
/// `lull.auth.oauth2_device{…}`, `lull.auth.oauth2_code{…}`.
package final class OAuth2: AuthStage {
  package struct Settings: Sendable, Equatable {
    package enum Grant: Sendable, Equatable {
      case clientCredentials
      case refresh(SecretText)
      /// A person has been asked; what came of it is in the token file.
      case login(OAuth2Login)
    }

    package var tokenURL: String
    package var clientID: String
    package var clientSecret: SecretText?
    package var grant: Grant
    package var scope: String?
    package var audience: String?
    /// Whether the client's secret goes into the body, not into a header. (RFC 6749, section 2.3.1)
    package var sendsSecretInBody = false
    package var tokenFile: String?
    /// What a script has said for it, also where nothing is kept.
    package var saidTokenFile: String?
    /// The environment of an API file that the tokens are for; nil: none.
    package private(set) var environment: String?

    /// The same for an environment, whose tokens are its own. (ENV-08)
    package func kept(apart environment: String) -> Settings {
      var settings = self
      settings.environment = environment
      if case .login(var login) = grant {
        login.enter(environment)
        settings.grant = .login(login)
      }
      return settings
    }

    /// Which client of which endpoint it is, and what it asks for: parts with their lengths, so that
    /// none can be taken for another.
    var client: String {
      let kind =
        switch grant {
        case .clientCredentials: "client_credentials"
        case .refresh: "refresh_token"
        // By whichever way: tokens are as good.
        case .login: "login"
        }
      return
        ([tokenURL, clientID, kind, scope ?? "", audience ?? ""]
        + (environment.map { ["@\($0)"] } ?? []))
        .map { "\($0.utf8.count):\($0)" }.joined(separator: " ")
    }

    package init(tokenURL: String, clientID: String, clientSecret: SecretText?, grant: Grant) {
      self.tokenURL = tokenURL
      self.clientID = clientID
      self.clientSecret = clientSecret
      self.grant = grant
    }
  }

  /// As a setting.
  package var auth: Auth {
    var identity = SecretText("oauth2 \(settings.client) ")
    var shown = "token of \(LogText.url(settings.tokenURL))"
    switch settings.grant {
    case .clientCredentials: break
    case .refresh(let token): identity = identity + token
    case .login(let login):
      // Who has logged in, so that nobody finds what a cache keeps for another.
      identity = identity + SecretText(keeper?.login ?? "")
      shown += ", by \(login.command ?? "logIn(over:)")"
    }
    return Auth(stage: self, identity: identity, shown: "Bearer ‹\(shown)›")
  }

  package var fingerprint: Int {
    var hasher = Hasher()
    hasher.combine(settings.clientSecret)
    hasher.combine(settings.sendsSecretInBody)
    hasher.combine(settings.saidTokenFile)
    if case .login(let login) = settings.grant { hasher.combine("\(login)") }
    return hasher.finalize()
  }

  package let settings: Settings
  private let keeper: OAuth2TokenKeeper?
  private var tokens: OAuth2Tokens?
  /// What could not be put into the token file.
  private var unsaved: OAuth2Tokens?
  /// How often tokens were renewed.
  private var generation = 0
  private var waiting: [Waiter] = []
  private var isRenewing = false
  /// Ends the wait for the lock of the token file.
  private var stopSign: StopSign?
  /// An access token the service does not take any more.
  private var rejected: String?
  /// Who fetches logins instead of using them, if somebody does.
  private weak var coordinator: OAuth2LoginCoordinator?
  /// Of environments, by their names.
  private var others: [String: Auth] = [:]

  private final class Waiter {
    let request: HTTPRequest
    let resume: (TransportError?) -> Void
    var isOver = false
    /// Until its time is up.
    var timer: (any HostTimer)?

    init(_ request: HTTPRequest, _ resume: @escaping (TransportError?) -> Void) {
      self.request = request
      self.resume = resume
    }

    func end() {
      isOver = true
      timer?.cancel()
      timer = nil
    }
  }

  package init(_ settings: Settings, coordinator: OAuth2LoginCoordinator? = nil) {
    self.settings = settings
    self.coordinator = coordinator
    keeper = settings.tokenFile.map { OAuth2TokenKeeper(TokenFile($0), settings) }
  }

  // MARK: AuthStage

  package func auth(keptApart environment: String) -> Auth? {
    if let known = others[environment] { return known }
    let auth = OAuth2(settings.kept(apart: environment), coordinator: coordinator).auth
    others[environment] = auth
    return auth
  }

  package func authorize(
    _ request: HTTPRequest, in context: AuthContext,
    proceed: @escaping (Result<AuthorizedRequest, TransportError>) -> Void
  ) -> (() -> Void)? {
    guard request.headers["authorization"] == nil else {
      proceed(.success(AuthorizedRequest(request, generation: OAuth2.notOurs)))
      return nil
    }
    if let coordinator, coordinator.takes(request, in: context, for: settings) { return {} }
    if let tokens, tokens.isGood(now: context.pump.clock.now) {
      proceed(authorized(request, tokens))
      return nil
    }
    let waiter = Waiter(request) { [unowned self] error in
      if let error { return proceed(.failure(error)) }
      guard let tokens else { return }
      proceed(authorized(request, tokens))
    }
    let timeout = request.limits.timeout
    waiter.timer = context.pump.clock.schedule(after: timeout) { [weak self, weak waiter] in
      guard let self, let waiter, !waiter.isOver else { return }
      leave(waiter)
      let url = LogText.url(settings.tokenURL)
      waiter.resume(
        OAuth2.failure("no token from \(url): none came within \(LogText.seconds(timeout))"))
    }
    waiting.append(waiter)
    renew(in: context, for: request)
    return { [weak self] in self?.leave(waiter) }
  }

  private func leave(_ waiter: Waiter) {
    waiter.end()
    waiting.removeAll { $0 === waiter }
    if waiting.isEmpty { stopSign?.set() }
  }

  package func canRenew(
    after result: NetworkResult, to request: AuthorizedRequest, in context: AuthContext
  ) -> Bool {
    guard request.generation != OAuth2.notOurs else { return false }
    // Another request may have had the same answer, and the new tokens already.
    if request.generation == generation, let tokens {
      rejected = tokens.access
      self.tokens?.expire()
    }
    return true
  }

  private func authorized(_ request: HTTPRequest, _ tokens: OAuth2Tokens)
    -> Result<AuthorizedRequest, TransportError>
  {
    var http = request
    let token = Secret(.literal(tokens.access), name: "access token")
    http.headers.add("authorization", SecretText("Bearer ") + SecretText(token))
    if let problem = http.secretOriginProblem { return .failure(problem) }
    return .success(AuthorizedRequest(http, generation: generation))
  }

  // MARK: Renewing

  /// - Parameter request: one of those that wait; tokens are asked for by the way it takes.
  private func renew(in context: AuthContext, for request: HTTPRequest) {
    guard !isRenewing else { return }
    isRenewing = true
    guard let place = place(in: context) else {
      let renewal = OAuth2Renewal(known: tokens, first: nil, note: nil) { $1(nil) }
      return ask(context, for: request, renewal) { [self] result, _ in
        if let result { finish(result) }
      }
    }
    let need = OAuth2TokenNeed(
      now: context.pump.clock.now, rejected: rejected, unsaved: unsaved)
    let sign = StopSign()
    stopSign = sign
    place.begin(need, unless: sign) { [self] turn in
      stopSign = nil
      switch turn {
      case .failure where sign.isSet: beginAnew(in: context)
      case .failure(let problem): finish(.failure(noToken(problem.message)))
      case .success(.done(let tokens)):
        // Newer than what could not be saved.
        unsaved = nil
        finish(.success(tokens))
      case .success(.due(let renewal)):
        // What a refresh token has brought is lost with the process.
        let ending = context.pump.ending
        ending.hold()
        ask(context, for: request, renewal) { [self] result, isCertain in
          let tokens = try? result?.get()
          renewal.end(tokens.map { .got($0) } ?? .none(isCertain: isCertain)) { [self] problem in
            ending.release()
            if let tokens { unsaved = problem == nil ? nil : tokens }
            if let problem { OAuth2.warn(problem.message) }
            if let result { finish(result) } else { beginAnew(in: context) }
          }
        }
      }
    }
  }

  /// Another renews by now, or those who had come have left.
  private func beginAnew(in context: AuthContext) {
    isRenewing = false
    if let waiter = waiting.first { renew(in: context, for: waiter.request) }
  }

  private func place(in context: AuthContext) -> (any OAuth2TokenStore)? {
    let file = keeper.map { OAuth2TokenFile(keeper: $0, pump: context.pump) }
    guard let client = (context.pump.limits as? SharedLimits)?.connected else {
      return file
    }
    return OAuth2TokenServer(client, settings, context.pump, file: file) ?? file
  }

  private func finish(_ result: Result<OAuth2Tokens, TransportError>) {
    isRenewing = false
    var error: TransportError?
    switch result {
    case .success(let tokens):
      self.tokens = tokens
      generation += 1
      rejected = nil
    case .failure(let problem): error = problem
    }
    let waiters = waiting
    waiting = []
    for waiter in waiters where !waiter.isOver {
      waiter.end()
      waiter.resume(error)
    }
  }

  /// - Parameter finish: is called with nil where nothing was sent since another renews by now.
  private func ask(
    _ context: AuthContext, for waiting: HTTPRequest, _ renewal: OAuth2Renewal,
    _ finish: @escaping (Result<OAuth2Tokens, TransportError>?, _ isCertain: Bool) -> Void
  ) {
    let (known, first) = (renewal.known, renewal.first)
    if let login = settings.login, known?.refresh == nil {
      return finish(.failure(login.problem(isKnown: known != nil)), true)
    }
    let request = OAuth2Request(
      settings, refreshToken: known?.refresh, first: first, for: waiting)
    let endpoint = OAuth2Endpoint(settings, context, for: waiting)
    endpoint.send(request, to: settings.tokenURL, noting: renewal.note) { [self] sent in
      let answer: OAuth2Answer
      switch sent {
      case .refused(let problem):
        return finish(problem.isBusy ? nil : .failure(noToken(problem.message)), true)
      case .unsent(let unsent): answer = unsent
      case .answered(let arrived): answer = arrived
      }
      let tokens = answer.tokens(now: context.pump.clock.now, known: known)
      finish(
        tokens.map {
          settings.grant == .clientCredentials
            ? $0
            : $0.renewed(
              from: known,
              with: known?.refresh ?? first.map { SecretIdentity.text(of: $0) },
              given: answer.text("refresh_token"))
        }.mapError { error in
          guard let login = settings.login, answer.refusesGrant else {
            return error
          }
          return OAuth2.failure("\(error.message); \(login.remedy) again")
        }, sent.isCertain)
    }
  }

  /// Somebody has logged in or out: what is in the file counts.
  func forget() {
    tokens = nil
    unsaved = nil
    generation += 1
  }

  /// Of a request that brings a header of its own.
  private static let notOurs = -1

  private func noToken(_ reason: String) -> TransportError {
    OAuth2.failure("no token from \(LogText.url(settings.tokenURL)): \(reason)")
  }

  static func failure(_ message: String) -> TransportError {
    TransportError(.authFailed, message)
  }

  private static func warn(_ message: String) {
    StandardError.write("lull: warning: \(message)\n")
  }
}
