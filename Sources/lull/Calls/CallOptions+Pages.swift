import LullArguments
import LullClients
import LullCore
import LullHost

/// Lists that come in pages.
extension CallOptions {
  /// Of calls and of URLs.
  static var pageArguments: [Argument] {
    [
      .init(
        names: ["--pages"], kind: .integer, placeholder: "N",
        help: "load that many pages, and write them as one list; ndjson and lines page by page, "
          + "with an -f that is of all pages when all are there"),
      .init(names: ["--all"], kind: .flag, help: "load all pages, and write them in that way"),
    ]
  }

  /// Of URLs only: a call may have parameters of these names, and its API file says how it goes on.
  /// (PAR-16)
  static var pageWayArguments: [Argument] {
    [
      .init(
        names: ["--cursor"], placeholder: "FIELD[=PARAM]",
        help: "Send that field of each page, or of its last row, as PARAM of the next page."),
      .init(
        names: ["--page"], placeholder: "PARAM",
        help: "Count pages in that parameter, from its value in the URL, or from 1."),
      .init(
        names: ["--offset"], placeholder: "PARAM",
        help: "Count rows in that parameter, from its value in the URL, or from 0."),
      .init(
        names: ["--rows"], placeholder: "FIELD",
        help: "Take the rows of pages, tables and charts from that field, such as data.items."),
    ]
  }

  /// How a list goes on, as the command line says.
  enum PageWay {
    case cursor(field: String, parameter: String)
    case page(String)
    case offset(String)
  }

  mutating func readPages(_ words: ParsedArguments, for command: Command) throws(CommandEnd) {
    if let text = words.text("--pages") {
      guard !words.has("--all") else {
        throw .wrongUsage(
          "--all and --pages \(text) are two ways to say how many: give one", command)
      }
      guard let count = Int(text), count > 0 else {
        throw .wrongUsage("--pages needs a whole number above 0, got '\(text)'", command)
      }
      pages = count
    } else if words.has("--all") {
      pages = .max
    }
    guard pages == nil || !wantsBytes && !showsHead else {
      throw .wrongUsage(
        "pages are one list of content: -i, -O and -o raw are of one answer", command)
    }
  }

  /// Those of `pageWayArguments`, by a command that has them.
  mutating func readPageWay(_ words: ParsedArguments, for command: Command) throws(CommandEnd) {
    let given = ["--cursor", "--page", "--offset"].filter { words.text($0) != nil }
    guard given.count < 2 else {
      throw .wrongUsage("\(given[0]) and \(given[1]) are two ways to go on: give one", command)
    }
    for name in given + ["--rows"] where words.text(name)?.isEmpty == true {
      throw .wrongUsage("\(name) needs a name, got an empty text", command)
    }
    if let name = given.first {
      guard pages != nil else {
        throw .wrongUsage("\(name) needs --all or --pages N", command)
      }
      let word = words.text(name) ?? ""
      switch name {
      case "--cursor":
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty }) else {
          throw .wrongUsage("--cursor needs FIELD or FIELD=PARAM, got '\(word)'", command)
        }
        let field = String(parts[0])
        let parameter = parts.count > 1 ? String(parts[1]) : PageCursor.parameter(ofField: field)
        pageWay = .cursor(field: field, parameter: parameter)
      case "--page": pageWay = .page(word)
      default: pageWay = .offset(word)
      }
    }
    guard let path = words.text("--rows") else { return }
    guard pages != nil || chart != nil || format?.isOfRows == true else {
      throw .wrongUsage(
        "--rows needs --all, --chart, or -o table, csv, ndjson or lines", command)
    }
    rows = CallRows(path: path)
  }

  /// How the list goes on that begins with a request.
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

extension CallOptions {
  /// Whether something is made of the fields of content, which text has not.
  var readsFields: Bool {
    filter != nil || chart != nil || pages != nil || format != nil && format != .raw
  }
}

extension CallExchange {
  /// Warns that a list may have ended with its first page since no page has the cursor.
  func warnOfCursor(_ walk: PageWalk, pageCount: Int) {
    guard pageCount == 1, options.pages ?? 1 > 1, case .cursor(let field, _)? = options.pageWay,
      walk.lacksCursor
    else { return }
    Exit.complain(
      "lull: warning: the only page has no '\(LogText.part(field, limit: 60))', which --cursor names\n"
    )
  }
}
