import LullClients
import LullCore
import LullHost

/// What an expression gives of pages one after the other, of which none is kept.
final class FilteredPages {
  private let filter: ContentFilter
  private let wanted: StreamedFilter
  private let exchange: CallExchange
  private var results = PageList()
  private var count = 0
  /// Whether lines are written as they come.
  private let writesLines: Bool

  init(wanted: StreamedFilter, _ filter: ContentFilter, _ exchange: CallExchange) {
    self.wanted = wanted
    self.filter = filter
    self.exchange = exchange
    filter.isOfParts = true
    let format = exchange.options.format
    writesLines = wanted != .one && (format == .ndjson || format == .lines)
  }

  /// How many are wanted at most.
  private var limit: Int {
    switch wanted {
    case .elements: .max
    case .first(let count): count
    case .one: 1
    }
  }

  /// Whether further pages would change nothing.
  var isFull: Bool { count >= limit }

  /// False if nobody reads any more.
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

  /// Writes what has not been written.
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
  /// As `runPages`, with an expression that makes of each page what it makes of all.
  func runStreamed(
    _ walk: PageWalk, _ sink: FilteredPages, _ plain: ContentFilter, _ progress: ProgressBar
  ) throws(ContentFilter.Problem) -> Int32 {
    var pageCount = 0
    var code: Int32 = 0
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
      Exit.complain("lull: -f is of all pages: with some of them missing nothing is written\n")
    }
    return end(code)
  }
}
