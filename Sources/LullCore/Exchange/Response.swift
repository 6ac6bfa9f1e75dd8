/// The result of a request: an entity or an error, never both. (DYN-04)
public struct Response: Sendable {
  /// An entity or an error. The error is large and is therefore stored indirectly, so that
  /// responses and pending requests stay small.
  public enum Outcome: Sendable {
    /// The request succeeded. The entity is the result of the transformers, or the previous entity
    /// if the server responded with 304.
    case success(Entity)
    /// The request failed with this error.
    indirect case failure(RequestError)
  }

  /// The entity or the error.
  public var outcome: Outcome
  /// Whether the entity is new. False after a 304 response: the entity is then the previous one
  /// (NM-01).
  public var isNew: Bool

  /// Makes a response, for a custom request or a transformer.
  public init(_ outcome: Outcome, isNew: Bool = true) {
    self.outcome = outcome
    self.isNew = isNew
  }

  /// Makes a successful response.
  public static func success(_ entity: Entity, isNew: Bool = true) -> Response {
    Response(.success(entity), isNew: isNew)
  }

  /// Makes a failed response.
  public static func failure(_ error: RequestError) -> Response {
    Response(.failure(error))
  }

  /// The entity; nil after failure.
  public var entity: Entity? {
    if case .success(let entity) = outcome { return entity }
    return nil
  }

  /// The error; nil after success.
  public var error: RequestError? {
    if case .failure(let error) = outcome { return error }
    return nil
  }

  /// Whether the request succeeded.
  public var isSuccess: Bool { error == nil }
}

/// A `NetworkResult` that is passed to its receiver. This is an object, because a `NetworkResult`
/// is expensive to copy.
package final class ArrivedResult: Sendable {
  package let response: HTTPResponse?
  package let body: [UInt8]?
  let error: TransportError?
  let requestError: RequestError?

  package init(response: HTTPResponse, body: [UInt8]) {
    self.response = response
    self.body = body
    error = nil
    requestError = nil
  }

  package init(_ result: NetworkResult) {
    response = result.response
    body = result.body
    error = result.error
    requestError = result.requestError
  }

  /// Returns the result with the Content-Type replaced according to the `responseType` of the
  /// options. Without a `responseType`, returns the result unchanged.
  package func read(by options: TransferOptions?) -> ArrivedResult {
    guard let type = options?.responseType, var response else { return self }
    type.apply(to: &response.headers)
    var result = result
    result.response = response
    return ArrivedResult(result)
  }

  package var result: NetworkResult {
    var result = NetworkResult(response: response, body: body, error: error)
    result.requestError = requestError
    return result
  }
}

/// The names of HTTP statuses, for messages to the user. (ERR-05)
package enum StatusPhrase {
  /// The name of a status: its IANA reason phrase in sentence case, or a phrase for its class if
  /// the status is not registered.
  package static func text(for status: Int) -> String {
    if let phrase = registered(status) { return phrase }
    return status >= 500 && status < 600 ? "Server error" : "Request failed"
  }

  /// The phrase of a registered status, from the IANA registry of 2025; nil for other statuses. 306
  /// and 418 are reserved and have no phrase.
  private static func registered(_ status: Int) -> String? {
    switch status {
    case 100: "Continue"
    case 101: "Switching protocols"
    case 102: "Processing"
    case 103: "Early hints"
    case 104: "Upload resumption supported"

    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 203: "Non-authoritative information"
    case 204: "No content"
    case 205: "Reset content"
    case 206: "Partial content"
    case 207: "Multi-status"
    case 208: "Already reported"
    case 226: "IM used"

    case 300: "Multiple choices"
    case 301: "Moved permanently"
    case 302: "Found"
    case 303: "See other"
    case 304: "Not modified"
    case 305: "Use proxy"
    case 307: "Temporary redirect"
    case 308: "Permanent redirect"

    case 400: "Bad request"
    case 401: "Unauthorized"
    case 402: "Payment required"
    case 403: "Forbidden"
    case 404: "Not found"
    case 405: "Method not allowed"
    case 406: "Not acceptable"
    case 407: "Proxy authentication required"
    case 408: "Request timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length required"
    case 412: "Precondition failed"
    case 413: "Content too large"
    case 414: "URI too long"
    case 415: "Unsupported media type"
    case 416: "Range not satisfiable"
    case 417: "Expectation failed"
    case 421: "Misdirected request"
    case 422: "Unprocessable content"
    case 423: "Locked"
    case 424: "Failed dependency"
    case 425: "Too early"
    case 426: "Upgrade required"
    case 428: "Precondition required"
    case 429: "Too many requests"
    case 431: "Request header fields too large"
    case 451: "Unavailable for legal reasons"

    case 500: "Internal server error"
    case 501: "Not implemented"
    case 502: "Bad gateway"
    case 503: "Service unavailable"
    case 504: "Gateway timeout"
    case 505: "HTTP version not supported"
    case 506: "Variant also negotiates"
    case 507: "Insufficient storage"
    case 508: "Loop detected"
    case 510: "Not extended"
    case 511: "Network authentication required"

    default: nil
    }
  }
}

extension Response {
  /// Whether the request failed because it was cancelled. It doesn't matter who cancelled it.
  /// (CXL-01)
  public var isCancellation: Bool {
    if case .requestCancelled = error?.cause { return true }
    return false
  }
}

extension Response: CustomStringConvertible {
  /// The response in one line, with credentials masked.
  public var description: String {
    switch outcome {
    case .success(let entity):
      "success with \(isNew ? "new" : "the same") data, \(entity.description)"
    case .failure(let error): "failure, \(error.description)"
    }
  }
}
