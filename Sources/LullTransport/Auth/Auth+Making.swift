public import LullCore

/// The ways to prove who sends a request that the network has a part in.
extension Auth {
  /// Digest authentication (RFC 7616): MD5, SHA-256 and SHA-512-256, whole bodies too where the server
  /// wants that.
  ///
  /// The first request is sent twice: its answer says what to sign. Lua: `lull.auth.digest(user, password)`.
  public static func digest(user: SecretText, password: SecretText) -> Auth {
    let stage = DigestAuth(user: user, password: password)
    return Auth(
      stage: stage, identity: SecretText("digest ") + user + SecretText(" ") + password,
      shown: stage.shown, login: .digest(user: user.masked))
  }

  /// Signatures for Amazon's services, and for those that work like them. Lua: `lull.auth.aws_sigv4{…}`.
  public static func awsSignature(_ credentials: AWSCredentials) -> Auth {
    let stage = AWSAuth(credentials)
    return Auth(
      stage: stage, identity: stage.identity, shown: stage.shown,
      login: .signature(
        service: credentials.service, region: credentials.region,
        accessKey: credentials.accessKey.masked))
  }

  /// User and password from a netrc file that nobody else may read, by the host that is asked.
  ///
  /// - Parameters:
  ///   - path: nil: what the variable `NETRC` names, else `~/.netrc`.
  ///   - login: the name to log in with, where there are several for a host.
  ///   - isOptional: whether a host of which the file has nothing is asked without; else that fails.
  ///
  /// Lua: `lull.auth.netrc{…}`.
  public static func netrc(
    _ path: String? = nil, login: String? = nil, isOptional: Bool = false
  ) -> Auth {
    let stage = NetrcAuth(
      NetrcAuth.Settings(path: path, login: login, isOptional: isOptional))
    return Auth(
      stage: stage, identity: stage.identity, shown: stage.shown,
      login: .netrc(path: path, isOptional: isOptional))
  }
}

/// Access tokens of an authorization server, which are fetched, kept and renewed. (RFC 6749)
///
/// The first request that needs a token asks for one, all others wait for that answer; a token that ends
/// soon, or that the service has answered 401 to, is renewed in the same way, and the request sent once
/// more. Token requests go to the endpoint's origin only, and are not retried. What goes wrong fails the
/// waiting requests with `authFailed`, a URL that is none too.
///
/// Make it once, outside of the block that sets it: each of these has tokens of its own.
///
///     let auth = Auth.oauth2ClientCredentials(
///       tokenURL: "https://login.example.com/token", clientID: "reports",
///       clientSecret: SecretText(Secret(.environment("REPORTS_SECRET"))))
///     api.configure { $0.auth = auth }
extension Auth {
  /// Tokens for the program itself, by its own secret. (Section 4.4) Home thread only. Lua:
  /// `lull.auth.oauth2_client_credentials{…}`.
  ///
  /// - Parameters:
  ///   - scope: what the tokens are to be good for; nil for what the server thinks.
  ///   - sendsSecretInBody: whether the secret goes into the body, not into a header. (Section 2.3.1)
  ///   - tokenFile: where tokens are kept, that only their owner reads; processes that name it share
  ///     them, and one of them renews at a time. nil: in memory.
  public static func oauth2ClientCredentials(
    tokenURL: any URLConvertible, clientID: String, clientSecret: SecretText,
    scope: String? = nil, audience: String? = nil, sendsSecretInBody: Bool = false,
    tokenFile: String? = nil
  ) -> Auth {
    var settings = settings(tokenURL, clientID, clientSecret, .clientCredentials)
    settings.scope = scope
    settings.audience = audience
    settings.sendsSecretInBody = sendsSecretInBody
    settings.tokenFile = tokenFile
    return OAuth2(settings).auth
  }

  /// Tokens for somebody who has let the program in before: the refresh token begins it, and the server may
  /// give others in its place. (Section 6) Otherwise as above. Lua: `lull.auth.oauth2_refresh{…}`.
  ///
  /// - Parameter tokenFile: name one where the server gives new refresh tokens: without it the next process
  ///   begins with the old one.
  public static func oauth2Refresh(
    tokenURL: any URLConvertible, clientID: String, clientSecret: SecretText? = nil,
    refreshToken: SecretText, scope: String? = nil, audience: String? = nil,
    sendsSecretInBody: Bool = false, tokenFile: String? = nil
  ) -> Auth {
    var settings = settings(tokenURL, clientID, clientSecret, .refresh(refreshToken))
    settings.scope = scope
    settings.audience = audience
    settings.sendsSecretInBody = sendsSecretInBody
    settings.tokenFile = tokenFile
    return OAuth2(settings).auth
  }

  private static func settings(
    _ tokenURL: any URLConvertible, _ clientID: String, _ clientSecret: SecretText?,
    _ grant: OAuth2.Settings.Grant
  ) -> OAuth2.Settings {
    OAuth2.Settings(
      tokenURL: tokenURL.url?.percentEncoded ?? tokenURL.urlText, clientID: clientID,
      clientSecret: clientSecret, grant: grant)
  }
}
