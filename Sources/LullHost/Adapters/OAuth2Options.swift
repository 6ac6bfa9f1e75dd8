import CLullBridge
import LullCore
import LullTransport

extension LuaHost {
  static let oauth2Keys = [
    "token_url", "client_id", "client_secret", "scope", "audience", "secret_in", "token_file",
  ]

  /// `lull.auth.oauth2_client_credentials{…}`, `lull.auth.oauth2_refresh{…}`: asks for nothing yet.
  func makeOAuth2(_ call: Call, isRefresh: Bool) throws(Misuse) {
    var texts: [String: String] = [:]
    var clientSecret: SecretText?
    var refreshToken: SecretText?
    let known = LuaHost.oauth2Keys + (isRefresh ? ["refresh_token"] : [])
    try forEachOption(of: call.index(0), in: call.state, known: known) {
      name, value throws(Misuse) in
      switch name {
      case "client_secret": clientSecret = try credential(value, name)
      case "refresh_token": refreshToken = try credential(value, name)
      default: texts[name] = try text(ofSecret: value, name)
      }
    }
    let url = try LuaHost.needed("token_url", texts)
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
      tokenURL: tokenURL.percentEncoded, clientID: try LuaHost.needed("client_id", texts),
      clientSecret: clientSecret, grant: grant)
    settings.scope = texts["scope"]
    settings.audience = texts["audience"]
    settings.tokenFile = texts["token_file"]
    if isInspecting { settings.tokenFile = nil }
    guard settings.tokenFile == nil || !isSandboxed else {
      throw .message("'token_file' is not available in the sandbox")
    }
    switch texts["secret_in"] {
    case nil, "header": break
    case "body": settings.sendsSecretInBody = true
    default: throw .message("'secret_in' must be \"header\" or \"body\"")
    }
    call.return(values.of(AuthBox(OAuth2(settings).auth), .auth))
  }

  private static func needed(_ name: String, _ texts: [String: String]) throws(Misuse) -> String {
    guard let text = texts[name] else { throw .message("'\(name)' is needed") }
    return text
  }

  private func credential(_ value: lull_value, _ name: String) throws(Misuse) -> SecretText {
    if let text = secret(value) { return text }
    guard let text = value.string, !text.isEmpty else {
      let given =
        value.kind == Int32(LULL_STRING) ? "an empty string" : value.typeName
      throw .message("'\(name)' must be a Secret or a string, got \(given)")
    }
    checker?.look(atCredential: text, "the value of '\(name)'")
    return SecretText(Secret(.literal(text)))
  }
}
