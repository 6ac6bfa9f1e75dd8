import LullArguments
import LullClients
import LullCore
import LullHost
import LullTestRunner

extension Command {
  static let help = Command(
    "help", "show help on a command or topic", .help,
    forms: [
      ("help COMMAND", "show all options; lull help all lists all topics"),
      ("help TOPIC", "explain items, output …; lull help all lists all"),
      ("help annotations", "print editor annotations (LuaCATS) of Lull"),
      ("help all", "list all commands, topics and exit codes"),
    ],
    spec: {
      ArgumentSpec(
        name: "lull help", description: "Shows help on a command or a topic.",
        arguments: [
          .init(positional: "COMMAND", help: "A command, a topic, or all.", isRequired: false)
        ],
        notes: """
          Topics: \(HelpTopic.names.prefix(6).joined(separator: ", ")),
          \(HelpTopic.names.dropFirst(6).joined(separator: ", "))
          """)
    }, words: .commands, takesBytes: true
  ) { words, _ throws(CommandEnd) in
    throw try about(words.dropFirst())
  }

  private static var annotations: String { APIAnnotations(LuaLibrary.withTests.description).text }

  private static func about(_ words: ArraySlice<String>) throws(CommandEnd) -> CommandEnd {
    guard let word = words.first, word != "--help", word != "-h" else { return .help(nil) }
    if word == "all" { return .page(CommandOverview.all) }
    if word == "annotations" { return .page(annotations) }
    let topic = HelpTopic(rawValue: word)
    if let command = Command.named(word) {
      return .page(command.manual + (topic.map { "\n" + $0.text } ?? ""))
    }
    if let topic { return .page(topic.text) }
    let near = NearestName.suggestion(
      for: word, among: Command.all.map(\.name) + HelpTopic.names + ["all"])
    throw .wrongUsage(
      "there is no command or topic '\(word)'" + (near.map { " (did you mean '\($0)'?)" } ?? ""),
      nil)
  }
}

/// The help pages that are not about a single command.
enum CommandOverview {
  private static let width = 27

  /// The text that `lull` shows without arguments.
  static let start = """
    Lull sends requests to REST APIs from the shell, Lua scripts and tests.

    Try it, with 'lull demo --port 8080' running in another terminal:
      lull get :8080/users/7
      lull get :8080/users -o table --columns id,name
      lull get :8080/users --all -f 'count_by(x, "role")'
      lull :8080/notes title=Tea done:=false
      lull -e 'print(lull.get("http://localhost:8080/users/7"):await().http_status)'

    Next:
      lull help        list the commands
      lull get --help  show the options of requests
      lull FILE.lua    run a script
      lull repl        start an interactive session

    """

  /// The page of `lull help`.
  static var text: String {
    """
    Usage: lull COMMAND [ARG...]    (lull COMMAND --help shows the options)

    \(Command.Group.allCases.map { block(of: $0, isBrief: true) }.joined(separator: "\n"))
    """
  }

  /// The page of `lull help all`.
  static var all: String {
    """
    Usage: lull COMMAND [ARG...]

    \(Command.Group.allCases.map { block(of: $0, isBrief: false) }.joined(separator: "\n"))
    Topics (lull help TOPIC):
    \(HelpTopic.allCases.map { row($0.rawValue, $0.summary) }.joined(separator: "\n"))

    Options:
      -h, --help  Show this help.
      --version   Show the version.

    \(HelpTopic.exitCodes.text)
    """
  }

  private static func block(of group: Command.Group, isBrief: Bool) -> String {
    var lines = ["\(group.rawValue):"]
    var others: [String] = []
    func endOthers() {
      if !others.isEmpty { lines.append(row("lull \(others.joined(separator: ", "))", "")) }
      others = []
    }
    for command in Command.all where command.group == group {
      let isBare = command.forms.isEmpty || isBrief && command.briefForms == 0
      if isBare { others.append(command.name) } else { endOthers() }
      for form in isBrief ? Array(command.forms.prefix(command.briefForms)) : command.forms {
        lines.append(row("lull \(form.usage)", form.text))
      }
    }
    endOthers()
    return lines.joined(separator: "\n") + "\n"
  }

  private static func row(_ usage: String, _ text: String) -> String {
    guard !text.isEmpty else { return "  \(usage)" }
    return "  \(usage)\(String(repeating: " ", count: max(width - usage.count, 1)))\(text)"
  }
}

/// The topics of `lull help`, in addition to commands.
enum HelpTopic: String, CaseIterable {
  case items
  case output
  case filters
  case auth
  case pages
  case cache
  case environments
  case exitCodes = "exit-codes"
  case secrets
  case proxies
  case limits

  static var names: [String] { allCases.map(\.rawValue) }

  var summary: String {
    switch self {
    case .items: "query parameters, headers and body fields"
    case .output: "formats, files, streams"
    case .filters: "expressions of -f, and their functions"
    case .auth: "credentials, tokens and sessions"
    case .pages: "lists that come in pages"
    case .cache: "cached responses"
    case .environments: "one API file for staging and prod"
    case .exitCodes: "the exit codes of all commands"
    case .secrets: "credentials in scripts and API files"
    case .proxies: "proxies, certificates and sockets"
    case .limits: "rate limits and retries"
    }
  }

  var text: String {
    switch self {
    case .items:
      """
      Items follow the target: lull post :8080/users name=Ann age:=40

        name=text          a field of the JSON body (a form field with --form)
        name:=json         a field with a JSON value: age:=40 tags:='["a","b"]'
        user[name]=Ann     a field of an object; tags[]=a adds to a list
        name==text         a query parameter
        Name:value         a header; Name: removes it, Name; sends it empty
        name=@FILE         a field with the text of a file; name:=@FILE with its JSON
        name@FILE          a file in a multipart form; name@FILE;type=image/png
        @FILE              a file as the whole body

      A backslash makes the next : = @ ; [ or ] part of the name or value.
      Without a method, a request with a body is a POST, otherwise a GET.
      -d BODY, -d @FILE and -d - send a body without items. POST, PUT and PATCH read
      a body from a pipe on standard input; --ignore-stdin prevents that.

      Examples:
        lull :8080/notes title=Tea done:=false
        lull get :8080/users per_page==3 X-Tag:a
        lull post :8080/echo --form name=Ann photo@cat.png

      """
    case .output:
      """
      Data is written to standard output, everything else to standard error.

        -o json     indented and coloured on a terminal, unchanged in a pipe
        -o ndjson   one element of a list on each line, as JSON
        -o lines    the same, strings without quotes
        -o table    a table; --columns id,owner.login chooses the columns
        -o csv      CSV; --csv-guard guards fields against formulas
        -o raw      the bytes of the body

        -f LUA      print the result of an expression (lull help filters)
        -r          print strings without quotes
        --chart F   draw field F of the rows as a bar chart
        -i, -v, -vv print the status and headers; the exchange; bodies too
        -O FILE     save the body to a file; -C resumes a partial download
        --stream    write events and rows as they arrive

      Examples:
        lull get :8080/users -o table --columns id,name
        lull get :8080/users --all -o csv > users.csv
        lull get :8080/bytes/1000000 -O big.bin

      """
    case .filters: HelpTopic.filterText
    case .auth:
      """
      Credentials of a request:

        -a USER[:PASSWORD]        Basic; a missing password is requested
        -A bearer -a TOKEN        a bearer token
        -A digest -a USER         Digest
        -A netrc                  ~/.netrc
        -A aws-sigv4              AWS Signature v4, with the keys in the environment
        --session NAME            store cookies and credentials for later requests

      In API files, 'auth' also fetches and renews tokens: lull.auth.oauth2_refresh,
      oauth2_client_credentials, oauth2_code and oauth2_device (after lull login API),
      lull.auth.token for other logins. See lull help secrets.

      Examples:
        lull get :8080/private -A bearer -a "$TOKEN"
        lull get :8080/users -a ann
        lull login shop

      """
    case .pages:
      """
      --all loads all pages of a list and writes one list; --pages N loads N pages.

      The next page comes from the Link header or a URL in the body (next, links.next
      and others). Otherwise name the field or the query parameter:

        --cursor next_cursor      a cursor in the body; FIELD=PARAM sets its parameter
        --cursor id=after         a field of the last row
        --page page               a page number
        --offset offset           a row number
        --rows data.items         the field with the rows

      -o ndjson and -o lines write page by page. If a page fails, the pages before it
      are written, and the exit code is 1.

      Examples:
        lull get :8080/users --all -f '#x'
        lull get :8080/feed --all --cursor next=cursor --rows items

      """
    case .cache:
      """
      Resources with lull.cache.file() in their configuration are stored on disk, by
      API files and scripts. A fresh entry is used without a request; a stale one is
      revalidated with a conditional request.

        --fresh     send the request even if the entry is fresh
        --offline   use entries of any age, send nothing (exit code 6 without one)

      Examples:
        lull cache info
        lull get github /users/octocat --offline

      """
    case .environments:
      """
      An API file can declare environments. Where a command takes an API, shop@prod is
      apis/shop.lua in its environment prod. LULL_ENV sets the default environment.

        environments = {
          staging = { base_url = "https://staging.example.com" },
          prod = { timeout = 20, confirm_writes = true },
        }

      Each environment has its own base URL, settings, caches, tokens and limits. With
      confirm_writes, writes ask for confirmation; --yes confirms in scripts.

      Examples:
        lull get shop@staging /users
        lull post shop@prod /orders item=tea --yes
        lull diff shop@staging shop@prod

      """
    case .exitCodes:
      Exit.codes.reduce("Exit codes:\n") { text, code in
        let padding = String(repeating: " ", count: 5 - "\(code.code)".count)
        return text + "  \(code.code)\(padding)\(code.meaning)\n"
      }
        + """

        With --errors json or LULL_ERRORS=json, each line of standard error is a JSON
        object. The last line of a failed command has kind, message and exit; if a
        request failed, also method, url, status, retryable and retry_after. The exit
        code 7 is a result, not an error.

        """
    case .secrets:
      """
      lull.secret reads a credential when a request needs it. Everything else, such as
      logs, errors and print, shows a mask.

        lull.secret{ env = "SHOP_TOKEN" }                an environment variable
        lull.secret{ file = "~/.config/shop-token" }     a file
        lull.secret{ command = "pass show shop" }        the output of a command

      A secret is sent to the origin of its service only. A redirect to another origin
      does not get it.

      Example, in an API file:
        auth = lull.auth.bearer(lull.secret{ env = "SHOP_TOKEN" })

      """
    case .proxies:
      """
      http_proxy, https_proxy, all_proxy and no_proxy in the environment are used.

        --proxy URL          http://host:3128, socks5h://host; none for no proxy
        --ca-file FILE       trust the certificates in this file (PEM) only
        --insecure           skip TLS certificate verification
        --cert, --key FILE   a client certificate and its key
        --unix-socket PATH   connect through a Unix socket

      In API files and scripts the settings are proxy, no_proxy, ca_file, verify,
      client_cert, client_key and unix_socket.

      Examples:
        lull get https://example.com --proxy socks5h://127.0.0.1:1080
        lull get http://localhost/info --unix-socket /run/docker.sock

      """
    case .limits:
      """
      --retry N retries network errors and the statuses 429, 502, 503 and 504, after
      Retry-After or a growing pause. POST is not retried.

      In API files and scripts:
        retry = { times = 3, on = { 429, 503, "network" } }
        rate_limit = { requests = 100, per = 60 }        this process
        rate_limit = { requests = 100, per = 60, shared = "shop" }   all processes
        concurrency = 8                                  requests in flight

      Examples:
        lull get ':8080/flaky?fail=2&key=a' --retry 3
        lull limits

      """
    }
  }

  private static var filterText: String {
    """
    Usage: lull get … -f LUA

    Prints the result of a Lua expression. x is the response body: -f x.name,
    -f '#x', -f 'x.items[1]', -f '{ id = x.id, who = x.owner.login }'. Elements
    count from 1. Lua's string, table and math are available, and the functions
    below (lull.list).

    The functions take a list, or the values of a record. `by` is the name of a
    field or a function of the element:

      map(x, "name")             map(x, "owner.login")          map(x, "tags.1")
      filter(x, "visits")        filter(x, function(v) return v.visits > 9 end)

    Functions:
    \(functions)
    Examples:
      lull get :8080/users -f 'pick(x, "id", "name")' -o table
      lull get :8080/users -f 'map(sort_by(x, "-visits"), "name")'
      lull get :8080/users --all -f 'sum(x, "visits")'

    """
  }

  private static var functions: String {
    let owner = LuaLibrary.withClients.description.owner("lull.list")
    return (owner?.entries ?? []).map { entry in
      let usage = owner?.spelling(of: entry).dropFirst("lull.list.".count) ?? ""
      let padding = String(repeating: " ", count: max(24 - usage.count, 1))
      return "  \(usage)\(padding)\(entry.summary.filter { $0 != "`" })\n"
    }.joined()
  }
}

/// The manual pages (man) of the command, its commands and topics, for `Scripts/install`.
enum Manual {
  /// The hidden option: `lull --man` lists the pages, `lull --man NAME` prints one.
  static let word = "--man"

  private static var names: [String] {
    ["lull"]
      + (Command.all.map(\.name) + HelpTopic.names.filter { Command.named($0) == nil })
      .map { "lull-\($0)" }
  }

  /// - Returns: The exit code.
  static func run(_ words: ArraySlice<String>) -> Int32 {
    guard let name = words.first else {
      return Output.write(names.joined(separator: "\n") + "\n") ? 0 : 1
    }
    guard names.contains(name) else {
      Exit.complain("lull: there is no manual page '\(name)'\n")
      return 2
    }
    return Output.write(page(name)) ? 0 : 1
  }

  private static func page(_ name: String) -> String {
    guard name != "lull" else { return overview }
    let word = String(name.dropFirst("lull-".count))
    let topic = HelpTopic(rawValue: word)
    let command = Command.named(word)
    var page = ManualPage(
      name: name, summary: command?.summary ?? topic?.summary ?? "", version: LullCore.Lull.version)
    if let command { page.add(command.spec) }
    if let topic {
      page.section("Description")
      page.verbatim(topic.text)
    }
    page.section("See also")
    page.prose("lull(1)")
    return page.text
  }

  private static var overview: String {
    var page = ManualPage(
      name: "lull", summary: "send requests to REST APIs from the shell, scripts and tests",
      version: LullCore.Lull.version)
    page.section("Synopsis")
    page.prose("lull COMMAND [ARG...]")
    page.section("Description")
    page.verbatim(CommandOverview.all)
    page.section("See also")
    page.prose(names.dropFirst().map { "\($0)(1)" }.joined(separator: ", "))
    return page.text
  }
}
