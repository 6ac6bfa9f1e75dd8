public import LullCore

/// The authentication methods that involve the network.
extension Auth {
  /// Digest authentication (RFC 7616): MD5, SHA-256 and SHA-512-256. If the server requires it, the
  /// answer to the challenge also protects the body.
  ///
  /// The first request is sent twice, because the challenge is in its first response. Lua:
  /// `lull.auth.digest(user, password)`.
  public static func digest(user: SecretText, password: SecretText) -> Auth {
    let stage = DigestAuth(user: user, password: password)
    return Auth(
      stage: stage, identity: SecretText("digest ") + user + SecretText(" ") + password,
      shown: stage.shown, login: .digest(user: user.masked))
  }

  /// Signs requests for Amazon's services and compatible services. Lua: `lull.auth.aws_sigv4{…}`.
  public static func awsSignature(_ credentials: AWSCredentials) -> Auth {
    let stage = AWSAuth(credentials)
    return Auth(
      stage: stage, identity: stage.identity, shown: stage.shown,
      login: .signature(
        service: credentials.service, region: credentials.region,
        accessKey: credentials.accessKey.masked))
  }

  /// Sends user and password from a netrc file, selected by the request's host. The file must not
  /// be readable by other users.
  ///
  /// - Parameters:
  ///   - path: The path of the file; nil uses the variable `NETRC`, else `~/.netrc`.
  ///   - login: The login name to use if the file has several logins for a host; nil uses the
  ///     first.
  ///   - isOptional: Whether requests to a host that is not in the file are sent without
  ///     credentials. If false, these requests fail.
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

/// Access tokens from an authorization server, which are fetched, stored and renewed. (RFC 6749)
///
/// The first request that needs a token fetches the token, and all other requests wait. Likewise,
/// one request renews a token that expires soon or that the service has rejected with 401. A
/// rejected request is sent again. Token requests are only sent to the endpoint's origin, and are
/// not retried. Any problem, including an invalid URL, fails the waiting requests with
/// `authFailed`.
///
/// Make the `Auth` once, outside the block that sets it, because each `Auth` has its own tokens.
///
///     let auth = Auth.oauth2ClientCredentials(
///       tokenURL: "https://login.example.com/token", clientID: "reports",
///       clientSecret: SecretText(Secret(.environment("REPORTS_SECRET"))))
///     api.configure { $0.auth = auth }
extension Auth {
  /// Fetches tokens for the program itself, with its client secret. (RFC 6749, section 4.4) Home
  /// thread only. Lua: `lull.auth.oauth2_client_credentials{…}`.
  ///
  /// - Parameters:
  ///   - scope: The requested scope; nil for the server's default.
  ///   - sendsSecretInBody: Whether the secret is sent in the body, not in a header. (RFC 6749,
  ///     section 2.3.1)
  ///   - tokenFile: The file to store tokens in, readable by its owner only. Processes that name
  ///     the same file share tokens, and one of them renews at a time. nil keeps the tokens in
  ///     memory.
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

  /// Fetches tokens for a user who has already authorised the program. The first token is fetched
  /// with `refreshToken`. Later, the server may replace the refresh token. (RFC 6749, section 6)
  /// Everything else is as for `oauth2ClientCredentials`. Lua: `lull.auth.oauth2_refresh{…}`.
  ///
  /// - Parameter tokenFile: The file to store tokens in. Specify a file if the server issues new
  ///   refresh tokens: without a file, the next process starts with the old refresh token.
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
