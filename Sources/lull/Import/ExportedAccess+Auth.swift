import LullClients
import LullCore
import LullTransport

extension ExportedAccess {
  /// What is told of an `Auth`.
  static func all(of auth: Auth) -> [ExportedAccess] {
    if let stage = auth.stage as? OAuth2 { return [access(of: stage.settings)] }
    let variable = auth.identity.secrets.last.flatMap { SecretText($0).variable }
    switch auth.login {
    case .basic?, .netrc?: return [ExportedAccess(.basic, variable: variable)]
    case .digest?: return [ExportedAccess(.digest, variable: variable)]
    case .signature?: return [ExportedAccess(.signature)]
    case nil: break
    }
    switch auth.proof {
    case .header("cookie", let value) where value.cookies.count > 1:
      return value.cookies.map { ExportedAccess(header: "cookie", $0.text) }
    case .header(let name, let value), .stage(_, let name, let value):
      return [
        value.secrets.isEmpty
          ? ExportedAccess(writtenHeader: name, value.masked) : ExportedAccess(header: name, value)
      ]
    case .query(let credential):
      return credential.all.map { name, value in
        ExportedAccess(.key(place: .query, name: name, prefix: ""), variable: value.variable)
      }
    }
  }

  private static func access(of settings: OAuth2.Settings) -> ExportedAccess {
    let scopes = settings.scope?.split(separator: " ").map(String.init) ?? []
    let variable = settings.clientSecret?.variable
    let token = LogText.url(settings.tokenURL)
    switch settings.grant {
    case .clientCredentials:
      return ExportedAccess(
        .clientCredentials(tokenURL: token), variable: variable, scopes: scopes)
    case .login(let login):
      if case .code(let code) = login.way {
        return ExportedAccess(
          .code(authorizationURL: LogText.url(code.authorizationURL), tokenURL: token),
          variable: variable, scopes: scopes)
      }
    case .refresh: break
    }
    // OpenAPI 3.1 knows neither codes that are typed into a browser nor tokens that somebody has got before.
    return ExportedAccess(.bearer)
  }
}
