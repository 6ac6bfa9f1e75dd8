public import LullCore

/// Tokens that a person gets for the program, once, by a browser. (RFC 6749, section 4.1; RFC 8628)
///
/// Nobody is asked by a request: without tokens it fails with `authFailed` and says so, and the program
/// calls `logIn`. From then on tokens are renewed like others, by all processes that name the same file.
///
///     let auth = try Auth.oauth2Device(
///       deviceURL: "https://login.example.com/device", tokenURL: "https://login.example.com/token",
///       clientID: "me", name: "shop")
///     let login = try await auth.logIn(over: api) { prompt in
///       if case .enter(let code, let url, _) = prompt { print("Open \(url) and type \(code)") }
///     }
///     api.configure { $0.auth = login.auth }
extension Auth {
  /// A login by a browser on this machine, which brings its answer to a listener on 127.0.0.1, with PKCE
  /// (S256) and a `state`. (RFC 7636, RFC 8252) Home thread only. Lua: `lull.auth.oauth2_code{…}`.
  ///
  /// - Parameters:
  ///   - name: what the login is called, and its tokens' file unless `tokenFile` names one: `name.json` in
  ///     `lull/tokens` in `$XDG_STATE_HOME` or `~/.local/state`. Letters, digits, `-`, `_` and `.`.
  ///   - issuer: who has to have sent the answer; nil: that is not asked. (RFC 9207)
  ///   - port: where the listener is; 0 for a free one.
  ///   - redirectPath: the path that the answer is brought to, as the server may want it to be registered.
  ///   - revocationURL: where `logOut` gives tokens back; nil: nowhere. (RFC 7009)
  /// - Throws: an `authFailed` that says which of these is not what it must be: URLs are https ones, or
  ///   http ones of this machine, without a fragment.
  public static func oauth2Code(
    authorizationURL: any URLConvertible, tokenURL: any URLConvertible, clientID: String,
    name: String, clientSecret: SecretText? = nil, scope: String? = nil, audience: String? = nil,
    issuer: String? = nil, port: UInt16 = 0, redirectPath: String = "/callback",
    sendsSecretInBody: Bool = false, tokenFile: String? = nil,
    revocationURL: (any URLConvertible)? = nil
  ) throws(TransportError) -> Auth {
    var code = OAuth2Login.Code(
      authorizationURL: try endpoint(authorizationURL, "authorizationURL"))
    code.issuer = issuer
    code.port = port
    guard OAuth2Login.isPath(redirectPath) else {
      throw OAuth2.failure(
        "redirectPath must be a path such as \"/callback\", got "
          + "'\(LogText.part(redirectPath, limit: 80))'")
    }
    code.path = redirectPath
    var settings = try settings(
      .code(code), tokenURL, clientID, name, clientSecret, tokenFile, revocationURL)
    settings.scope = scope
    settings.audience = audience
    settings.sendsSecretInBody = sendsSecretInBody
    return OAuth2(settings).auth
  }

  /// A login by a short code, which is typed into a browser anywhere: for machines without one. (RFC 8628)
  /// Otherwise as above. Home thread only. Lua: `lull.auth.oauth2_device{…}`.
  ///
  /// - Parameter deviceURL: where the code is asked for.
  /// - Throws: What is wrong with what is given: a URL that is none, a name that cannot be one.
  public static func oauth2Device(
    deviceURL: any URLConvertible, tokenURL: any URLConvertible, clientID: String, name: String,
    clientSecret: SecretText? = nil, scope: String? = nil, audience: String? = nil,
    sendsSecretInBody: Bool = false, tokenFile: String? = nil,
    revocationURL: (any URLConvertible)? = nil
  ) throws(TransportError) -> Auth {
    let way = OAuth2Login.Way.device(url: try endpoint(deviceURL, "deviceURL"))
    var settings = try settings(
      way, tokenURL, clientID, name, clientSecret, tokenFile, revocationURL)
    settings.scope = scope
    settings.audience = audience
    settings.sendsSecretInBody = sendsSecretInBody
    return OAuth2(settings).auth
  }

  /// Asks a person, by way of a browser, and keeps the tokens that come of it; a login that there is already
  /// is replaced.
  ///
  /// Order of events: whether tokens can be kept is looked at; the server is asked for a code, or the
  /// listener opened; `show` is called, once, on the home thread, and has to tell the person; once that one
  /// has agreed and the tokens are written this returns. Requests that use this `Auth`, or one made with
  /// the same file, have the tokens from now on. The listener waits five minutes, a code as long as its
  /// server says. Cancelling the task ends it, and nothing is kept, as does the end of the home. The
  /// endpoints are asked by the network of `service`, with the limits and connection settings of its GETs,
  /// and by no policy. Runs on the caller's actor, which must be the home of the service. Lua: the command
  /// `lull login`. (OAU-03 to OAU-12, OLS-01 to OLS-08)
  ///
  /// - Throws: an `authFailed` that says what went wrong, or `cancelled`.
  public func logIn(
    over service: Service, isolation: isolated (any Actor)? = #isolation,
    show: @escaping (OAuth2Prompt) -> Void
  ) async throws(TransportError) -> OAuth2LoginResult {
    let (stage, context, waiting) = try parts(service)
    let loop = context.pump.clock
    guard
      let flow = OAuth2LoginFlow(
        stage.settings, context, for: waiting, watch: { DescriptorWatch($0, onLoopOf: loop) },
        show: show)
    else { throw Auth.isNoLogin }
    let wait = TurnWait(context.pump) {
      flow.serve()
      return flow.outcome
    } stop: {
      flow.cancel()
      return flow.outcome ?? .failure(Auth.cancelled)
    }
    let outcome = try await wait.value(isolation: isolation) { flow.begin() }.get()
    stage.forget()
    return OAuth2LoginResult(
      auth: OAuth2(stage.settings).auth, tokenFile: outcome.path, lifetime: outcome.lifetime)
  }

  /// Takes the tokens of the login away: gives them back to their server, if `revocationURL` says where, and
  /// removes them here in any case. (RFC 7009)
  ///
  /// Runs on the caller's actor, which must be the home of the service; cancelling the task ends the wait
  /// and not what was begun. Lua: the command `lull logout`. (OAU-15, OLS-06)
  ///
  /// - Throws: an `authFailed` that says why the file could not be changed.
  @discardableResult
  public func logOut(
    over service: Service, isolation: isolated (any Actor)? = #isolation
  ) async throws(TransportError) -> OAuth2LogoutResult {
    let (stage, context, waiting) = try parts(service)
    guard let logout = OAuth2Logout(stage.settings, context, for: waiting) else {
      throw Auth.isNoLogin
    }
    let wait = TurnWait<Result<OAuth2Logout.Outcome, TransportError>>(context.pump) {
      logout.outcome.map { .success($0) }
    } stop: {
      .failure(Auth.cancelled)
    }
    let outcome = await wait.value(isolation: isolation) { logout.begin() }
    stage.forget()
    switch try outcome.get() {
    case .absent: return .absent
    case .removed: return .removed
    case .revoked: return .revoked
    case .unrevoked(let reason): return .unrevoked(reason)
    case .failed(let reason): throw OAuth2.failure(reason)
    }
  }

  // MARK: Parts

  /// Whose login it is, and by whose way endpoints are asked.
  private func parts(
    _ service: Service
  ) throws(TransportError) -> (OAuth2, AuthContext, HTTPRequest) {
    service.pump.checkThread()
    guard let stage = stage as? OAuth2, stage.settings.login != nil else { throw Auth.isNoLogin }
    let settings = service.resource("").configuration
    let waiting = HTTPRequest(
      method: .get, url: stage.settings.tokenURL, limits: settings.limits,
      options: settings.options)
    return (stage, AuthContext(networking: service.networking, pump: service.pump), waiting)
  }

  private static var isNoLogin: TransportError {
    OAuth2.failure(
      "this Auth is no login: Auth.oauth2Code and Auth.oauth2Device make what a person logs in by")
  }

  private static var cancelled: TransportError {
    TransportError(.cancelled, "it was cancelled")
  }

  private static func settings(
    _ way: OAuth2Login.Way, _ tokenURL: any URLConvertible, _ clientID: String, _ name: String,
    _ clientSecret: SecretText?, _ tokenFile: String?, _ revocationURL: (any URLConvertible)?
  ) throws(TransportError) -> OAuth2.Settings {
    guard OAuth2Login.isName(name) else {
      throw OAuth2.failure(
        "name must be of letters, digits, '-', '_' and '.', to name the tokens' file, got "
          + "'\(LogText.part(name, limit: 80))'")
    }
    guard let file = tokenFile ?? TokenFile.standardPath(of: name) else {
      throw OAuth2.failure("tokenFile is needed where there is no home folder ($HOME)")
    }
    guard !file.isEmpty else { throw OAuth2.failure("tokenFile must not be empty") }
    var login = OAuth2Login(way, name: name, command: nil)
    if let revocationURL { login.revocationURL = try endpoint(revocationURL, "revocationURL") }
    var settings = OAuth2.Settings(
      tokenURL: try endpoint(tokenURL, "tokenURL"), clientID: clientID,
      clientSecret: clientSecret, grant: .login(login))
    settings.tokenFile = file
    return settings
  }

  /// What a person's word is sent to, over TLS or no further than this machine. (OAU-13)
  private static func endpoint(
    _ url: any URLConvertible, _ name: String
  ) throws(TransportError) -> String {
    let text = url.urlText
    guard let url = ResourceURL(absolute: text), OAuth2Login.isSafe(url), !text.contains("#") else {
      throw OAuth2.failure(
        "\(name) must be an https URL without a fragment, or an http one of this machine, got "
          + "'\(LogText.url(text))'")
    }
    return url.percentEncoded
  }
}
