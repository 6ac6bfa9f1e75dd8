import LullLibC
import LullArguments
import LullClients
import LullCore
import LullHost
import LullSystem
import LullTransport

extension Command {
  static let login = Command(
    "login", "log in to an API with a browser", .keep,
    forms: [("login API", "log in to an API with a browser")],
    spec: { LoginCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try LoginCommand(words.dropFirst()).run() }
}

/// `lull login API`: fetches the tokens of `lull.auth.oauth2_code` and `lull.auth.oauth2_device`.
struct LoginCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull login",
      description: """
        Logs in to an API with a browser and stores the tokens.

        For lull.auth.oauth2_code and lull.auth.oauth2_device in an API file: shows a
        URL to open or a code to type there, and waits. Requests then use and renew the
        tokens. An existing login is replaced.

        The API file runs with all rights. API may be a script too: it runs up to the
        first request that needs a login, which is not sent.
        """,
      arguments: OptionTable.login + [
        .init("--no-browser", kind: .flag, help: "Show the URL; do not open a browser.")
      ],
      examples: [
        "lull login shop",
        "lull login ./report.lua --no-browser",
      ],
      notes: """
        Tokens are stored in lull/tokens in $XDG_STATE_HOME or ~/.local/state, readable
        by you only, or in the token_file of the API file.
        """)
  }

  private let search: LoginSearch
  private let opensBrowser: Bool

  /// - Parameter words: The arguments after `login`.
  init(_ words: ArraySlice<String>) throws(CommandEnd) {
    let parsed = try LoginCommand.spec.read(words, for: .login)
    search = LoginSearch(parsed.text("API") ?? "", name: parsed.text("--name"))
    opensBrowser = !parsed.has("--no-browser")
  }

  func run() -> Int32 {
    search.run { host, found in
      for settings in found.logins {
        let code = logIn(settings, host, found)
        if code != 0 || host.loop.isInterrupted { return code }
      }
      return 0
    }
  }

  private func logIn(
    _ settings: OAuth2.Settings, _ host: LuaHost, _ found: LoginSearch.Found
  ) -> Int32 {
    let browser = Browser(isWanted: opensBrowser)
    guard
      let flow = OAuth2LoginFlow(
        settings, found.context, for: found.request,
        watch: { [environment = host.environment] in environment.watch($0) },
        show: { LoginCommand.show($0, browser) })
    else { return 1 }
    flow.begin()
    host.loop.run {
      flow.serve()
      return flow.outcome != nil || host.loop.isInterrupted
    }
    guard let outcome = flow.outcome else {
      flow.cancel()
      return 0
    }
    switch outcome {
    case .failure(let error):
      Exit.fail("lull: \(error.message)\n", FailureFacts("auth_failed"))
      return 1
    case .success(let result):
      let name = settings.login?.name ?? ""
      _ = Output.write("Logged in: '\(name)' is stored in \(result.path)\n")
      if let lifetime = result.lifetime {
        Exit.complain(
          "lull: the server sent no refresh token: log in again in \(LogText.seconds(lifetime)) "
            + "(a scope such as offline_access may avoid that)\n")
      }
      return 0
    }
  }

  private static func show(_ prompt: OAuth2Prompt, _ browser: Browser) {
    switch prompt {
    case .open(let url):
      let verb = browser.open(url) ? "Continue in the browser, or open" : "Open"
      _ = Output.write(
        "\(verb) this URL on this machine:\n\n  \(url)\n\nWaiting (Ctrl-C cancels).\n")
    case .enter(let code, let url, let complete):
      let isOpen = browser.open(complete ?? url)
      let verb = isOpen ? "Continue in the browser, or open" : "Open"
      _ = Output.write(
        "\(verb) this URL anywhere:\n\n  \(url)\n\nand type the code:\n\n  \(code)\n\n"
          + "Waiting (Ctrl-C cancels).\n")
    }
  }
}

extension Command {
  static let logout = Command(
    "logout", "delete the tokens of lull login", .keep,
    forms: [("logout API", "delete the tokens of lull login")],
    spec: { LogoutCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try LogoutCommand(words.dropFirst()).run() }
}

/// `lull logout API`: deletes the tokens that `lull login` has fetched.
struct LogoutCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull logout",
      description: """
        Deletes the tokens of lull login.

        If the API file has a revocation_url, the tokens are revoked there first. If
        that fails, they are deleted all the same, and the exit code is 1. The file runs
        with all rights.
        """,
      arguments: OptionTable.login,
      examples: ["lull logout shop"])
  }

  private let search: LoginSearch

  /// - Parameter words: The arguments after `logout`.
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
    case .removed: _ = Output.write("Logged out: the tokens of \(name) were deleted\n")
    case .revoked: _ = Output.write("Logged out: the tokens of \(name) were revoked and deleted\n")
    case .unrevoked(let reason):
      Exit.complain("lull: the tokens of \(name) were deleted, but \(reason)\n")
      return 1
    case .failed(let reason):
      Exit.complain("lull: \(reason)\n")
      return 1
    }
    return 0
  }
}

/// The user's browser, if there is a display.
struct Browser {
  private let isWanted: Bool

  init(isWanted: Bool) {
    self.isWanted = isWanted
  }

  /// Opens a URL with `xdg-open`. Returns `false` if there is no display or no `xdg-open`.
  ///
  /// - Parameter url: An http or https URL.
  func open(_ url: String) -> Bool {
    guard isWanted, StandardTerminals.showsOutput, Browser.hasDisplay,
      url.hasPrefix("https://") || url.hasPrefix("http://")
    else { return false }
    // Keep the browser's messages and Ctrl-C separate from this terminal. After this program has
    // ended, init reaps the browser's process.
    return
      (try? ChildProcess.start(
        ["xdg-open", url], input: .nowhere, output: .nowhere, errors: .nowhere)) != nil
  }

  private static var hasDisplay: Bool {
    ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in
      getenv(name).map { $0.pointee != 0 } ?? false
    }
  }
}
