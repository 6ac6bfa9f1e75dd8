import LullArguments
import LullClients
import LullCore
import LullHost

/// The options of requests. Each is declared once here, and commands list the groups that they
/// accept.
///
/// The rules of an option must not name options of a group that `lull call` lacks, because a
/// parameter may have the same name there. (PAR-16)
enum OptionTable {
  // MARK: Output

  static let output: [Argument] = [
    .init(
      names: ["-o", "--output"], placeholder: "FORMAT", choices: OutputFormat.names,
      category: "Output", help: "Set the output format.",
      details: """
        The default is json, over several lines and in colours on a terminal. ndjson and lines write each \
        element of a list on a line. raw writes the bytes of the body.
        """, isCommon: true, choiceHint: "-O FILE saves the body"),
    .init(
      names: ["-f", "--filter"], placeholder: "LUA", category: "Output",
      help: "Print the result of a Lua expression.",
      details: """
        x is the response body; with --all or --pages, the list of all pages. @FILE reads the expression from a \
        file. See lull help filters.
        """,
      rules: [.conflicts("-O", "-o raw")], isCommon: true),
    .init(
      names: ["--as"], placeholder: "TYPE", choices: ResponseType.allCases.map(\.rawValue),
      category: "Output", help: "Read the response as this type.",
      details: "Replaces the Content-Type of the response.",
      rules: [
        .conflicts("-O", "--download", "-o raw"),
        .conflicts("--offline", hint: "a cache stores parsed bodies"),
      ]),
    .init(
      names: ["-r", "--raw-output"], kind: .flag, category: "Output",
      help: "Print strings without quotes.",
      details: "Prints a list of strings and numbers one on each line.",
      rules: [.conflicts("-o", "-O")], isCommon: true),
    .init(
      names: ["--columns"], placeholder: "A,B",
      demand: .init("names of fields such as id,name") { !columns(in: $0).isEmpty },
      category: "Output", help: "Choose and order the columns of a table or CSV.",
      details: "owner.login is a field of a field; tags.1 is the first element of a list.",
      rules: [.appliesWith("-o table|csv")], isCommon: true),
    csvGuard,
    .init(
      names: ["--chart"], placeholder: "FIELD", demand: .some("the name of a field such as visits"),
      category: "Output", help: "Draw a field of the rows as a bar chart.",
      details: """
        With -f, draws the result of the expression. If there are more rows than the terminal has lines, the \
        chart is one line of marks. For a list of numbers, FIELD is 'value'.
        """,
      rules: [.conflicts("-o", "-O", "--download", "-r", "--columns", "--stream")]),
    .init(
      names: ["-i", "--include"], kind: .flag, category: "Output",
      help: "Print the status and the headers first.", isCommon: true),
    .init(
      names: ["-v", "--verbose"], kind: .flag, category: "Output",
      help: "Show the exchange; -vv shows bodies too.",
      details: "Writes requests, responses and their times to standard error.", isCommon: true),
    .init(
      names: ["--no-pager"], kind: .flag, category: "Output",
      help: "Write long output without a pager.",
      details: "On a terminal, output that is longer than the screen goes to $PAGER by default."),
    .init(
      names: ["--curl"], kind: .flag, category: "Output",
      help: "Print the curl command; send nothing."),
    .init(
      names: ["--dry-run"], kind: .flag, category: "Output",
      help: "Print the request; send nothing.", isCommon: true),
    ErrorFormat.argument(category: "Output"),
  ]

  static let csvGuard = Argument(
    names: ["--csv-guard"], kind: .flag, category: "Output",
    help: "Guard CSV fields against formulas.",
    details: "Puts a ' before fields that a spreadsheet would take for a formula.",
    rules: [.appliesWith("-o csv")])

  static func columns(in text: String) -> [String] {
    text.split(separator: ",").map { String($0.trimmingBlanks) }.filter { !$0.isEmpty }
  }

  // MARK: Downloads and streams

  static let saving: [Argument] = [
    .init(
      names: ["-O", "--save"], placeholder: "FILE", demand: .fileName, category: "Output",
      help: "Save the body to a file, or - for stdout.",
      details: """
        The body is written as it arrives, byte for byte, whatever its size. A partial response (206) is not \
        saved.
        """,
      rules: [.conflicts("-o !raw", hint: "for a format write -o … > FILE")], isCommon: true),
    .init(
      names: ["--download"], kind: .flag, category: "Output",
      help: "Save the body under the server's file name.",
      details: """
        The name comes from Content-Disposition, otherwise from the URL. The file is saved in the current folder, or in the folder of -O. \
        If the file exists, the new name gets a number.
        """,
      rules: [.conflicts("-O -", "-o !raw", "-f", "-i")]),
    .init(
      names: ["-C", "--resume"], kind: .flag, category: "Output",
      help: "Resume a partial download.",
      details: "Needs -O or --download. Requires an ETag or Last-Modified from the server.",
      rules: [.conflicts("-O -"), .needs("-O", "--download")]),
    .init(
      names: ["--stream"], kind: .flag, category: "Output",
      help: "Write events or rows as they arrive.",
      details: """
        Reads an event stream or rows of JSON and writes each item on a line. -f and -o apply to each item.
        """,
      rules: [
        .conflicts("-O", "--download", "-i", hint: "-O - writes the bytes as they arrive"),
        .conflicts("-o table|csv|raw", hint: "-o json, ndjson or lines writes each item"),
      ]),
  ]

  // MARK: Requests

  static let request: [Argument] = [
    .init(
      names: ["-H", "--header"], placeholder: "'K: V'", category: "Request",
      help: "Set a header; 'K:' removes it.", details: "'K;' sends the header with an empty value.",
      isRepeated: true, isCommon: true),
    .init(
      names: ["--fresh"], kind: .flag, category: "Request",
      help: "Ask the server even if a cache entry is fresh."),
    .init(
      names: ["--offline"], kind: .flag, category: "Request",
      help: "Answer from caches, or fail.", details: "Cache entries of any age are used."),
    .init(
      names: ["--timeout"], kind: .number, placeholder: "SECONDS",
      demand: .init("a number of seconds, or 0 for none") { Double($0).map { $0 >= 0 } ?? false },
      category: "Request", help: "Fail after this time; 0 means no limit.", isCommon: true),
    .init(
      names: ["--retry"], kind: .integer, placeholder: "N", demand: .wholeNumber(0...100),
      category: "Request", help: "Retry failed requests up to N times.",
      details: "Retries network errors and the statuses 429, 502, 503 and 504.", isCommon: true),
    .init(
      names: ["--validate"], placeholder: "HOW",
      choices: ContentValidation.allCases.map(\.rawValue), category: "Request",
      help: "Validate against the schema.",
      details: """
        Compares the response with the schema that the API file names. warn reports differences; fail makes \
        them an error.
        """,
      rules: [.conflicts("-O", "--stream", "--download")]),
    .init(
      names: ["--yes"], kind: .flag, category: "Request",
      help: "Send writes without asking for confirmation.",
      details: "An environment of an API file with confirm_writes asks for confirmation."),
    .init(
      names: ["--ignore-stdin"], kind: .flag, category: "Request",
      help: "Do not read a body from standard input.",
      details: """
        POST, PUT and PATCH read a body from standard input if it is a pipe or a file. In loops and cron jobs, \
        where standard input belongs to something else, give this option.
        """),
  ]

  static let baseURL = Argument(
    names: ["--base-url"], placeholder: "URL", category: "Request",
    help: "Send the call to this base URL.")

  static let noConfig = Argument(
    names: ["--no-config"], kind: .flag, category: "Request",
    help: "Ignore the defaults of config.lua.",
    details: "The file is ~/.config/lull/config.lua.")

  /// The options of a body. Only a query can have both a body and pages.
  static func body(ofQuery isQuery: Bool) -> [Argument] {
    let data = Argument(
      names: ["-d", "--data"], placeholder: "BODY", category: "Body",
      help: "Send this body: text, @FILE, or - for stdin.",
      rules: [
        isQuery ? .conflicts("--raw") : .conflicts("--raw", "--pages", "--all"),
        .init(.conflicts("--ignore-stdin"), for: ["-"]),
      ], completion: .files, isCommon: true)
    let raw = Argument(
      names: ["--raw"], placeholder: "BODY", category: "Body",
      help: "Send this text as the body, unchanged.",
      details: "A leading @ is part of the body.",
      rules: isQuery ? [] : [.conflicts("--pages", "--all")])
    let method = Argument(
      names: ["--query-method"], placeholder: "METHOD", choices: ["QUERY", "POST"],
      category: "Body", help: "Send the query by this method.",
      details: """
        The default is the setting query_method of the API file, otherwise QUERY. POST is declared safe: it is \
        retried and cached like QUERY.
        """, isCommon: true)
    return [data, raw] + otherBody + (isQuery ? [method] : [])
  }

  private static let otherBody: [Argument] = [
    .init(
      names: ["--form"], kind: .flag, category: "Body",
      help: "Send items as a form instead of JSON.", rules: [.conflicts("--json")], isCommon: true),
    .init(
      names: ["--multipart"], kind: .flag, category: "Body",
      help: "Send items as a multipart form.",
      rules: [.conflicts("--json", "-d", "--raw")]),
    .init(
      names: ["-j", "--json"], kind: .flag, category: "Body",
      help: "Send and accept JSON (default with items)."),
  ]

  // MARK: Pages

  /// Options for loading several pages. They apply to calls and to URLs.
  static let pages: [Argument] = [
    .init(
      names: ["--pages"], kind: .integer, placeholder: "N", demand: .positiveWholeNumber,
      category: "Pages", help: "Load up to N pages and write one list.",
      details: """
        ndjson and lines write page by page. An -f that needs all pages writes its result at the end.
        """,
      rules: [
        .conflicts("--all"), .conflicts("-i", "-O", "-o raw", "--download", "--stream"),
      ]),
    .init(
      names: ["--all"], kind: .flag, category: "Pages",
      help: "Load all pages and write one list.",
      rules: [.conflicts("-i", "-O", "-o raw", "--download", "--stream")], isCommon: true),
  ]

  /// Options for finding the next page of a URL. They do not apply to calls, because the API file
  /// defines the paging, and a call may have parameters with these names. (PAR-16)
  static let pageWays: [Argument] = [
    .init(
      names: ["--cursor"], placeholder: "FIELD[=PARAM]",
      demand: .init("FIELD or FIELD=PARAM") { !CallOptions.cursorParts($0).contains("") },
      category: "Pages", help: "Read the cursor of the next page from FIELD.",
      details: """
        FIELD is a field of the page or of its last row. PARAM is the query parameter of the next request.
        """,
      rules: [.conflicts("--page", "--offset"), .needs("--all", "--pages")]),
    .init(
      names: ["--page"], placeholder: "PARAM", demand: .some("the name of a parameter"),
      category: "Pages", help: "Count pages in this query parameter.",
      details: "Starts with the value of PARAM in the URL, otherwise with 1.",
      rules: [.conflicts("--offset"), .needs("--all", "--pages")]),
    .init(
      names: ["--offset"], placeholder: "PARAM", demand: .some("the name of a parameter"),
      category: "Pages", help: "Count rows in this query parameter.",
      details: "Starts with the value of PARAM in the URL, otherwise with 0.",
      rules: [.needs("--all", "--pages")]),
    .init(
      names: ["--rows"], placeholder: "FIELD", demand: .some("the name of a field"),
      category: "Pages", help: "Take rows from this field, such as data.items.",
      rules: [.needs("--all", "--pages", "--chart", "-o table|csv|ndjson|lines")]),
  ]

  // MARK: Credentials and sessions

  static let credentials: [Argument] = [
    .init(
      names: ["-a", "--auth"], placeholder: "USER[:PASSWORD]", category: "Credentials",
      help: "Set the credentials.",
      details: "A password that is left out is requested on the terminal.", isCommon: true),
    .init(
      names: ["-A", "--auth-type"], placeholder: "KIND",
      choices: AuthOption.Kind.allCases.map(\.rawValue), category: "Credentials",
      help: "Set the type of the credentials.",
      details: """
        The default is basic. With bearer, -a is a token. netrc reads ~/.netrc. aws-sigv4 without -a uses the \
        keys in the environment.
        """,
      rules: [.init(.needs("-a"), for: ["basic", "digest"])]),
    .init(
      names: ["--session"], placeholder: "NAME", demand: sessionName, category: "Credentials",
      help: "Store cookies and credentials for later.",
      details: """
        Later requests with this option to the same scheme, host and port send the cookies and credentials. \
        Credentials are -a and headers such as Authorization.
        """,
      rules: [.conflicts("--session-read-only")], isCommon: true),
    .init(
      names: ["--session-read-only"], placeholder: "NAME", demand: sessionName,
      category: "Credentials", help: "Use a session and leave it unchanged."),
  ]

  private static let sessionName = Argument.Demand(
    "a name of letters, digits, '.', '_' and '-'"
  ) { RequestSession.isName($0) }

  // MARK: Connections

  static let connection: [Argument] = [
    .init(
      names: ["--proxy"], placeholder: "URL", category: "Connection",
      help: "Connect through this proxy (none: no proxy).",
      details: "For example http://host:3128 or socks5h://host.",
      rules: [.defaultYields(to: "--unix-socket")]),
    .init(
      names: ["--ca-file"], placeholder: "FILE", demand: .fileName, category: "Connection",
      help: "Trust the certificates in this file (PEM).",
      details: "These certificates replace those of the system."),
    .init(
      names: ["--insecure"], kind: .flag, category: "Connection",
      help: "Skip TLS certificate verification.", isCommon: true),
    .init(
      names: ["--cert"], placeholder: "FILE", demand: .fileName, category: "Connection",
      help: "Use this client certificate (PEM)."),
    .init(
      names: ["--key"], placeholder: "FILE", demand: .fileName, category: "Connection",
      help: "Use this private key of --cert.",
      details: "Not needed if the file of --cert holds the key.",
      rules: [.needs("--cert"), .defaultYields(to: "--cert")]),
    .init(
      names: ["--unix-socket"], placeholder: "PATH",
      demand: .init("a path of 1 to \(ConnectionOptions.longestSocketPath) bytes") {
        (1...ConnectionOptions.longestSocketPath).contains($0.utf8.count)
      },
      category: "Connection", help: "Connect through this Unix socket.",
      details: "The URL still names the host.", rules: [.conflicts("--proxy !none")],
      completion: .files),
    .init(
      names: ["--follow"], kind: .flag, category: "Connection",
      help: "Follow redirects (default).",
      details: "--no-follow returns the redirect itself.",
      rules: [.defaultYields(to: "--max-redirects")], isOn: true),
    .init(
      names: ["--max-redirects"], kind: .integer, placeholder: "N", demand: .wholeNumber(0...100),
      category: "Connection", help: "Fail after N redirects (default 10).",
      rules: [.conflicts("--no-follow"), .defaultYields(to: "--follow")]),
    .init(
      names: ["--http"], placeholder: "VERSION", choices: HTTPVersion.allCases.map(\.rawValue),
      category: "Connection", help: "Set the newest HTTP version to use.",
      details: "2 with http:// uses HTTP/2 without an upgrade; the server has to support that."),
  ]

  // MARK: Groups

  /// The options of all requests: methods, `lull call`, `lull changed` and `lull watch`.
  static let requests = output + saving + request + credentials + connection
}
