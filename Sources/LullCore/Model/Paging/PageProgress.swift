/// The position in a paged list. It determines the next page, and returns an error for a page that
/// must not be used, for example because the page repeats an earlier page.
///
/// It does not load pages: the caller gets the next page, loads the page, and reports the result
/// with `arrived`.
package struct PageProgress {
  package static let defaultLimit = 100

  /// The names of options in error messages.
  package struct Words {
    package enum Style {
      case script
      /// The `lull` command, with a URL or a path.
      case command
      /// A call of an API file.
      case call
      case swift
    }

    package var style = Style.script
    package var limit = "'max'"
    package var otherOrigins = "'cross_origin'"

    package init() {}
  }

  private let next: NextPage
  /// The maximum number of pages. If nil, a list with more than `defaultLimit` pages is an error.
  private let max: Int?
  private let allowsOtherOrigins: Bool
  let words: Words
  private let origin: String
  /// The last page that was returned. Before the first page, it is the resource with which the list
  /// begins.
  package private(set) var resource: Resource
  package private(set) var entity: Entity?
  package private(set) var count = 0
  /// The number of rows on all pages so far.
  package private(set) var rowCount = 0
  private var first: PageShape?
  private var seen: Set<ResourceAddress> = []
  package private(set) var isOver = false
  /// A function that transforms the entity of each page before the entity is used; nil if there is
  /// no such function.
  package var reading: ((Entity) -> Entity)?
  /// The path of the rows, if the user has given the path; nil if Lull searches the page for the
  /// rows.
  package var list: FieldPath?
  /// Whether the content of the first page is JSON Lines.
  private var hasLines = false
  /// Whether the last page is a single JSON value that is treated as a list with one row, because
  /// the first page is JSON Lines.
  package private(set) var isSingleLine = false

  package init(
    _ resource: Resource, _ next: NextPage, max: Int?, allowsOtherOrigins: Bool,
    words: Words = Words()
  ) {
    self.resource = resource
    self.next = next
    self.max = max
    self.allowsOtherOrigins = allowsOtherOrigins
    self.words = words
    origin = resource.url.origin
  }

  /// Ends the list: there is no next page.
  package mutating func end() {
    isOver = true
    entity = nil
  }

  /// Returns the page to load next; nil at the end of the list.
  ///
  /// - Parameter ask: Calls the function of the program or script that returns the next page. Used
  ///   only with the rule `NextPage.asked`.
  package func findPage<Failure: Error>(
    _ fields: some ContentFieldReader, failing failure: (PagingProblem) -> Failure,
    _ ask: (Entity) -> Result<Resource?, Failure>
  ) -> Result<Resource?, Failure> {
    guard let entity else {
      switch next {
      case .numbered(let parameter, let first, _, _), .offset(let parameter, let first, _):
        do throws(PagingProblem) {
          return .success(try resource.page(parameter, .int(first)))
        } catch {
          return .failure(failure(error))
        }
      default: return .success(resource)
      }
    }
    if let max, count >= max { return .success(nil) }
    let page: Resource?
    if case .asked = next {
      switch ask(entity) {
      case .success(let found): page = found
      case .failure(let problem): return .failure(problem)
      }
    } else {
      do throws(PagingProblem) {
        page = try next.next(after: entity, of: self, fields)
      } catch {
        return .failure(failure(error))
      }
    }
    guard let page else { return .success(nil) }
    if let problem = objection(to: page) { return .failure(failure(problem)) }
    return .success(page)
  }

  private func objection(to page: Resource) -> PagingProblem? {
    if max == nil, count >= PageProgress.defaultLimit {
      return PagingProblem(
        "There are more than \(PageProgress.defaultLimit) pages: set how many to load with "
          + words.limit
      )
    }
    if !["http", "https"].contains(page.url.scheme) {
      let text = LogText.part(page.url.text, limit: 80)
      return PagingProblem("The next page's URL '\(text)' is neither http nor https")
    }
    if !allowsOtherOrigins, page.url.origin != origin {
      // The command has no option that allows other origins.
      let advice = words.style == .command ? "" : ", which \(words.otherOrigins) allows"
      return PagingProblem("The next page is on another origin, \(page.url.origin)\(advice)")
    }
    if seen.contains(page.address) {
      return PagingProblem(
        "The pages repeat: after page \(count) comes \(page.displayName) again")
    }
    return nil
  }

  /// The result of loading a page.
  package enum Arrival {
    case page(Entity)
    case end
    case failed(RequestError)
    case problem(PagingProblem)
  }

  /// Processes the result of loading a page, and returns the page, the end of the list, or an
  /// error.
  ///
  /// - Parameter response: The response; nil if the page was in memory and did not have to be
  ///   loaded.
  package mutating func arrived(
    _ page: Resource, _ response: Response?, _ fields: some ContentFieldReader
  ) -> Arrival {
    guard !isOver else { return .end }
    let known = response == nil ? page.latestError.flatMap { $0.isPartial ? nil : $0 } : nil
    if let error = response?.error ?? known {
      end()
      // Some APIs return 404 after the last page.
      if count > 0, error.httpStatusCode == 404, next.counts { return .end }
      // If the first page is JSON Lines, an empty body is an empty list, although it is not valid
      // JSON.
      if hasLines, case .malformedJSON? = error.cause, error.entity?.isEmptyBytes == true {
        return .end
      }
      return .failed(error)
    }
    guard var entity = page.latestData ?? response?.entity else {
      end()
      return .end
    }
    if let reading { entity = reading(entity) }
    isSingleLine = hasLines && entity.becomeLines()
    let shape = PageShape(entity.content, list: first?.list ?? list ?? next.items, fields)
    guard !shape.isNothing else {
      end()
      return .end
    }
    do throws(PagingProblem) {
      try check(shape, entity, fields)
      guard try !next.isEmpty(entity, rows: shape.list, fields, words) else {
        end()
        return .end
      }
    } catch {
      resource = page
      end()
      return .problem(error)
    }
    self.entity = entity
    resource = page
    count += 1
    rowCount += shape.count ?? 0
    if first == nil, case .json(let document) = entity.content { hasLines = document.hasLines }
    first = first ?? shape
    seen.insert(page.address)
    return .page(entity)
  }

  /// Throws an error if the page differs in kind from the first page, or has the same rows as the
  /// page before.
  private func check(_ shape: PageShape, _ entity: Entity, _ fields: some ContentFieldReader)
    throws(PagingProblem)
  {
    guard let first else { return }
    if let difference = shape.difference(from: first) {
      throw PagingProblem("Page \(count + 1) \(difference)")
    }
    guard next.counts, shape.count ?? 0 > 0, let list = shape.list,
      let rows = JSONFields.rows(list, in: entity.content),
      let before = self.entity.flatMap({ JSONFields.rows(list, in: $0.content) }), rows == before
    else { return }
    switch next {
    case .numbered(let parameter, _, _, _), .offset(let parameter, _, _):
      throw PagingProblem(
        "Page \(count + 1) has the same rows as page \(count): the server seems to ignore the "
          + "parameter '\(parameter)', or to repeat its last page")
    default: break
    }
  }

  /// Returns the error for a problem with a page. Its cause is `custom`.
  package func error(_ problem: PagingProblem) -> RequestError {
    error(.custom(problem))
  }

  func error(_ cause: RequestError.Cause) -> RequestError {
    var error = RequestError(
      httpStatusCode: nil, entity: nil, cause: cause, timestamp: resource.pump.clock.now)
    error.method = resource.readMethod
    error.url = resource.url.text
    return error
  }
}

extension Entity {
  /// If the content is a single JSON value, changes it to JSON Lines with one line and returns
  /// true. Otherwise returns false. (PAG-86)
  fileprivate mutating func becomeLines() -> Bool {
    guard case .json(let document) = content, !document.hasLines,
      document.root.kind != .array, !document.root.isNull
    else { return false }
    var list: [UInt8] = [UInt8(ascii: "[")]
    document.root.encode(into: &list)
    list.append(UInt8(ascii: "]"))
    guard let lines = try? list.withUnsafeBufferPointer(JSONDocument.init(lines:)) else {
      return false
    }
    content = .json(lines)
    return true
  }
}

/// The pages of a list, as a sequence for `for try await`. Each page is loaded when the loop
/// requests it; between two pages no request is in flight. The loop runs on the actor that is the
/// home of the resource.
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

    /// Returns the next page. A page that is fresh in memory is not loaded. Returns nil at the end
    /// of the list and after an error.
    ///
    /// Throws the error of the load. If the next page can't be used, throws an error with the cause
    /// `custom`: the page has no URL, is on another origin, or was returned before, or there are
    /// too many pages. If the task is cancelled, throws an error with the cause `requestCancelled`.
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
  /// The problem of the first invalid argument; nil if all are valid.
  fileprivate let problem: SettingProblem?
  fileprivate let ask: ((Page) throws(RequestError) -> Resource?)?

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension Resource {
  /// Returns the pages of the list that begins at this resource. No page is loaded before the loop
  /// begins. Home thread only. Lua: `resource:pages{ next = …, max = …, cross_origin = … }`.
  ///
  /// - Parameters:
  ///   - max: The maximum number of pages, at least 1. With nil, a list of more than 100 pages is
  ///     an error.
  ///   - allowsOtherOrigins: Whether pages may be on other origins than this resource. If false,
  ///     such a page is an error.
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
  /// Returns the problem of the first invalid number; nil if all are valid. (SWF-56)
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
