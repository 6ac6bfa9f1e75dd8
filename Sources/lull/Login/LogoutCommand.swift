import LullArguments
import LullCore
import LullHost
import LullTransport

extension Command {
  static let logout = Command(
    "logout", "take a login away", .requests,
    forms: [("logout API", "take away what lull login has fetched")],
    spec: { LogoutCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try LogoutCommand(words.dropFirst()).run() }
}

/// `lull logout API`: takes away what `lull login` has fetched.
struct LogoutCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull logout",
      description: """
        Takes away the tokens that lull login has fetched. Where the API's file has a revocation_url
        they are given back there first; if that fails they are removed here all the same, and the exit
        code is 1. The file is run as by lull login.
        """,
      arguments: LoginCommand.arguments,
      notes: """
        Examples:
          lull logout shop

        """)
  }

  private let search: LoginSearch

  /// - Parameter words: what follows `logout`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try LogoutCommand.spec.read(words, for: .logout)
    search = LoginSearch(parsed.text("API") ?? "", name: parsed.text("--name"))
  }

  func run() -> Int32 {
    search.run { host, found in
      var code: Int32 = 0
      for settings in found.logins {
        code = max(code, logOut(settings, host, found))
        if host.loop.isInterrupted { break }
      }
      return code
    }
  }

  private func logOut(
    _ settings: OAuth2.Settings, _ host: LuaHost, _ found: LoginSearch.Found
  ) -> Int32 {
    guard let logout = OAuth2Logout(settings, found.context, for: found.request) else { return 1 }
    logout.begin()
    host.loop.run { logout.outcome != nil || host.loop.isInterrupted }
    let name = "'\(settings.login?.name ?? "")'"
    switch logout.outcome {
    case nil: return 0
    case .absent:
      _ = Output.write("\(name) was not logged in\n")
    case .removed: _ = Output.write("Logged out: \(name) is removed here\n")
    case .revoked: _ = Output.write("Logged out: \(name) is revoked and removed\n")
    case .unrevoked(let reason):
      Exit.complain("lull: \(name) is removed here, but \(reason)\n")
      return 1
    case .failed(let reason):
      Exit.complain("lull: \(reason)\n")
      return 1
    }
    return 0
  }
}
