/// The pages of a list, for a loop on the actor that is the resource's home; each is loaded when the loop asks
/// for it, and between two nothing is in flight.
///
///     for try await page in api.resource("/users").pages() {
///       for user in page.jsonArray { print(user["name"]?.string ?? "") }
///     }
public struct Pages: AsyncSequence {
  public typealias Element = Page
  public typealias Failure = RequestError

  public struct AsyncIterator: AsyncIteratorProtocol {
    var progress: PageProgress
    private let problem: SettingProblem?
    let ask: ((Page) throws(RequestError) -> Resource?)?

    init(_ pages: Pages) {
      progress = pages.progress
      problem = pages.problem
      ask = pages.ask
    }

    /// The next page, from memory if that is fresh; nil at the end, and after a failure.
    ///
    /// Throws the error of the load; and, with a cause of its own, what is wrong with the way to the next
    /// page: no URL, another origin, a page that was there already, more pages than allowed. Cancelling the
    /// task ends it with `requestCancelled`.
    public mutating func next(
      isolation: isolated (any Actor)? = #isolation
    ) async throws(RequestError) -> Page? {
      guard !progress.isOver else { return nil }
      if let problem {
        progress.end()
        throw progress.error(RequestError.Cause(problem))
      }
      let found = progress.findPage(JSONFields(), failing: { [progress] in progress.error($0) }) {
        [ask, resource = progress.resource] entity -> Result<Resource?, RequestError> in
        guard let ask else { return .success(nil) }
        do throws(RequestError) {
          return .success(try ask(Page(resource: resource, entity: entity)))
        } catch {
          return .failure(error)
        }
      }
      switch found {
      case .failure(let error):
        progress.end()
        throw error
      case .success(nil):
        progress.end()
        return nil
      case .success(let page?): return try await load(page, isolation)
      }
    }

    private mutating func load(
      _ page: Resource, _ isolation: isolated (any Actor)?
    ) async throws(RequestError) -> Page? {
      let request = page.loadIfNeeded()
      let response = await request?.completed(isolation: isolation)
      switch progress.arrived(page, response, JSONFields()) {
      case .page(let entity): return Page(resource: page, entity: entity)
      case .end: return nil
      case .failed(let error): throw error
      case .problem(let problem): throw progress.error(problem)
      }
    }
  }

  fileprivate let progress: PageProgress
  /// What is wrong with how it is asked for.
  fileprivate let problem: SettingProblem?
  fileprivate let ask: ((Page) throws(RequestError) -> Resource?)?

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension Resource {
  /// The pages of the list that begins here. Loads nothing by itself. Home thread only. Lua:
  /// `resource:pages{ next = …, max = …, cross_origin = … }`.
  ///
  /// - Parameters:
  ///   - max: how many pages at most, 1 or more; nil for 100, beyond which it fails.
  ///   - allowsOtherOrigins: whether a page may be elsewhere than this one; else that fails.
  public func pages(
    _ rule: PageRule = .automatic, max: Int? = nil, allowsOtherOrigins: Bool = false
  ) -> Pages {
    var words = PageProgress.Words()
    words.style = .swift
    words.otherOrigins = "'allowsOtherOrigins'"
    var ask: ((Page) throws(RequestError) -> Resource?)?
    if case .function(let function) = rule { ask = function }
    let progress = PageProgress(
      self, rule.next, max: max, allowsOtherOrigins: allowsOtherOrigins, words: words)
    return Pages(progress: progress, problem: Pages.problem(rule, max), ask: ask)
  }
}

extension Pages {
  /// The first number that makes no sense. (SWF-56)
  fileprivate static func problem(_ rule: PageRule, _ max: Int?) -> SettingProblem? {
    var check = SettingCheck()
    if let max { check.check("max", max, .pages) }
    if case .numbered(_, let first, let step, _) = rule {
      check.check("first", first, .position)
      check.check("step", step, .step)
    }
    return check.problem
  }
}
