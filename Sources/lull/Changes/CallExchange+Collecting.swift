import LullClients
import LullCore
import LullHost

extension CallExchange {
  /// The result of a request whose content is collected.
  enum Collected {
    case content(ComparedContent)
    /// An error has been reported. The value is the exit code.
    case ended(Int32)
  }

  /// Sends one request and returns its content instead of writing it. With paging, returns the
  /// content of all pages.
  func collect(_ request: CallRequest) -> Collected {
    override(api.service)
    do throws(ContentFilter.Problem) {
      // Report an invalid expression before sending anything.
      if options.pages != nil {
        let way: NextPage
        do throws(RequestItem.Problem) {
          way = try options.nextPage(from: request)
        } catch {
          Exit.complain("lull: \(error.message)\n")
          return .ended(2)
        }
        return try collectPages(PageWalk(host, from: request, way: way))
      }
      let filter = options.filter == nil ? nil : try ContentFilter(host, options.filter)
      guard let started = request.start(ifNeeded: !options.isFresh && !request.hasOwnHeaders) else {
        trace?.showNothingIsSent()
        return .content(try compared(request.resource.latestData, filter))
      }
      ProgressBar(options, api.service.pump.clock).follow(started)
      guard let response = host.loop.finish(started) else { return .ended(0) }
      trace?.show(response, of: started)
      if let error = response.error {
        Exit.fail(CallExchange.text(of: error), error.facts)
        return .ended(CallExchange.exitCode(of: error))
      }
      // Incomplete content would count as a change.
      let partial = tellPartialError(of: response.entity)
      guard partial == 0 else { return .ended(partial) }
      return .content(try compared(response.entity, filter))
    } catch {
      Exit.complain(error.report)
      return .ended(1)
    }
  }

  private func collectPages(_ walk: PageWalk) throws(ContentFilter.Problem) -> Collected {
    // Error messages show the text of the filter that was created last.
    let plain = try ContentFilter(host, nil)
    let filter = options.filter == nil ? nil : try ContentFilter(host, options.filter)
    let progress = ProgressBar(options, api.service.pump.clock)
    show(walk, progress)
    walk.isFresh = options.isFresh
    var list = PageList()
    var isExact = true
    while list.pageCount < options.pages ?? 1 {
      let step = walk.next()
      guard case .page(let entity) = step else {
        if case .end = step { break }
        return .ended(report(step))
      }
      let partial = tellPartialError(of: entity)
      guard partial == 0 else { return .ended(partial) }
      list.pageCount += 1
      let whole = try json(of: entity.content, plain)
      let page = try options.rows?.of(whole, isLater: list.pageCount > 1) ?? whole
      progress.count(page)
      list.append(page)
      isExact = isExact && spells(entity.content)
    }
    if host.loop.isInterrupted { return .ended(0) }
    warnOfCursor(walk, pageCount: list.pageCount)
    let bytes = list.bytes
    guard let filter else { return .content(.json(JSONText(valid: bytes), isExact: isExact)) }
    let made = try filter.json(
      of: .json(try PageList.document(bytes)), service: api.service, spelledBy: bytes,
      isOfPages: true)
    return .content(.json(JSONText(valid: made), isExact: isExact))
  }

  /// Whether the numbers of the content are known as the server wrote them.
  private func spells(_ content: Content) -> Bool {
    guard case .json(let document) = content, let bytes = spelling.bytes,
      let read = try? JSONDocument(parsing: bytes)
    else { return false }
    return read.root == document.root
  }

  /// Converts the entity of a response for comparison.
  func compared(
    _ entity: Entity?, _ filter: ContentFilter?
  ) throws(ContentFilter.Problem) -> ComparedContent {
    guard let entity = entity.map(readable), !entity.content.isEmptyBytes else { return .text("") }
    if let filter {
      let made = try filter.json(
        of: entity.content, service: api.service, spelledBy: spelling.bytes)
      return .json(JSONText(valid: made), isExact: spells(entity.content))
    }
    switch try CallContent(entity.content, of: api.service, in: host) {
    case .json(let element):
      return .json(
        JSONText(element, spelledBy: spelling.bytes), isExact: spells(entity.content))
    case .text(let text): return .text(text)
    case .bytes(let bytes):
      if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
        return .text(text)
      }
      return .bytes(count: bytes.count, digest: TrustRecord.digest(of: bytes) ?? "")
    }
  }
}
