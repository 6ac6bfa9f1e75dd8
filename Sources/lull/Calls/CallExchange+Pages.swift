import LullClients
import LullCore
import LullHost

extension CallExchange {
  /// Loads pages and writes them as one list.
  ///
  /// If the call names rows, the list holds the rows of all pages. Otherwise it holds the elements
  /// of each page that is a list, and any other page as one element.
  ///
  /// An expression of `-f` gets the whole list after the last page. If the expression can be
  /// evaluated page by page (`StreamedFilter`), only its results are kept. Line formats are written
  /// page by page and nothing is kept.
  func runPages(_ walk: PageWalk) -> Int32 {
    override(api.service)
    let progress = ProgressBar(options, api.service.pump.clock)
    show(walk, progress)
    walk.isFresh = options.isFresh
    var list = PageList()
    var code: Int32 = 0
    var partial: Int32 = 0
    let streamed = options.filter.flatMap { StreamedFilter($0) }
    do throws(ContentFilter.Problem) {
      // Report an invalid expression before loading anything. `filter` is created after `plain`,
      // because error messages show the text of the filter that was created last.
      let plain = try ContentFilter(host, nil)
      let filter = options.filter == nil ? nil : try ContentFilter(host, options.filter)
      if let streamed, let text = options.filter, let inner = StreamedFilter.inner(of: text) {
        let sink = FilteredPages(wanted: streamed, try ContentFilter(host, inner), self)
        return try runStreamed(walk, sink, plain, progress)
      }
      while list.pageCount < options.pages ?? 1 {
        let step = walk.next()
        guard case .page(let entity) = step else {
          if list.pageCount == 0, case .failed(let error) = step {
            return end(write(.failure(error), nil, nil))
          }
          code = report(step)
          break
        }
        partial = max(partial, tellPartialError(of: entity))
        let page = try json(of: entity.content, plain)
        let root = try options.rows?.of(page, isLater: list.pageCount > 0) ?? page
        list.pageCount += 1
        progress.count(root)
        if filter == nil, options.format == .ndjson || options.format == .lines {
          guard Output.write(text.bytes(of: root)) else { return 0 }
        } else {
          list.append(root)
        }
      }
      if code == 0 { warnOfCursor(walk, pageCount: list.pageCount) }
      if let filter {
        if code == 0, !host.loop.isInterrupted { try write(list, filter) }
        if code != 0 {
          Exit.complain("lull: -f needs all pages, but some are missing: nothing is written\n")
        }
        return end(partial == 0 ? code : partial)
      }
    } catch {
      Exit.complain(error.report)
      code = 1
    }
    let isWhole = code == 0 && !host.loop.isInterrupted
    // Write the pages received so far, even if some are missing.
    if options.filter == nil, options.format != .ndjson, options.format != .lines,
      isWhole || list.pageCount > 0
    {
      do throws(ContentFilter.Problem) {
        _ = Output.page(
          try bytes(ofJSON: JSONText(valid: list.bytes)),
          isWanted: isWhole && options.usesPager)
      } catch {
        Exit.complain(error.report)
        if code == 0 { code = 1 }
      }
    }
    return end(partial == 0 ? code : partial)
  }

  private func write(_ list: borrowing PageList, _ filter: ContentFilter)
    throws(ContentFilter.Problem)
  {
    let bytes = list.bytes
    let document = try PageList.document(bytes)
    let made = try filter.json(
      of: .json(document), service: api.service, spelledBy: bytes, isOfPages: true)
    _ = Output.page(try self.bytes(ofJSON: JSONText(valid: made)), isWanted: options.usesPager)
  }

  func end(_ code: Int32) -> Int32 {
    host.loop.runUntilIdle()
    return code
  }

  /// A page as JSON, with the server's digits if the page was received as JSON.
  func json(of content: Content, _ plain: ContentFilter) throws(ContentFilter.Problem)
    -> JSONText
  {
    if case .json(let document) = content {
      spelling.settle(by: content)
      return JSONText(document.root, spelledBy: spelling.bytes)
    }
    return JSONText(valid: try plain.json(of: content, service: api.service))
  }

  func show(_ walk: PageWalk, _ progress: ProgressBar) {
    walk.reading = { readable($0) }
    walk.list = options.rows.map { FieldPath($0.path) }
    walk.onStart = { [trace] request in
      if let request { progress.follow(request) } else { trace?.showNothingIsSent() }
    }
    if let trace { walk.onAnswer = { trace.show($0, of: $1) } }
  }

  func report(_ step: PageWalk.Step) -> Int32 {
    switch step {
    case .page, .end: return 0
    case .failed(let error):
      Exit.fail(CallExchange.text(of: error), error.facts)
      return CallExchange.exitCode(of: error)
    case .raised(let report):
      Exit.complain(report)
      return 1
    }
  }
}

extension CallExchange {
  /// Warns that the list may be incomplete, because the only page has no cursor.
  func warnOfCursor(_ walk: PageWalk, pageCount: Int) {
    guard pageCount == 1, options.pages ?? 1 > 1, case .cursor(let field, _)? = options.pageWay,
      walk.lacksCursor
    else { return }
    Exit.complain(
      "lull: warning: the only page has no field '\(LogText.part(field, limit: 60))', which --cursor names\n"
    )
  }
}

/// The elements of all pages so far, as one JSON list.
struct PageList: ~Copyable {
  var pageCount = 0
  private var writer = JSONWriter()

  init() { writer.begin("[") }

  /// Appends the elements of a list, or any other value as one element.
  mutating func append(_ page: JSONText) {
    for element in page.lines { element.write(to: &writer) }
  }

  /// Appends one element of any kind.
  mutating func append(element: JSONText) { element.write(to: &writer) }

  var bytes: [UInt8] { writer.output + "]".utf8 }

  /// Parses the JSON text of a list of pages. Throws if it is too large.
  static func document(_ bytes: [UInt8]) throws(ContentFilter.Problem) -> JSONDocument {
    do throws(JSONError) {
      return try JSONDocument(parsing: bytes)
    } catch {
      throw ContentFilter.Problem(
        report: "lull: the pages cannot be read as one list: \(error.description)\n")
    }
  }
}

/// Writes the results of an expression page by page, without keeping the pages.
final class FilteredPages {
  private let filter: ContentFilter
  private let wanted: StreamedFilter
  private let exchange: CallExchange
  private var results = PageList()
  private var count = 0
  /// Whether each result is written immediately.
  private let writesLines: Bool

  init(wanted: StreamedFilter, _ filter: ContentFilter, _ exchange: CallExchange) {
    self.wanted = wanted
    self.filter = filter
    self.exchange = exchange
    filter.isOfParts = true
    let format = exchange.options.format
    writesLines = wanted != .one && (format == .ndjson || format == .lines)
  }

  /// The maximum number of results.
  private var limit: Int {
    switch wanted {
    case .elements: .max
    case .first(let count): count
    case .one: 1
    }
  }

  /// Whether further pages can't change the output.
  var isFull: Bool { count >= limit }

  /// Evaluates the expression on one page and writes or collects its results. Returns `false` if
  /// the reader of the output has closed it.
  func take(_ page: JSONText) throws(ContentFilter.Problem) -> Bool {
    var list = PageList()
    list.append(page)
    let bytes = list.bytes
    let made = try filter.json(
      of: .json(try PageList.document(bytes)), service: exchange.api.service, spelledBy: bytes,
      isOfPages: true)
    var taken = PageList()
    for element in JSONText(valid: made).lines where count < limit {
      count += 1
      if writesLines { taken.append(element: element) } else { results.append(element: element) }
    }
    return !writesLines || Output.write(exchange.text.bytes(of: JSONText(valid: taken.bytes)))
  }

  /// Writes the remaining output.
  func finish() throws(ContentFilter.Problem) {
    filter.warnOfFields()
    guard !writesLines else { return }
    var result = JSONText(valid: results.bytes)
    if wanted == .one { result = result.lines.first ?? JSONText(valid: Array("null".utf8)) }
    _ = Output.page(
      try exchange.bytes(ofJSON: result), isWanted: exchange.options.usesPager)
  }
}

extension CallExchange {
  /// Loads pages and writes the results of an expression page by page, without keeping the pages.
  /// Returns the exit code.
  func runStreamed(
    _ walk: PageWalk, _ sink: FilteredPages, _ plain: ContentFilter, _ progress: ProgressBar
  ) throws(ContentFilter.Problem) -> Int32 {
    var pageCount = 0
    var code: Int32 = 0
    var partial: Int32 = 0
    while pageCount < options.pages ?? 1, pageCount == 0 || !sink.isFull {
      let step = walk.next()
      guard case .page(let entity) = step else {
        if pageCount == 0, case .failed(let error) = step {
          return end(write(.failure(error), nil, nil))
        }
        code = report(step)
        break
      }
      pageCount += 1
      partial = max(partial, tellPartialError(of: entity))
      let page = try json(of: entity.content, plain)
      let root = try options.rows?.of(page, isLater: pageCount > 1) ?? page
      progress.count(root)
      guard try sink.take(root) else { return 0 }
    }
    if code == 0 { warnOfCursor(walk, pageCount: pageCount) }
    let isWhole = code == 0 && !host.loop.isInterrupted
    if isWhole {
      try sink.finish()
    } else if code != 0, options.format != .ndjson, options.format != .lines {
      Exit.complain("lull: -f needs all pages, but some are missing: nothing is written\n")
    }
    return end(partial == 0 ? code : partial)
  }
}
