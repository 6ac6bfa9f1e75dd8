import LullCore
import LullTransport

/// What a table for `lull.auth.oauth2_client_credentials` or `lull.auth.oauth2_refresh` says.
struct OAuth2Options {
  static let keys = [
    "token_url", "client_id", "client_secret", "scope", "audience", "secret_in", "token_file",
  ]
  /// What only one of them has.
  static let refreshKey = "refresh_token"

  var texts: [String: String] = [:]
  var clientSecret: SecretText?
  var refreshToken: SecretText?

  func settings(isRefresh: Bool, _ permissions: Permissions) throws(Misuse) -> OAuth2.Settings {
    let url = try needed("token_url")
    guard let tokenURL = ResourceURL(absolute: url), ["http", "https"].contains(tokenURL.scheme),
      !tokenURL.host.isEmpty
    else { throw .message("'token_url' must be an http or https URL, got '\(LogText.url(url))'") }
    let grant: OAuth2.Settings.Grant
    if isRefresh {
      guard let refreshToken else { throw .message("'refresh_token' is needed") }
      grant = .refresh(refreshToken)
    } else {
      guard clientSecret != nil else { throw .message("'client_secret' is needed") }
      grant = .clientCredentials
    }
    var settings = OAuth2.Settings(
      tokenURL: tokenURL.percentEncoded, clientID: try needed("client_id"),
      clientSecret: clientSecret, grant: grant)
    settings.scope = texts["scope"]
    settings.audience = texts["audience"]
    settings.tokenFile = permissions.isInspecting ? nil : texts["token_file"]
    guard settings.tokenFile == nil || !permissions.isSandboxed else {
      throw .message("'token_file' is not available in the sandbox")
    }
    switch texts["secret_in"] {
    case nil, "header": break
    case "body": settings.sendsSecretInBody = true
    default: throw .message("'secret_in' must be \"header\" or \"body\"")
    }
    return settings
  }

  private func needed(_ name: String) throws(Misuse) -> String {
    guard let text = texts[name] else { throw .message("'\(name)' is needed") }
    return text
  }
}
