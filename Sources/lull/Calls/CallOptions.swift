import LullArguments
import LullClients
import LullCore
import LullHost

/// What is wanted of a request, and of what comes of it: the options that all verbs and `lull call`
/// share.
struct CallOptions {
  var format: OutputFormat?
  var filter: FilterText?
  /// Whether texts are written without quotes.
  var isRaw = false
  var columns: [String] = []
  /// Whether whoever typed the line has named them.
  private(set) var namesColumns = false
  /// Whether fields of CSV that a spreadsheet would take for a formula are guarded.
  private(set) var guardsFormulas = false
  /// The field that is drawn; nil: content is written.
  var chart: String?
  /// Where the rows are in what comes; nil: it is what they are.
  var rows: CallRows?
  var showsHead = false
  var file: String?
  var printsCurl = false
  var isDry = false
  /// How much is shown of the exchange: nothing, heads, bodies too.
  var verbosity = 0
  var isVerbose: Bool { verbosity > 0 }
  var isFresh = false
  var isInsecure = false
  /// What bodies are read as; nil: as their Content-Type and settings say.
  var responseType: ResponseType?
  var isOffline = false
  var timeout: Double?
  /// How often a request that has failed is sent again; nil: as the API's file says, else never.
  var retries: Int?
  /// What is done about answers that do not fit, in the place of what the API's file says.
  var validation: ContentValidation?
  /// Who is asked by which way.
  var network = NetworkOptions()
  /// Sent where neither an API's file nor the command line has any of these.
  var usualHeaders: [(name: String, value: String)] = []
  /// Whether the file is called as the answer says.
  var namesFile = false
  /// Whether a download goes on with what is there.
  var resumes = false
  /// Whether items are written as they come.
  var isStream = false
  /// Those of -H; nil: taken away.
  var headers: [(name: String, value: String?)] = []
  /// Whether what is long may be shown a screen at a time.
  var usesPager = true
  /// Whether standard input is left alone.
  var ignoresInput = false
  /// Whether writes go out that an environment holds back.
  var isConfirmed = false
  /// How many pages to load at most; nil: no pages.
  var pages: Int?
  /// How they go on; nil: as the answers, or the call, say.
  var pageWay: PageWay?
  /// Whether pages are loaded: what is only shown is the request of the first.
  var walksPages: Bool { pages != nil && !printsCurl && !isDry }

  static var arguments: [Argument] {
    [
      .init(
        names: ["-o", "--output"], placeholder: "FORMAT", choices: OutputFormat.names,
        help: "how content is written"),
      .init(
        names: ["-f", "--filter"], placeholder: "LUA",
        help: "write what this expression makes of the content, x, which of pages is a list of "
          + "them all; @FILE takes it from a file; lull help filters tells more"),
      .init(
        names: ["--as"], placeholder: "TYPE", choices: ResponseType.allCases.map(\.rawValue),
        help: "Read the response as that type, whatever its Content-Type says."),
      .init(
        names: ["-r", "--raw-output"], kind: .flag,
        help: "write a text without its quotes, and a list of texts and numbers one on each line"),
      .init(
        names: ["--columns"], placeholder: "A,B",
        help: "the fields of a table or csv, in that order; owner.login goes deeper, tags.1 is the "
          + "first element of a list"),
      OutputFormat.guardArgument,
      .init(names: ["-i", "--include"], kind: .flag, help: "write status and headers first"),
      .init(
        names: ["-O", "--save"], placeholder: "FILE",
        help: "write the body to a file as it arrives, byte for byte and however large, but no "
          + "part of one (206); - writes it to standard output"),
      .init(
        names: ["-H", "--header"], placeholder: "'K: V'",
        help: "set a header; 'K:' takes it away, 'K;' sends it empty", isRepeated: true),
      .init(
        names: ["-v", "--verbose"], kind: .flag,
        help: "show what goes over the wire, and its times, on standard error; -vv its bodies too"),
      .init(
        names: ["--no-pager"], kind: .flag,
        help: "write what is longer than the terminal at once, not by $PAGER"),
      .init(
        names: ["--curl"], kind: .flag,
        help: "print the curl command that does it, and send nothing"),
      .init(names: ["--dry-run"], kind: .flag, help: "print the request, and send nothing"),
      .init(names: ["--fresh"], kind: .flag, help: "ask the server even if a cache has it"),
      .init(
        names: ["--offline"], kind: .flag, help: "answer from caches, whatever their age, or fail"),
      .init(
        names: ["--timeout"], kind: .number, placeholder: "SECONDS",
        help: "give up after that long; 0: never"),
      .init(
        names: ["--retry"], kind: .integer, placeholder: "N",
        help: "Send a request again up to N times after network errors, 429, 502, 503 and 504."),
      .init(
        names: ["--validate"], placeholder: "HOW",
        choices: ContentValidation.allCases.map(\.rawValue),
        help: "hold the answer against the schema that the API's file names: warn of what does not "
          + "fit, or fail"),
      .init(
        names: ["--insecure"], kind: .flag,
        help: "believe whoever answers to be the host, whatever its certificate says"),
      .init(
        names: ["--yes"], kind: .flag,
        help: "send what an environment with confirm_writes asks about first"),
      .init(
        names: ["--ignore-stdin"], kind: .flag,
        help: "leave standard input alone, which POST, PUT and PATCH read for a body if it is a "
          + "pipe or a file"),
    ] + chartArguments + downloadArguments + NetworkOptions.arguments
  }

  /// - Parameter yielded: Options whose names a call's parameters have.
  init(
    _ words: ParsedArguments, for command: Command, without yielded: Set<String> = []
  ) throws(CommandEnd) {
    format = OutputFormat(words)
    do throws(FilterText.Problem) {
      if let word = words.text("-f") { filter = try FilterText(word: word) }
    } catch {
      throw .wrongUsage(error.message, command)
    }
    for warning in filter?.warnings ?? [] { Exit.complain("lull: \(warning)\n") }
    isRaw = words.has("-r")
    guard !isRaw || format == nil && words.text("-O") == nil else {
      throw .wrongUsage("-r writes texts as they are: it does not go with -o and -O", command)
    }
    columns = (words.text("--columns") ?? "").split(separator: ",")
      .map { String($0.trimmingBlanks) }.filter { !$0.isEmpty }
    guard !columns.isEmpty || words.text("--columns") == nil else {
      throw .wrongUsage("--columns needs names of fields, such as --columns id,name", command)
    }
    guard columns.isEmpty || format == .table || format == .csv || words.text("--chart") != nil
    else {
      throw .wrongUsage("--columns are those of a table: it needs -o table or -o csv", command)
    }
    namesColumns = !columns.isEmpty
    if !yielded.contains("--csv-guard") {
      guardsFormulas = try OutputFormat.guardsFormulas(words, for: command)
    }
    showsHead = words.has("-i")
    file = words.text("-O")
    guard file?.isEmpty != true else { throw .wrongUsage("-O needs the name of a file", command) }
    printsCurl = words.has("--curl")
    isDry = words.has("--dry-run")
    verbosity = words.count("-v")
    usesPager = !words.has("--no-pager")
    isFresh = words.has("--fresh")
    isInsecure = words.has("--insecure")
    isOffline = words.has("--offline")
    ignoresInput = words.has("--ignore-stdin")
    isConfirmed = words.has("--yes")
    if let text = words.text("--timeout") {
      guard let seconds = Double(text), seconds >= 0 else {
        throw .wrongUsage(
          "--timeout needs a number of seconds, or 0 for none, got '\(text)'", command)
      }
      timeout = seconds > 0 ? seconds : .infinity
    }
    if !yielded.contains("--retry"), let text = words.text("--retry") {
      guard let count = Int(text), (0...100).contains(count) else {
        throw .wrongUsage("--retry needs a whole number from 0 to 100, got '\(text)'", command)
      }
      retries = count
    }
    if !yielded.contains("--as") {
      responseType = words.text("--as").flatMap { ResponseType(rawValue: $0) }
    }
    guard responseType == nil || !wantsBytes && !words.has("--download") else {
      throw .wrongUsage(
        "--as is about content: it does not go with -O, --download and -o raw", command)
    }
    guard responseType == nil || !isOffline else {
      throw .wrongUsage(
        "--as does not go with --offline: a cache keeps bodies as they were parsed, which cannot "
          + "be read as another type", command)
    }
    validation = words.text("--validate").flatMap { ContentValidation(rawValue: $0) }
    guard validation == nil || words.text("-O") == nil else {
      throw .wrongUsage("--validate is of content: it does not go with -O", command)
    }
    guard validation == nil || !words.has("--stream") && !words.has("--download") else {
      throw .wrongUsage(
        "--validate is of content as a whole: it does not go with --stream and --download", command)
    }
    network = try NetworkOptions(words, for: command)
    for text in words.all("-H") {
      guard let end = text.firstIndex(of: ":") ?? CallOptions.emptyHeaderEnd(text),
        end > text.startIndex
      else {
        throw .wrongUsage("-H needs 'Name: value', got '\(text)'", command)
      }
      let name = String(text[..<end])
      // Around a value space is none of it. (RFC 9110, 5.5)
      let value = RequestItem.trimmed(String(text[text.index(after: end)...]))
      if let problem = Headers.problem(name, value.utf8) {
        throw .wrongUsage("-H: \(problem)", command)
      }
      headers.append((name, value.isEmpty && text[end] == ":" ? nil : value))
    }
    try readPages(words, for: command)
    guard filter == nil || !wantsBytes else {
      throw .wrongUsage("-f is of content: it does not go with -O and -o raw", command)
    }
    guard file == nil || format == nil || format == .raw else {
      throw .wrongUsage("-O writes the body as it is: for a format write -o … > FILE", command)
    }
    try readDownload(words, for: command)
    try readChart(words, for: command)
    try checkAuth(headers.map(\.name), for: command)
    // The head comes first, so that the body has to wait.
    if file == "-", showsHead { (file, format) = (nil, .raw) }
  }

  /// Where a header without a value ends, in the notation of curl and of items: `Name;`.
  private static func emptyHeaderEnd(_ text: String) -> String.Index? {
    text.hasSuffix(";") ? text.index(before: text.endIndex) : nil
  }

  /// Whether the body is wanted as it comes, before any transformer.
  var wantsBytes: Bool { file != nil || format == .raw }
}
