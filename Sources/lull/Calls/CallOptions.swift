import LullArguments
import LullClients
import LullCore
import LullHost

/// The options shared by all methods and `lull call`: the request settings and the output.
/// `OptionTable` declares them.
struct CallOptions {
  var format: OutputFormat?
  var filter: FilterText?
  /// Whether strings are written without quotes.
  var isRaw = false
  var columns: [String] = []
  /// Whether the command line names the columns.
  private(set) var namesColumns = false
  /// Whether CSV fields that a spreadsheet would treat as formulas are escaped.
  private(set) var guardsFormulas = false
  /// The field to chart. If it is `nil`, the content is written instead of a chart.
  var chart: String?
  /// The path of the rows in the response. If it is `nil`, the whole response counts as the rows.
  var rows: CallRows?
  var showsHead = false
  var file: String?
  var printsCurl = false
  var isDry = false
  /// How much of the exchange is shown: 0 nothing, 1 heads, 2 bodies too.
  var verbosity = 0
  var isVerbose: Bool { verbosity > 0 }
  var isFresh = false
  var isInsecure = false
  /// The type that bodies are parsed as. If it is `nil`, Content-Type and the settings of the API
  /// file determine it.
  var responseType: ResponseType?
  var isOffline = false
  var timeout: Double?
  /// The maximum number of retries. If it is `nil`, the API file determines it; the default is 0.
  var retries: Int?
  /// How responses that do not match their schema are handled. Overrides the setting of the API
  /// file.
  var validation: ContentValidation?
  var network = NetworkOptions()
  /// Headers that are sent unless the API file or the command line sets them.
  var usualHeaders: [(name: String, value: String)] = []
  /// Whether the response determines the file name.
  var namesFile = false
  /// Whether a download resumes a partial file.
  var resumes = false
  /// Whether the response is read as a stream whose items are written on arrival.
  var isStream = false
  /// The headers set by `-H`. A header whose value is `nil` is removed.
  var headers: [(name: String, value: String?)] = []
  /// Whether long output may be shown in a pager.
  var usesPager = true
  /// Whether standard input is ignored.
  var ignoresInput = false
  /// Whether writes that require confirmation are sent without asking.
  var isConfirmed = false
  /// The maximum number of pages. If it is `nil`, only one response is loaded, without paging.
  var pages: Int?
  /// How to find the next page. If it is `nil`, the response or the call determines it.
  var pageWay: PageWay?

  /// - Parameter yielded: The names of options to ignore, because the call has parameters with
  ///   these names.
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
    // The head must be written before the body, so the body can't be streamed to standard output.
    if file == "-", showsHead { (file, format) = (nil, .raw) }
  }

  /// Parses `Name: value`, `Name:` (removes the header) and `Name;` (sends an empty value), as in
  /// curl and in items.
  static func header(
    _ text: String, for command: Command
  ) throws(CommandEnd) -> (name: String, value: String?) {
    let mark = text.hasSuffix(";") ? text.index(before: text.endIndex) : nil
    guard let end = text.firstIndex(of: ":") ?? mark, end > text.startIndex else {
      throw .wrongUsage("-H needs 'Name: value', got '\(text)'", command)
    }
    let name = String(text[..<end])
    // White space around a value is not part of it. (RFC 9110, 5.5)
    let value = RequestItem.trimmed(String(text[text.index(after: end)...]))
    if let problem = Headers.problem(name, value.utf8) {
      throw .wrongUsage("-H: \(problem)", command)
    }
    return (name, value.isEmpty && text[end] == ":" ? nil : value)
  }

  /// Rejects an `Authorization` header together with `-a`.
  private func checkAuth(_ headers: [String], for command: Command) throws(CommandEnd) {
    guard network.auth != nil, headers.contains(where: { $0.lowercased() == "authorization" })
    else { return }
    throw .wrongUsage("-a cannot be combined with a header Authorization", command)
  }

  /// Parses the request items in `words`. Rejects a header that conflicts with these options.
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

  /// Prompts for a missing secret. Returns the exit code if that fails, otherwise `nil`.
  mutating func complete() -> Int32? {
    printsCurl || isDry ? nil : network.auth?.complete()
  }

  // MARK: Output

  /// Whether the output format needs the whole response.
  var isOfRows: Bool { format == .table || format == .csv || format == .raw }

  /// Whether the body is needed as received, before any transformer.
  var wantsBytes: Bool { file != nil || format == .raw }

  /// Whether the response is read as a stream. False with `--curl` or in a dry run, which only show
  /// the request.
  var streams: Bool { isStream && !printsCurl && !isDry }

  /// Whether the output needs the fields of the content, which plain text does not have.
  var readsFields: Bool {
    filter != nil || chart != nil || pages != nil || format != nil && format != .raw
  }

  /// The file to write the body to, if any.
  var download: Download? {
    guard let file else { return nil }
    return Download(
      to: file == "-" ? .standardOutput : .file(ByteString(file), allowsFolder: namesFile),
      resumes: resumes, numbersNames: namesFile)
  }

  // MARK: Pages

  /// How to find the next page, according to the command line.
  enum PageWay {
    case cursor(field: String, parameter: String)
    case page(String)
    case offset(String)
  }

  /// Whether pages are loaded. False with `--curl` or in a dry run, which only show the first
  /// request.
  var walksPages: Bool { pages != nil && !printsCurl && !isDry }

  /// Splits `FIELD=PARAM` at the first `=`. For `FIELD`, the result has one element.
  static func cursorParts(_ text: String) -> [Substring] {
    text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
  }

  /// Reads the options in `OptionTable.pageWays`, which define how to find the next page.
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

  /// How to find the next page of the list that starts with this request.
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

  /// The initial value of a numeric parameter in the URL or, for a query, in the query's content.
  /// `nil` if there is no such parameter.
  private static func number(
    _ name: String, in request: CallRequest
  ) throws(RequestItem.Problem) -> Int? {
    guard let text = request.resource.pageParameter(name) else { return nil }
    guard let number = Int(text), number >= 0 else {
      let place = request.resource.query == nil ? "the URL" : "the query"
      throw RequestItem.Problem(
        message: "'\(name)' in \(place) must be a whole number to count from, got '\(text)'")
    }
    return number
  }
}
