import LullLibC
import LullArguments
import LullClients
import LullCore
import LullHost
import LullTransport

extension Command {
  static let login = Command(
    "login", "log in where an API wants a person", .requests,
    forms: [("login API", "log in where an API wants a person, by way of a browser")],
    spec: { LoginCommand.spec }, words: .apisAndFiles
  ) { words, _ throws(CommandEnd) in try LoginCommand(words.dropFirst()).run() }
}

/// `lull login API`: fetches the tokens of `lull.auth.oauth2_code` and `lull.auth.oauth2_device`.
struct LoginCommand {
  static var spec: ArgumentSpec {
    ArgumentSpec(
      name: "lull login",
      description: """
        Fetches the tokens of an API that wants a person's word: of lull.auth.oauth2_code and
        lull.auth.oauth2_device in its file. It shows a URL to open, or a code to type there, and
        waits. From then on requests use the tokens, and renew them; a login that there is already is
        replaced.

        The API's file runs as a request has it run, with all rights. FILE may be a script as well: it
        runs up to its first request that needs a login, which is not sent.
        """,
      arguments: LoginCommand.arguments + [
        .init("--no-browser", kind: .flag, help: "show the URL and open no browser")
      ],
      notes: """
        Tokens are kept in lull/tokens in $XDG_STATE_HOME or ~/.local/state, for their owner alone, or
        where the file says (token_file). lull logout takes them away.

        Examples:
          lull login shop
          lull login ./report.lua --no-browser

        """)
  }

  static var arguments: [Argument] {
    [
      .init(
        positional: "API", help: "an API by name, its file, or a script", isRequired: true),
      .init(
        "--name", placeholder: "NAME",
        help: "of the logins in the file the one called so, unless all are meant"),
    ]
  }

  private let search: LoginSearch
  private let opensBrowser: Bool

  /// - Parameter words: what follows `login`.
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
      Exit.complain("lull: \(error.message)\n")
      return 1
    case .success(let result):
      let name = settings.login?.name ?? ""
      _ = Output.write("Logged in: '\(name)' is kept in \(result.path)\n")
      if let lifetime = result.lifetime {
        Exit.complain(
          "lull: nothing came to renew it with: in \(LogText.seconds(lifetime)) you will have to log "
            + "in again (a scope such as offline_access may change that)\n")
      }
      return 0
    }
  }

  private static func show(_ prompt: OAuth2Prompt, _ browser: Browser) {
    switch prompt {
    case .open(let url):
      let verb = browser.open(url) ? "Go on in the browser, or open" : "Open"
      _ = Output.write(
        "\(verb) this URL on this machine:\n\n  \(url)\n\nWaiting; Ctrl-C ends it.\n")
    case .enter(let code, let url, let complete):
      let isOpen = browser.open(complete ?? url)
      let verb = isOpen ? "Go on in the browser, or open" : "Open"
      _ = Output.write(
        "\(verb) this URL anywhere:\n\n  \(url)\n\nand type the code:\n\n  \(code)\n\n"
          + "Waiting; Ctrl-C ends it.\n")
    }
  }
}
