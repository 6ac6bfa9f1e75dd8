package import LullCore
import LullSystem

/// Access tokens from a token endpoint, for all requests of a service. (RFC 6749, sections 4.4 and
/// 6)
///
/// The first request that needs a token fetches the token, and all other requests wait. Likewise,
/// one request renews a token that expires soon or that the service has rejected with 401. Token
/// requests are only sent to the endpoint's origin, are not subject to policies, and are not
/// retried. With a token file, processes share tokens, and one of them renews at a time. Home
/// thread only. The tokens of a login are fetched by `lull login` or `Auth.logIn`, and only stored
/// and renewed here. Lua: `lull.auth.oauth2_client_credentials{…}`, `lull.auth.oauth2_refresh{…}`,
/// `lull.auth.oauth2_device{…}`, `lull.auth.oauth2_code{…}`.
package final class OAuth2: AuthStage {
  package struct Settings: Sendable, Equatable {
    package enum Grant: Sendable, Equatable {
      case clientCredentials
      case refresh(SecretText)
      /// The user has logged in before; the tokens are in the token file.
      case login(OAuth2Login)
    }

    package var tokenURL: String
    package var clientID: String
    package var clientSecret: SecretText?
    package var grant: Grant
    package var scope: String?
    package var audience: String?
    /// Whether the client secret is sent in the body, not in a header. (RFC 6749, section 2.3.1)
    package var sendsSecretInBody = false
    package var tokenFile: String?
    /// The token file that a script has configured, even if nothing is stored in it.
    package var saidTokenFile: String?
    /// The environment of an API file for which tokens are fetched; nil for none.
    package private(set) var environment: String?

    /// Returns the settings for an environment of an API file. Each environment has its own tokens.
    /// (ENV-08)
    package func kept(apart environment: String) -> Settings {
      var settings = self
      settings.environment = environment
      if case .login(var login) = grant {
        login.enter(environment)
        settings.grant = .login(login)
      }
      return settings
    }

    /// A text that identifies the client, its endpoint and its requested scope. The length precedes
    /// each part, so that the text is unambiguous.
    var client: String {
      let kind =
        switch grant {
        case .clientCredentials: "client_credentials"
        case .refresh: "refresh_token"
        // Both kinds of login have the same name, because their tokens are equivalent.
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

  /// The setting that adds these tokens to requests.
  package var auth: Auth {
    var identity = SecretText("oauth2 \(settings.client) ")
    var shown = "token of \(LogText.url(settings.tokenURL))"
    switch settings.grant {
    case .clientCredentials: break
    case .refresh(let token): identity = identity + token
    case .login(let login):
      // The login is part of the identity, so that a cache does not mix the entries of different
      // users.
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
  /// Tokens that could not be written to the token file.
  private var unsaved: OAuth2Tokens?
  /// Counts the renewals, to recognise requests that were sent with earlier tokens.
  private var generation = 0
  private var waiting: [Waiter] = []
  private var isRenewing = false
  /// Stops the wait for the lock of the token file; nil if there is no such wait.
  private var stopSign: StopSign?
  /// The access token that the service has rejected; nil for none.
  private var rejected: String?
  /// Records the logins that requests need, instead of sending these requests; nil for none.
  private weak var coordinator: OAuth2LoginCoordinator?
  /// The authentication for each environment of an API file, keyed by the environment's name.
  private var others: [String: Auth] = [:]

  private final class Waiter {
    let request: HTTPRequest
    let resume: (TransportError?) -> Void
    var isOver = false
    /// The timer that limits the wait of the request.
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
        OAuth2.failure("no token from \(url) within \(LogText.seconds(timeout))"))
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
    // Another request may have been rejected too, and may have fetched new tokens already.
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

  /// Renews the tokens, unless a renewal is running.
  ///
  /// - Parameter request: One of the waiting requests. Token requests use its connection settings.
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
        // These tokens are newer than the tokens that could not be saved.
        unsaved = nil
        finish(.success(tokens))
      case .success(.due(let renewal)):
        // The process must not end now, because it would lose the result of a refresh token.
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

  /// Starts the renewal again, because another process has begun a renewal, or because the requests
  /// that waited before are no longer waiting.
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

  /// Requests tokens from the endpoint.
  ///
  /// - Parameter finish: Called with nil if nothing was sent because another process renews the
  ///   tokens now.
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

  /// Removes the tokens from memory: after a login or logout, the token file applies.
  func forget() {
    tokens = nil
    unsaved = nil
    generation += 1
  }

  /// The generation of a request to which no token was added, because the request already has an
  /// `Authorization` header.
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
