import CLullBridge
package import LullCore
package import LullHost

/// Walks through the pages of a list in order, for a command.
package final class PageWalk {
  private let handles: ObjectHandles
  private let loop: ScriptLoop
  private let reporter: Reporter
  private let pages: LuaPages

  /// - Parameters:
  ///   - call: The call whose `pages` setting applies. nil for a plain path.
  ///   - way: How the next page is found for a request without a declared call.
  package init(
    _ host: LuaHost, from request: CallRequest, call: APICall? = nil, way: NextPage = .automatic
  ) {
    handles = host.handles
    loop = host.loop
    reporter = host.reporter
    var options = call?.pages ?? LuaPages.Options()
    if call == nil { options.next = way }
    options.words.style = call == nil ? .command : .call
    // The caller limits the number of pages.
    options.max = options.max ?? .max
    pages = LuaPages(request.resource, options, host.callbacks)
    first = request
  }

  private let first: CallRequest
  /// Whether the last loaded page lacks the cursor that the options name. Such a page looks like
  /// the end.
  package private(set) var lacksCursor = false
  /// Converts the entity of a page before the page is read. nil: the entity is used unchanged.
  package var reading: ((Entity) -> Entity)? {
    get { pages.reading }
    set { pages.reading = newValue }
  }
  /// The path of the rows, if the user specified one. nil: the rows are detected.
  package var list: FieldPath? {
    get { pages.list }
    set { pages.list = newValue }
  }
  /// Whether requests are sent even if a cache has the page.
  package var isFresh = false
  /// Called with every request that has started. The argument is nil if nothing is sent because a
  /// cache has the page.
  package var onStart: ((Request?) -> Void)?
  /// Called with every response.
  package var onAnswer: ((Response, Request) -> Void)?

  package enum Step {
    case page(Entity)
    case end
    case failed(RequestError)
    /// The script raised an error. The value is its report.
    case raised(String)
  }

  /// Loads the next page.
  package func next() -> Step {
    let page: Resource
    switch pages.findPage() {
    case .success(let found?): page = found
    case .success(nil): return .end
    case .failure(let raised): return failure(raised.value)
    }
    let request: Request?
    var asking = first
    if first.resource.address != page.address {
      // The headers of the first request are sent for all pages, unless a page is at another
      // origin.
      asking.resource = page
      asking.method = page.readMethod
      asking.body = nil
      if page.url.origin != first.resource.url.origin { asking.leaveOrigin() }
    }
    request = asking.start(ifNeeded: !isFresh && !asking.hasOwnHeaders)
    var response: Response?
    onStart?(request)
    if let request {
      response = loop.finish(request)
      guard let response else { return .end }
      onAnswer?(response, request)
    }
    let (values, raising) = pages.arrived(page, response)
    defer { handles.releaseUnclaimed(values) }
    if raising, let value = values.first { return failure(value) }
    guard !pages.isOver, let entity = pages.entity else { return .end }
    lacksCursor = pages.lacksCursor(entity)
    return .page(entity)
  }

  private func failure(_ value: LuaValue) -> Step {
    switch value {
    case .object(let handle, let kind, _, _):
      guard kind == HandleKind.error.rawValue,
        let box = handles.object(handle, .error, as: ErrorBox.self)
      else { return .raised("lull: the next page cannot be requested\n") }
      return .failed(box.error)
    case .reraised(_, let failure): return .raised(reporter.describe(failure))
    default: return .raised("lull: the next page cannot be requested\n")
    }
  }
}
