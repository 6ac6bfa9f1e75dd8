public import LullCore

/// Tokens that a user obtains for the program once, with a browser. (RFC 6749, section 4.1; RFC
/// 8628)
///
/// Requests never prompt the user: without tokens they fail with `authFailed`, and the program
/// calls `logIn`. From then on, the tokens are renewed as with the other OAuth 2 methods. All
/// processes that name the same file share the tokens.
///
///     let auth = try Auth.oauth2Device(
///       deviceURL: "https://login.example.com/device",
///       tokenURL: "https://login.example.com/token",
///       clientID: "me", name: "shop")
///     let login = try await auth.logIn(over: api) { prompt in
///       if case .enter(let code, let url, _) = prompt { print("Open \(url) and type \(code)") }
///     }
///     api.configure { $0.auth = login.auth }
extension Auth {
  /// A login with a browser on this machine. The browser delivers the code to a listener on
  /// 127.0.0.1. The login uses PKCE (S256) and a `state`. (RFC 7636, RFC 8252) Home thread only.
  /// Lua: `lull.auth.oauth2_code{…}`.
  ///
  /// - Parameters:
  ///   - name: The name of the login. It may contain letters, digits, `-`, `_` and `.`. Without
  ///     `tokenFile`, the tokens are stored in `lull/tokens/NAME.json` in `$XDG_STATE_HOME` or
  ///     `~/.local/state`.
  ///   - issuer: The issuer that the response with the code must name; nil does not check it. (RFC
  ///     9207)
  ///   - port: The listener's port; 0 for any free port.
  ///   - redirectPath: The path of the redirect URL. The server may require that the path is
  ///     registered.
  ///   - revocationURL: The endpoint where `logOut` revokes tokens; nil for none. (RFC 7009)
  /// - Throws: An `authFailed` error that names the invalid argument. URLs must be https, or http
  ///   on this machine, without a fragment.
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

  /// A login for machines without a browser: the user types a short code into a browser on any
  /// device. (RFC 8628) Everything else is as for `oauth2Code`. Home thread only. Lua:
  /// `lull.auth.oauth2_device{…}`.
  ///
  /// - Parameter deviceURL: The endpoint that issues codes.
  /// - Throws: An error that names the invalid argument: an invalid URL or name.
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

  /// Prompts the user to authorise the program in a browser, and stores the tokens. An existing
  /// login is replaced.
  ///
  /// Order of events: Lull checks that tokens can be stored. Lull requests a code from the server,
  /// or opens the listener. Lull calls `show` once, on the home thread; `show` must inform the
  /// user. When the user has agreed and the tokens are written, this method returns. From then on,
  /// requests have the tokens if they use this `Auth` or another `Auth` with the same file. The
  /// listener waits for five minutes. How long a code is valid depends on the server. Cancelling
  /// the task or ending the home ends the login, and nothing is stored. Requests to the endpoints
  /// use the network of `service`, with the limits and connection settings of its GET requests, but
  /// no policies. Runs on the caller's actor, which must be the home of the service. Lua: the
  /// command `lull login`. (OAU-03 to OAU-12, OLS-01 to OLS-08)
  ///
  /// - Throws: An `authFailed` error with the reason, or a `cancelled` error.
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

  /// Removes the tokens of the login from this machine. If `revocationURL` is set, the tokens are
  /// revoked on their server first. (RFC 7009)
  ///
  /// Runs on the caller's actor, which must be the home of the service. Cancelling the task ends
  /// the wait, but not the logout. Lua: the command `lull logout`. (OAU-15, OLS-06)
  ///
  /// - Throws: An `authFailed` error with the reason why the file could not be changed.
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

  // MARK: Checks

  /// Returns the `OAuth2` stage of the login, the context of that stage, and a request. Requests to
  /// the endpoints use the settings of that request.
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
      "this Auth has no login: use Auth.oauth2Code or Auth.oauth2Device for users to log in")
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
        "name must have only letters, digits, '-', '_' and '.', since it names the token file, got "
          + "'\(LogText.part(name, limit: 80))'")
    }
    guard let file = tokenFile ?? TokenFile.standardPath(of: name) else {
      throw OAuth2.failure("tokenFile is required without a home folder ($HOME)")
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

  /// Checks a URL that authorisation data is sent to: it must use TLS, or stay on this machine.
  /// (OAU-13)
  private static func endpoint(
    _ url: any URLConvertible, _ name: String
  ) throws(TransportError) -> String {
    let text = url.urlText
    guard let url = ResourceURL(absolute: text), OAuth2Login.isSafe(url), !text.contains("#") else {
      throw OAuth2.failure(
        "\(name) must be an https URL without a fragment, or an http URL of this machine, got "
          + "'\(LogText.url(text))'")
    }
    return url.percentEncoded
  }
}
