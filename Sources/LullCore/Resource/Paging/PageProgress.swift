/// Where somebody is who goes through the pages of a list: which page comes next, and what that may not be.
///
///
/// It loads nothing. Whoever does asks for the next page, loads it, and says what came of it.
package struct PageProgress {
  package static let defaultLimit = 100

  /// What two of the options are called where somebody is told to use them.
  package struct Words {
    package var limit = "'max'"
    package var otherOrigins = "'cross_origin'"

    package init() {}
  }

  private let next: NextPage
  /// nil: `defaultLimit` pages, beyond which it fails.
  private let max: Int?
  private let allowsOtherOrigins: Bool
  private let words: Words
  private let origin: String
  /// The page given last, or the one before the first.
  package private(set) var resource: Resource
  private var entity: Entity?
  package private(set) var count = 0
  private var seen: Set<String> = []
  package private(set) var isOver = false

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

  /// Nothing comes any more.
  package mutating func end() {
    isOver = true
    entity = nil
  }

  /// The page to load now; nil at the end.
  ///
  /// - Parameter ask: where nothing else says which it is, what does.
  package func findPage<Failure: Error>(
    _ fields: some ContentFieldReader, failing failure: (PagingProblem) -> Failure,
    _ ask: (Entity) -> Result<Resource?, Failure>
  ) -> Result<Resource?, Failure> {
    guard let entity else {
      guard case .numbered(let parameter, let first, _, _) = next else { return .success(resource) }
      return .success(resource.settingParam(parameter, .text(String(first))))
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
        page = try next.next(after: resource, entity, count: count, fields)
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
        "There are more than \(PageProgress.defaultLimit) pages: say with \(words.limit) how many to load"
      )
    }
    if !["http", "https"].contains(page.url.scheme) {
      let text = LogText.part(page.url.text, limit: 80)
      return PagingProblem("The next page's URL '\(text)' is neither http nor https")
    }
    if !allowsOtherOrigins, page.url.origin != origin {
      return PagingProblem(
        "The next page is on another origin, \(page.url.origin), which \(words.otherOrigins) would allow"
      )
    }
    if seen.contains(page.url.text) {
      return PagingProblem(
        "The pages go round: after page \(count) comes \(page.displayName) once more")
    }
    return nil
  }

  /// What a page has brought.
  package enum Arrival {
    case page(Entity)
    case end
    case failed(RequestError)
    case problem(PagingProblem)
  }

  /// A page is there, or will not come.
  ///
  /// - Parameter response: nil if nothing had to be loaded.
  package mutating func arrived(
    _ page: Resource, _ response: Response?, _ fields: some ContentFieldReader
  ) -> Arrival {
    guard !isOver else { return .end }
    if let error = response?.error ?? (response == nil ? page.latestError : nil) {
      end()
      // Behind the last page some say that there is nothing.
      if count > 0, error.httpStatusCode == 404, case .numbered = next { return .end }
      return .failed(error)
    }
    guard let entity = page.latestData ?? response?.entity else {
      end()
      return .end
    }
    do throws(PagingProblem) {
      guard try !next.isEmpty(entity, fields) else {
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
    seen.insert(page.url.text)
    return .page(entity)
  }

  /// A problem on the way to a page, as an error of a request.
  package func error(_ problem: PagingProblem) -> RequestError {
    var error = RequestError(
      httpStatusCode: nil, entity: nil, cause: .custom(problem), timestamp: resource.pump.clock.now)
    error.method = .get
    error.url = resource.url.text
    return error
  }
}
