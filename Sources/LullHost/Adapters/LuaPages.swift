package import LullCore

/// The iterator of `resource:pages{…}`, which loads the pages of a list in order. Each page is
/// loaded when the script asks for it.
///
/// Between two calls no request is in flight. Home thread only.
package final class LuaPages {
  package struct Options {
    package var next = NextPage.automatic
    /// The maximum number of pages. If it is nil, the limit is `PageProgress.defaultLimit`, and
    /// more pages raise an error.
    package var max: Int?
    package var allowsOtherOrigins = false
    /// The response path of the connection of a GraphQL operation that has the pages, or an empty
    /// text if the operation has only one. nil for other responses. (GQL-45)
    package var relay: String?
    /// The spelling of the options in messages.
    package var words = PageProgress.Words()

    /// The ID of the stored function that returns the next page, or nil if the options have no
    /// function.
    package var function: Int64?
    weak var stored: StoredValues?

    /// The place where the function for the next page is defined. It is nil if there is no such
    /// function, or if the function was collected.
    package var definition: TraceFrame? { function.flatMap { stored?.definition(of: $0) } }

    package init() {}
  }

  private unowned let callbacks: Callbacks
  private let options: Options
  private var progress: PageProgress
  /// The resource of the page that was returned last. Before any page was returned, it is the
  /// resource of the first page.
  var resource: Resource { progress.resource }
  var count: Int { progress.count }
  package var isOver: Bool { progress.isOver }
  private var isWaiting = false
  /// The handle of the iterator's userdata, which holds the function and the current content.
  var hostHandle: UInt64 = 0

  package init(_ resource: Resource, _ options: Options, _ callbacks: Callbacks) {
    progress = PageProgress(
      resource, options.next, max: options.max, allowsOtherOrigins: options.allowsOtherOrigins,
      words: options.words)
    self.options = options
    self.callbacks = callbacks
  }

  /// Returns the values for a `for` loop: function, state, control variable, and the value to close
  /// when the loop ends.
  package static func iterate(_ resource: Resource, _ options: Options, _ call: Call) {
    let pages = LuaPages(resource, options, call.callbacks)
    let object = call.values.of(
      pages, .pages, service: resource.service, anchor: options.function ?? 0)
    if case .object(let handle, _, _, _) = object { pages.hostHandle = handle }
    for value in [object, .nil, .nil, object] { call.return(value) }
  }

  /// Returns the content and the resource of the next page to the script, immediately or after a
  /// wait. Returns nil after the last page.
  func next(_ call: Call) throws(Misuse) {
    guard !isWaiting else {
      throw .message("another coroutine is already waiting for these pages")
    }
    guard !isOver else { return call.return(.nil) }
    let page: Resource
    switch findPage() {
    case .success(let found?): page = found
    case .success(nil):
      end()
      return call.return(.nil)
    case .failure(let raised):
      end()
      throw .value(raised.value)
    }
    if !page.isLoading, page.isUpToDate {
      let (values, raising) = arrived(page, nil)
      if raising, let value = values.first { throw .value(value) }
      for value in values { call.return(value) }
      return
    }
    // The text is computed now, because a closure that captures the iterator would keep it alive
    // during the wait.
    let what = "page \(count + 1): \(page.displayName)"
    try callbacks.loop.wait(call, for: what, Awaited(loading: page)) { completion in
      load(page, completion)
    }
  }

  /// Ends the iteration. A waiting call returns nil once its page has arrived.
  func end() {
    progress.end()
    callbacks.release(function: options.function, from: hostHandle)
  }

  /// An error value that the call has to raise.
  package struct Raised: Error {
    package let value: LuaValue
  }

  /// The entity of the page that was returned last; nil after the iteration has ended.
  package var entity: Entity? { progress.entity }

  /// Converts a page before its content is read. The property is nil if pages are read unchanged.
  package var reading: ((Entity) -> Entity)? {
    get { progress.reading }
    set { progress.reading = newValue }
  }

  /// The path of the list of rows in a page, if the user specified a path. If it is nil, the list
  /// is found automatically.
  package var list: FieldPath? {
    get { progress.list }
    set { progress.list = newValue }
  }

  /// Returns whether the options name a cursor field that neither the page nor its last row has.
  package func lacksCursor(_ page: Entity) -> Bool {
    guard case .cursor(let cursor) = options.next else { return false }
    return cursor.isMissing(in: page.content, callbacks.fields)
  }

  // MARK: The next page

  package func findPage() -> Result<Resource?, Raised> {
    progress.findPage(callbacks.fields, failing: { raised($0) }) { entity in
      guard let id = options.function else { return .success(nil) }
      return ask(id, entity)
    }
  }

  /// Calls the script's function for the next page. The script's function returns a resource, a
  /// URL, or nil after the last page. This function returns the resource, or nil.
  private func ask(_ id: Int64, _ entity: Entity) -> Result<Resource?, Raised> {
    let values = [content(entity), callbacks.values.of(resource)]
    let answer = callbacks.coroutines.ask(
      Callable(id: id), values, kind: "next function of pages"
    ) { results -> Result<Resource?, PagingProblem> in
      let value = results[0]
      if !value.isTruthy { return .success(nil) }
      if let page = callbacks.handles.object(value, .resource, as: Resource.self) {
        return .success(page)
      }
      guard let reference = value.string else {
        return .failure(
          PagingProblem(
            "'next' of pages must return a URL, a Resource or nil, got "
              + value.described))
      }
      return Result { () throws(PagingProblem) in
        try NextPage.page(reference, from: resource, entity)
      }
    }
    switch answer {
    case .success(.success(let page)): return .success(page)
    case .success(.failure(let problem)): return .failure(raised(problem))
    case .failure(.failed(let failure)):
      return .failure(Raised(value: callbacks.values.reraised(failure)))
    case .failure(.gone): return .success(nil)
    }
  }

  private func raised(_ problem: PagingProblem) -> Raised {
    Raised(
      value: callbacks.values.of(progress.error(problem), service: resource.service))
  }

  // MARK: Loading

  /// Loads a page, or joins its load in progress. Returns a function that cancels the wait.
  private func load(_ page: Resource, _ completion: @escaping WaitCompletion)
    -> () -> Void
  {
    isWaiting = true
    let wasLoading = page.isLoading
    // The observer keeps the load from being cancelled while the call waits for it.
    let observer = IteratorObserver("pages")
    page.hold(observer)
    let finish = { [weak self] (response: Response?) in
      guard let self, isWaiting else { return }
      isWaiting = false
      page.record.observers.remove(observer, resource: page)
      let (values, raising) = arrived(page, response)
      completion(values, raising)
    }
    guard let request = page.loadIfNeeded() else {
      callbacks.pump.enqueue { finish(nil) }
      return { [weak self] in
        self?.isWaiting = false
        page.record.observers.remove(observer, resource: page)
      }
    }
    callbacks.coroutines.innermost?.awaited.requests = [request]
    if !wasLoading { request.iteratorHooks = request.hookCount }
    request.onCompletion { [pump = callbacks.pump] response in
      pump.enqueueAfterPhase { finish(response) }
    }
    request.iteratorHooks = request.iteratorHooks.map { $0 + 1 }
    return { [weak self] in
      self?.isWaiting = false
      self?.end()
      page.record.observers.remove(observer, resource: page)
      page.cancelUnwantedLoads()
    }
  }

  /// Returns the results of the call for a page that has arrived or failed. If `raising` is true,
  /// the results are an error to raise.
  package func arrived(_ page: Resource, _ response: Response?) -> (
    values: [LuaValue], raising: Bool
  ) {
    let wasOver = isOver
    // Works on a copy, because reading the content may run finalisers that end this iterator.
    var progress = progress
    var arrival = progress.arrived(page, response, callbacks.fields)
    if isOver, !wasOver {
      progress.end()
      arrival = .end
    }
    self.progress = progress
    if isOver, !wasOver { callbacks.release(function: options.function, from: hostHandle) }
    switch arrival {
    case .end: return ([.nil], false)
    case .failed(let error):
      return ([callbacks.values.of(error, service: page.service)], true)
    case .problem(let problem): return ([raised(problem).value], true)
    case .page(let entity):
      callbacks.hold(entity.content, from: hostHandle)
      let values = callbacks.values
      return ([values.looped(content(entity)), values.of(page)], false)
    }
  }

  private func content(_ entity: Entity) -> LuaValue {
    if resource.latestData != nil, !progress.isSingleLine {
      return callbacks.values.content(of: resource)
    }
    return callbacks.values.content(
      entity.content, holder: hostHandle, key: Callbacks.lastContentKey,
      omitsNulls: resource.service.omitsNulls, from: entity.exchange?.url)
  }
}
