/// The interpretation of a network result as a success, a failure, or a 304, before any transformer
/// has run. Creating it has no side effects.
package enum ResponseInterpretation: Sendable {
  /// A success or failure that has to be processed by the pipeline.
  case response(Response)
  /// A 304 that confirms the existing data: a success without new data. The pipeline does not
  /// process it. (NM-01, NM-03)
  case notModified(Entity)

  /// - Parameters:
  ///   - existing: The data of the request's resource, which a 304 confirms; nil if there is no
  ///     data (LOAD-39).
  ///   - isConditional: Whether the request was conditional. Without existing data, a 304 is a
  ///     failure. The error of this failure contains the status and headers only if the request was
  ///     conditional.
  ///   - forbidsStoring: Whether the response must not be stored in a cache that outlives the
  ///     process.
  package init(
    _ result: ArrivedResult, existing: Entity?,
    isConditional: @autoclosure () -> Bool = false,
    now: Double, forbidsStoring: Bool = false
  ) {
    var exchange = result.response.map { Exchange($0) }
    exchange?.forbidsStoring = forbidsStoring
    // A response together with an error is a failure that contains both (LOAD-11).
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
        // A 304 never has a body; only its headers are useful.
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

  /// Returns the error `given`, to which values of the response are added that the error does not
  /// have.
  private static func error(
    _ given: RequestError, _ exchange: Exchange?, _ result: ArrivedResult, now: Double
  ) -> RequestError {
    let arrived = Self.error(
      exchange, result, status: exchange?.status, cause: given.cause, now: now)
    var error = given.dated(now)
    // The given error is the cancellation of another request, not of this one. (CXL-08)
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
    // Without a body, the error has no entity. With an empty body, it has an entity with empty
    // content (ERR-08).
    let hasBody = exchange != nil && result.body != nil
    var error = RequestError(
      httpStatusCode: status, entity: hasBody ? entity(exchange, result, now: now) : nil,
      cause: cause,
      timestamp: now)
    error.exchange = exchange
    return error
  }
}

/// The schemas of a service's responses, used for resources whose configuration sets `validate`.
/// Home thread only.
package protocol AnswerSchemas: AnyObject {
  /// Returns the schema of responses with the given status; nil if there is no schema.
  ///
  /// - Parameters:
  ///   - url: The URL of the request, without secrets.
  ///   - body: The body of the request, with secrets masked; nil if it has none.
  func schema(of method: RequestMethod, _ url: String, _ body: [UInt8]?, status: Int)
    -> (any AnswerSchema)?
  /// Returns a text that names the schemas against which responses are validated. If responses are
  /// not validated, `isNothing` is true and the text gives the reason.
  func explanation(of method: RequestMethod, _ url: String, _ body: [UInt8]?)
    -> (isNothing: Bool, text: String)
  /// Writes a warning about content that does not match the schema, once for each kind of mismatch.
  func warn(_ misfits: [ContentMisfit], by schema: any AnswerSchema)
}

/// A schema that content is validated against. Any thread.
package protocol AnswerSchema: Sendable {
  /// The owner of the schema in messages, for example `call 'users/get'`.
  var owner: String { get }
  /// Returns the mismatches of the content, or the reason why it could not be validated. Empty if
  /// the content is valid.
  func misfits(of content: JSONElement) -> [ContentMisfit]
}
