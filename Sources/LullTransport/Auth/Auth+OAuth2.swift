public import LullCore

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
