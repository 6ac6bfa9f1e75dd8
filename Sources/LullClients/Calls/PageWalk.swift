import CLullBridge
package import LullCore
package import LullHost

/// The pages of a list, one after the other, for a command.
package final class PageWalk {
  private let handles: ObjectHandles
  private let loop: ScriptLoop
  private let reporter: Reporter
  private let pages: LuaPages

  /// - Parameters:
  ///   - call: The call whose `pages` count.
  ///   - way: How the next page is found where no call describes it.
  package init(
    _ host: LuaHost, from request: CallRequest, call: APICall? = nil, way: NextPage = .automatic
  ) {
    handles = host.handles
    loop = host.loop
    reporter = host.reporter
    var options = call?.pages ?? LuaPages.Options()
    if call == nil { options.next = way }
    options.words.style = call == nil ? .command : .call
    // How many there are to be is for whoever walks.
    options.max = options.max ?? .max
    pages = LuaPages(request.resource, options, host.callbacks)
    first = request
  }

  private let first: CallRequest
  /// Whether the last page has no cursor, although one is named: then it looks like the end.
  package private(set) var lacksCursor = false
  /// How a page's content is read; nil: unchanged.
  package var reading: ((Entity) -> Entity)? {
    get { pages.reading }
    set { pages.reading = newValue }
  }
  /// Where the rows are, as the user says; nil to find them.
  package var list: FieldPath? {
    get { pages.list }
    set { pages.list = newValue }
  }
  /// Whether the server is asked whatever a cache has.
  package var isFresh = false
  /// Told of every request when it has begun; nil: nothing is sent since a cache has the page.
  package var onStart: ((Request?) -> Void)?
  /// Told of every answer.
  package var onAnswer: ((Response, Request) -> Void)?

  package enum Step {
    case page(Entity)
    case end
    case failed(RequestError)
    /// An error of the script's, reported as that says.
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
    if first.resource.url != page.url {
      // The headers of the first page are those of the others, but for pages on another origin.
      asking.resource = page
      asking.method = .get
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
      else { return .raised("lull: the pages cannot go on\n") }
      return .failed(box.error)
    case .reraised(_, let failure): return .raised(reporter.describe(failure))
    default: return .raised("lull: the pages cannot go on\n")
    }
  }
}
