import LullCore
import LullTransport

/// The options in the table for a function such as `lull.auth.oauth2_code`.
struct OAuth2Options {
  static let keys = [
    "token_url", "client_id", "client_secret", "scope", "audience", "secret_in", "token_file",
  ]
  /// The ways to obtain tokens.
  enum Kind {
    case clientCredentials
    case refresh
    case device
    case code

    /// The names of the allowed options.
    var keys: [String] {
      switch self {
      case .clientCredentials: OAuth2Options.keys
      case .refresh: OAuth2Options.keys + [OAuth2Options.refreshKey]
      case .device: OAuth2Options.keys + OAuth2LoginOptions.keys + [OAuth2LoginOptions.deviceKey]
      case .code: OAuth2Options.keys + OAuth2LoginOptions.keys + OAuth2LoginOptions.codeKeys
      }
    }

    var isLogin: Bool { self == .device || self == .code }
  }

  static let refreshKey = "refresh_token"

  var texts: [String: String] = [:]
  var clientSecret: SecretText?
  var refreshToken: SecretText?
  /// The port on which the redirect of the login arrives.
  var port: UInt16 = 0

  /// Returns the OAuth 2 settings for the options. Throws if an option is missing or invalid.
  ///
  /// - Parameter file: the name of the file that contains the call.
  func settings(_ kind: Kind, _ permissions: Permissions, file: String?) throws(Misuse)
    -> OAuth2.Settings
  {
    let url = try needed("token_url")
    guard let tokenURL = ResourceURL(absolute: url), ["http", "https"].contains(tokenURL.scheme),
      !tokenURL.host.isEmpty
    else { throw .message("'token_url' must be an http or https URL, got '\(LogText.url(url))'") }
    let grant: OAuth2.Settings.Grant
    var standardFile: String?
    switch kind {
    case .refresh:
      guard let refreshToken else { throw .message("'refresh_token' is required") }
      grant = .refresh(refreshToken)
    case .clientCredentials:
      guard clientSecret != nil else { throw .message("'client_secret' is required") }
      grant = .clientCredentials
    case .device, .code:
      let login = try OAuth2LoginOptions(self, file: file).login(kind)
      standardFile = TokenFile.standardPath(of: login.name)
      guard standardFile != nil || texts["token_file"] != nil || permissions.isInspecting else {
        throw .message("'token_file' is required without a home folder ($HOME)")
      }
      grant = .login(login)
    }
    var settings = OAuth2.Settings(
      tokenURL: tokenURL.percentEncoded, clientID: try needed("client_id"),
      clientSecret: clientSecret, grant: grant)
    settings.scope = texts["scope"]
    settings.audience = texts["audience"]
    settings.tokenFile =
      permissions.isInspecting ? nil : texts["token_file"] ?? standardFile
    settings.saidTokenFile = texts["token_file"]
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

  func needed(_ name: String) throws(Misuse) -> String {
    guard let text = texts[name] else { throw .message("'\(name)' is required") }
    return text
  }
}
