import LullArguments
import LullClients
import LullCore
import LullHost

/// What is wanted of a request, and of what comes of it: the options that all verbs and `lull call` share, as values.
/// `OptionTable` declares them.
struct CallOptions {
  var format: OutputFormat?
  var filter: FilterText?
  /// Whether texts are written without quotes.
  var isRaw = false
  var columns: [String] = []
  /// Whether the command line has named them.
  private(set) var namesColumns = false
  /// Whether fields of CSV that a spreadsheet would take for a formula are guarded.
  private(set) var guardsFormulas = false
  /// The field that is drawn; nil: content is written.
  var chart: String?
  /// Where the rows are in the response; nil: it is the rows.
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
  /// What happens to responses that do not match, in the place of the API file's setting.
  var validation: ContentValidation?
  var network = NetworkOptions()
  /// Sent where neither an API's file nor the command line has any of these.
  var usualHeaders: [(name: String, value: String)] = []
  /// Whether the file is called as the response says.
  var namesFile = false
  /// Whether a download resumes a partial file.
  var resumes = false
  /// Whether items are written as they come.
  var isStream = false
  /// Those of -H; nil: removed.
  var headers: [(name: String, value: String?)] = []
  /// Whether what is long may be shown a screen at a time.
  var usesPager = true
  /// Whether standard input is left alone.
  var ignoresInput = false
  /// Whether writes go out that an environment holds back.
  var isConfirmed = false
  /// How many pages to load at most; nil: no pages.
  var pages: Int?
  /// How they continue; nil: as the responses, or the call, say.
  var pageWay: PageWay?

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
    columns = OptionTable.columns(in: words.text("--columns") ?? "")
    namesColumns = !columns.isEmpty
    guardsFormulas = words.has("--csv-guard")
    chart = words.text("--chart")
    showsHead = words.has("-i")
    printsCurl = words.has("--curl")
    isDry = words.has("--dry-run")
    verbosity = words.count("-v")
    usesPager = !words.has("--no-pager")
    isFresh = words.has("--fresh")
    isInsecure = words.has("--insecure")
    isOffline = words.has("--offline")
    ignoresInput = words.has("--ignore-stdin")
    isConfirmed = words.has("--yes")
    timeout = words.text("--timeout").flatMap { Double($0) }.map { $0 > 0 ? $0 : .infinity }
    if !yielded.contains("--retry") { retries = words.text("--retry").flatMap { Int($0) } }
    if !yielded.contains("--as") {
      responseType = words.text("--as").flatMap { ResponseType(rawValue: $0) }
    }
    validation = words.text("--validate").flatMap { ContentValidation(rawValue: $0) }
    network = try NetworkOptions(words, for: command)
    for text in words.all("-H") { headers.append(try CallOptions.header(text, for: command)) }
    pages = words.text("--pages").flatMap { Int($0) } ?? (words.has("--all") ? .max : nil)
    namesFile = words.has("--download")
    file = words.text("-O") ?? (namesFile ? "." : nil)
    resumes = words.has("-C")
    isStream = words.has("--stream")
    try checkAuth(headers.map(\.name), for: command)
    // The head comes first, so that the body has to wait.
    if file == "-", showsHead { (file, format) = (nil, .raw) }
  }

  /// `Name: value`; `Name:` and `Name;` in the notation of curl and of items.
  private static func header(
    _ text: String, for command: Command
  ) throws(CommandEnd) -> (name: String, value: String?) {
    let mark = text.hasSuffix(";") ? text.index(before: text.endIndex) : nil
    guard let end = text.firstIndex(of: ":") ?? mark, end > text.startIndex else {
      throw .wrongUsage("-H needs 'Name: value', got '\(text)'", command)
    }
    let name = String(text[..<end])
    // Around a value space is none of it. (RFC 9110, 5.5)
    let value = RequestItem.trimmed(String(text[text.index(after: end)...]))
    if let problem = Headers.problem(name, value.utf8) {
      throw .wrongUsage("-H: \(problem)", command)
    }
    return (name, value.isEmpty && text[end] == ":" ? nil : value)
  }

  /// Refuses a header that would say the same as `-a`.
  private func checkAuth(_ headers: [String], for command: Command) throws(CommandEnd) {
    guard network.auth != nil, headers.contains(where: { $0.lowercased() == "authorization" })
    else { return }
    throw .wrongUsage("-a cannot be combined with a header Authorization", command)
  }

  /// The items of a request with these options.
  func items(_ words: ArraySlice<String>, for command: Command) throws(CommandEnd) -> [RequestItem]
  {
    var items: [RequestItem] = []
    for word in words {
      do throws(RequestItem.Problem) {
        items.append(try RequestItem(word))
      } catch {
        throw .wrongUsage(error.message, command)
      }
    }
    try checkAuth(
      items.filter { [.header, .emptyHeader].contains($0.kind) }.map(\.name), for: command)
    return items
  }

  /// Asks for what only a terminal can tell; the exit code if that fails.
  mutating func complete() -> Int32? {
    printsCurl || isDry ? nil : network.auth?.complete()
  }

  // MARK: What is written

  /// Whether the body is wanted as it comes, before any transformer.
  var wantsBytes: Bool { file != nil || format == .raw }

  /// Whether a stream is read: what is only shown is its request.
  var streams: Bool { isStream && !printsCurl && !isDry }

  /// Whether something is made of the fields of content, which text has not.
  var readsFields: Bool {
    filter != nil || chart != nil || pages != nil || format != nil && format != .raw
  }

  /// The file that the body becomes, if it becomes one.
  var download: Download? {
    guard let file else { return nil }
    return Download(
      to: file == "-" ? .standardOutput : .file(ByteString(file), allowsFolder: namesFile),
      resumes: resumes, numbersNames: namesFile)
  }

  // MARK: Pages

  /// How a list continues, as the command line says.
  enum PageWay {
    case cursor(field: String, parameter: String)
    case page(String)
    case offset(String)
  }

  /// Whether pages are loaded: what is only shown is the request of the first.
  var walksPages: Bool { pages != nil && !printsCurl && !isDry }

  /// `FIELD` or `FIELD=PARAM`.
  static func cursorParts(_ text: String) -> [Substring] {
    text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
  }

  /// Reads `OptionTable.pageWays`.
  mutating func readPageWay(_ words: ParsedArguments) {
    if let text = words.text("--cursor"),
      let field = CallOptions.cursorParts(text).first.map(String.init)
    {
      let parts = CallOptions.cursorParts(text)
      pageWay = .cursor(
        field: field,
        parameter: parts.count > 1 ? String(parts[1]) : PageCursor.parameter(ofField: field))
    } else if let parameter = words.text("--page") {
      pageWay = .page(parameter)
    } else if let parameter = words.text("--offset") {
      pageWay = .offset(parameter)
    }
    rows = words.text("--rows").map { CallRows(path: $0) }
  }

  /// How the list continues that begins with a request.
  func nextPage(from request: CallRequest) throws(RequestItem.Problem) -> NextPage {
    let items = rows.map { FieldPath($0.path) }
    switch pageWay {
    case nil: return .automatic
    case .cursor(let field, let parameter)?:
      return .cursor(
        PageCursor(
          parameter: parameter, field: FieldPath(field), items: items, mayBeOfRow: true))
    case .page(let name)?:
      let first = try CallOptions.number(name, in: request) ?? 1
      return .numbered(parameter: name, first: first, step: 1, items: items ?? .root)
    case .offset(let name)?:
      let first = try CallOptions.number(name, in: request) ?? 0
      return .offset(parameter: name, first: first, items: items ?? .root)
    }
  }

  /// Where a parameter of the URL begins to count; nil if it is not there.
  private static func number(
    _ name: String, in request: CallRequest
  ) throws(RequestItem.Problem) -> Int? {
    let pair = (request.resource.url.query ?? "").split(separator: "&").first {
      $0.prefix { $0 != "=" } == name
    }
    guard let pair else { return nil }
    let text = pair.dropFirst(name.count + 1)
    guard let number = Int(text), number >= 0 else {
      throw RequestItem.Problem(
        message: "'\(name)' in the URL is '\(text)': a whole number is needed to count from")
    }
    return number
  }
}
