/// What a network result means before any transformer saw it: pure rules.
package enum ResponseInterpretation: Sendable {
  /// Goes through the pipeline.
  case response(Response)
  /// 304 with data to keep: a success that is not new and runs no transformer. (NM-01, NM-03)
  case notModified(Entity)

  /// - Parameters:
  ///   - existing: the data of the request's own resource (LOAD-39).
  ///   - isConditional: whether it was asked for on a condition that is not of that data: a 304 then is
  ///     the answer, with status and headers, and not a lack of one.
  ///   - forbidsStoring: whether it must not be kept where it outlives the process.
  package init(
    _ result: ArrivedResult, existing: Entity?,
    isConditional: @autoclosure () -> Bool = false,
    now: Double, forbidsStoring: Bool = false
  ) {
    var exchange = result.response.map { Exchange($0) }
    exchange?.forbidsStoring = forbidsStoring
    // Success and error together are a failure that keeps both (LOAD-11).
    if let given = result.requestError {
      self = .response(.failure(Self.error(given, exchange, result, now: now)))
      return
    }
    if let error = result.error {
      self = .response(
        .failure(
          Self.error(
            exchange, result, status: exchange?.status, cause: .transport(error), now: now)))
      return
    }
    switch exchange?.status {
    case 304:
      if let existing {
        self = .notModified(existing)
      } else {
        let asked = isConditional() ? exchange : nil
        var error = Self.error(
          asked, result, status: asked?.status, cause: .noLocalDataFor304, now: now)
        // It never has a body: the headers are what it brings.
        if asked != nil { error.entity = Self.entity(exchange, result, now: now) }
        self = .response(.failure(error))
      }
    case .some(let status) where status >= 400:
      var error = Self.error(exchange, result, status: status, cause: nil, now: now)
      if let body = result.body, let headers = result.response?.headers,
        let problem = ProblemDetails(body, headers)
      {
        error.userMessage = problem.message
      }
      self = .response(.failure(error))
    default:
      self = .response(.success(Self.entity(exchange, result, now: now)))
    }
  }

  private static func entity(_ exchange: Exchange?, _ result: ArrivedResult, now: Double) -> Entity
  {
    Entity(
      content: .bytes(result.body ?? []), headers: result.response?.headers ?? Headers(),
      timestamp: now, exchange: exchange)
  }

  /// What is given comes first, and what arrived fills the gaps.
  private static func error(
    _ given: RequestError, _ exchange: Exchange?, _ result: ArrivedResult, now: Double
  ) -> RequestError {
    let arrived = Self.error(
      exchange, result, status: exchange?.status, cause: given.cause, now: now)
    var error = given.dated(now)
    // Another request was cancelled, and not this one. (CXL-08)
    if case .requestCancelled = given.cause {
      error.cause = .custom(given)
      (error.method, error.url) = (nil, nil)
    }
    error.httpStatusCode = given.httpStatusCode ?? arrived.httpStatusCode
    error.entity = given.entity ?? arrived.entity
    error.exchange = given.exchange ?? exchange
    return error
  }

  private static func error(
    _ exchange: Exchange?, _ result: ArrivedResult, status: Int?, cause: RequestError.Cause?,
    now: Double
  ) -> RequestError {
    // No body at all: no entity; an empty one: an entity with empty content (ERR-08).
    let hasBody = exchange != nil && result.body != nil
    var error = RequestError(
      httpStatusCode: status, entity: hasBody ? entity(exchange, result, now: now) : nil,
      cause: cause,
      timestamp: now)
    error.exchange = exchange
    return error
  }
}

/// Which schemas the answers of a service have, for those whose configuration says `validate`. Home thread.
package protocol AnswerSchemas: AnyObject {
  /// The schema of answers of that status; nil: nothing is said of them.
  ///
  /// - Parameter url: that of the request, without secrets.
  func schema(of method: RequestMethod, _ url: String, status: Int) -> (any AnswerSchema)?
  /// What answers are held against, in words, or that it is nothing.
  func explanation(of method: RequestMethod, _ url: String) -> (isNothing: Bool, text: String)
  /// Tells people of content that does not fit, once of what is wrong in the same way.
  func warn(_ misfits: [ContentMisfit], by schema: any AnswerSchema)
}

/// What content is held against. Any thread.
package protocol AnswerSchema: Sendable {
  /// Whose it is, in words: `call 'users/get'`.
  var owner: String { get }
  /// What does not fit, or why that cannot be told; empty: all does.
  func misfits(of content: JSONElement) -> [ContentMisfit]
}
