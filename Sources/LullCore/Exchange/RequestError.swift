import LullSystem

/// The failure of a request: a sentence for the user, and the details.
///
/// Errors are part of a resource's state, and are arguments of hooks. The API does not throw them.
/// `cause` is the underlying error; an HTTP error status has no cause (ERR-10). The timestamp is
/// set when the error is created, and determines `retryTime` (ERR-14).
public struct RequestError: Error, Sendable, CustomStringConvertible {
  /// A sentence for the user, without codes. (ERR-02) Lua: `err.user_message`.
  public var userMessage: String
  /// The status of the response; nil without a response. Lua: `err.http_status`.
  public var httpStatusCode: Int?
  /// The body of the error response, as far as the pipeline has transformed it; nil without a body.
  public var entity: Entity?
  /// The underlying error; nil if the failure is only an HTTP error status. Lua: `err.cause`.
  public var cause: RequestError.Cause?
  /// The time at which the error was created, in seconds since 1970. Lua: `err.timestamp`.
  public let timestamp: Double
  /// The method of the request; nil for errors that the program makes.
  public package(set) var method: RequestMethod?
  /// The URL of the request as sent. It may contain credentials, which `description` masks.
  public package(set) var url: String?
  /// Whether the request was a POST request that was declared safe.
  var isSafe = false
  /// Whether this is the error of a response that also has data. (GQL-31)
  package private(set) var isPartial = false
  /// The number of the attempt that failed, starting at 1.
  package var attempt = 1
  /// The attempts to send the request, as recorded by policies.
  public package(set) var attempts: [RequestAttempt] = []
  /// The HTTP exchange that failed; nil if there was none.
  public var exchange: Exchange?

  /// Makes an error of the program, for example for `failedRequest` or a transformer.
  public init(
    userMessage: String, httpStatusCode: Int? = nil, entity: Entity? = nil,
    cause: RequestError.Cause? = nil, timestamp: Double
  ) {
    self.userMessage = userMessage
    self.httpStatusCode = httpStatusCode
    self.entity = entity
    self.cause = cause
    self.timestamp = timestamp
  }

  /// Makes an error from a response, or from the cause of a missing response. The message is the
  /// description of the cause. Without a cause, it is the status phrase; without a status, "Request
  /// failed". (ERR-02)
  package init(
    httpStatusCode: Int?, entity: Entity?, cause: RequestError.Cause?, timestamp: Double
  ) {
    let phrase = httpStatusCode.map { StatusPhrase.text(for: $0) }
    self.init(
      userMessage: cause?.userMessage ?? phrase ?? "Request failed",
      httpStatusCode: httpStatusCode, entity: entity, cause: cause, timestamp: timestamp)
  }

  package static func cancelled(at now: Double) -> RequestError {
    RequestError(httpStatusCode: nil, entity: nil, cause: .requestCancelled, timestamp: now)
  }

  /// Returns this error with the timestamp `now`, so that its age counts from `now`. (ERR-14)
  package func dated(_ now: Double) -> RequestError {
    var error = RequestError(
      userMessage: userMessage, httpStatusCode: httpStatusCode, entity: entity, cause: cause,
      timestamp: now)
    error.method = method
    error.url = url
    error.isSafe = isSafe
    error.isPartial = isPartial
    error.attempt = attempt
    error.attempts = attempts
    error.exchange = exchange
    return error
  }

  /// This error as the error of a response that also has data, without its body.
  var ofPartialData: RequestError {
    var error = self
    error.entity = nil
    error.isPartial = true
    return error
  }

  /// Whether the server has refused the request and offers Digest authentication. (RFC 7616)
  package var asksForDigest: Bool {
    guard httpStatusCode == 401, let entity else { return false }
    return entity.headers.values("www-authenticate").contains { value in
      value.split(separator: ",").contains { challenge in
        challenge.trimmingBlanks.lowercased().hasPrefix("digest ")
      }
    }
  }
}

extension RequestError {
  /// The statuses with which servers respond to a method that they don't support.
  static let statusesOfUnknownMethods: Set<Int> = [405, 501]

  static let adviceForQueries =
    "if the server accepts the query by POST, set query_method to \"POST\" (Swift: queryMethod)"
}

extension RequestError {
  /// The underlying error. Each case has a kind, which is a snake_case word for scripts. (ERR-09)
  public enum Cause: Sendable {
    /// The resource has no valid URL. `source` is the text that was given as the URL.
    case invalidURL(source: String?)
    /// A text contains a character that its charset can't represent. (REQ-09)
    case unencodableText(encoding: String, text: ByteString)
    /// A value can't be represented in JSON. `path` is the JSON Pointer of the value. (REQ-13)
    case invalidJSONObject(path: String)
    /// A name or value of a form can't be URL-encoded. (REQ-19)
    case notURLEncodable(string: ByteString)
    /// The request was cancelled.
    case requestCancelled
    /// The server responded with 304, but there is no local data. (NM-02)
    case noLocalDataFor304
    /// The response names an unknown charset.
    case invalidTextEncoding(name: ByteString)
    /// The body is not valid in the charset that the response names.
    case undecodableText(encoding: String)
    /// A transformer received another type of content than it accepts. (TRF-09)
    case wrongInputTypeInTransformerPipeline(expected: String, actual: String, transformer: String)
    /// A transformer returned nil.
    case transformerReturnedNil(transformer: String)
    /// The body is not valid JSON. `offset` is the position of the problem in the body, in bytes;
    /// nil if unknown.
    case malformedJSON(message: String, offset: Int? = nil)
    /// The content doesn't have the type that a program expects. `path` is the coding path of the
    /// value with the wrong type, such as `users[3].name`, or empty for the whole content.
    /// `message` contains the expected and the actual value.
    case wrongContent(type: String, path: String, message: String)
    /// A response violates its schema. `schema` describes the object for which the schema was set.
    /// `errors` lists at most 20 violations, in the order of the content.
    case validation(schema: String, errors: [ContentMisfit])
    /// A GraphQL response has errors: at most 100, in the order of the response. If the response also
    /// has data, the error is the `partialError` of its entity. (GQL-30, GQL-31)
    case graphQL([GraphQLError])
    /// A setting of the program is invalid, or a header is not allowed by HTTP. Nothing was sent.
    /// `name` is the Swift name of the setting, such as `limits.timeout`. (SWF-56)
    case invalidSetting(name: String, message: String)
    /// A chain has continued with too many further requests.
    case chainTooLong(message: String)
    /// The transport failed, so that no usable response arrived.
    case transport(TransportError)
    /// A function of a script has raised an error.
    case script(ScriptErrorCause)
    /// An error of the program, for example an error thrown by a transformer. If `error` is the
    /// `RequestError` of another request, `kind` is the kind of that error's cause.
    case custom(any Error & Sendable)

    /// The kind of the cause, as in Lua: `err.cause.kind`.
    public var kind: String {
      switch self {
      case .invalidURL: "invalid_url"
      case .unencodableText: "unencodable_text"
      case .invalidJSONObject: "invalid_json_object"
      case .notURLEncodable: "not_url_encodable"
      case .requestCancelled: "request_cancelled"
      case .noLocalDataFor304: "no_local_data_for_304"
      case .invalidTextEncoding: "invalid_text_encoding"
      case .undecodableText: "undecodable_text"
      case .wrongInputTypeInTransformerPipeline: "wrong_input_type_in_transformer_pipeline"
      case .transformerReturnedNil: "transformer_returned_nil"
      case .malformedJSON: "malformed_json"
      case .wrongContent: "wrong_content"
      case .validation: "validation"
      case .graphQL: "graphql"
      case .invalidSetting: "invalid_setting"
      case .chainTooLong: "chain_too_long"
      case .transport(let error): error.kind.rawValue
      case .script: "script_error"
      case .custom(let error as RequestError): error.cause?.kind ?? "custom"
      case .custom: "custom"
      }
    }

    /// The default sentence for the user, for this cause. (ERR-06)
    package var userMessage: String {
      switch self {
      case .invalidURL: "Cannot send request with invalid URL"
      case .unencodableText, .invalidJSONObject, .notURLEncodable: "Cannot send request"
      case .requestCancelled: "Request cancelled"
      case .noLocalDataFor304: "No data available"
      case .chainTooLong(let message), .invalidSetting(_, let message): message
      case .invalidTextEncoding, .undecodableText, .wrongInputTypeInTransformerPipeline,
        .transformerReturnedNil, .malformedJSON, .wrongContent:
        "Cannot parse server response"
      case .validation: "Server response does not match its schema"
      case .graphQL(let errors): GraphQLError.summary(errors)
      case .transport(let error): error.message
      case .script(let script): script.userMessage
      case .custom(let error): String(describing: error)
      }
    }

    /// A description of the cause, more precise than the sentence for the user.
    public var message: String {
      switch self {
      case .invalidURL(let source?):
        "'\(CredentialMask.malformedURL(source))' is not a URL"
          + (ResourceURL.hostProblem(in: source).map { ": \($0)" } ?? "")
      case .invalidURL(nil): "there is no URL"
      case .unencodableText(let encoding, let text):
        text.text == nil
          ? "the text is not valid UTF-8: '\(LogText.part(text.description))'"
          : "the text cannot be represented in \(encoding)"
      case .invalidJSONObject(let path): path
      case .notURLEncodable(let string):
        "a name or value is not valid UTF-8: '\(LogText.part(string.description))'"
      case .requestCancelled: "the request was cancelled"
      case .noLocalDataFor304: "the server responded with 304, but there is no local data"
      case .invalidTextEncoding(let name): "there is no charset named '\(name)'"
      case .undecodableText(let encoding): "the body is not valid \(encoding)"
      case .wrongInputTypeInTransformerPipeline(let expected, let actual, let transformer):
        "\(transformer) expected \(expected), got \(actual)"
      case .transformerReturnedNil(let transformer): "\(transformer) returned nil"
      case .malformedJSON(let message, let offset):
        offset.map { "\(message) (at byte \($0 + 1))" } ?? message
      case .wrongContent(let type, let path, let message):
        "cannot decode \(type): " + (path.isEmpty ? message : "\(path): \(message)")
      case .validation(let schema, let errors):
        "schema of \(schema): " + (errors.first.map { "\($0)" } ?? "it does not match")
          + (errors.count > 1 ? "; and \(errors.count - 1) more" : "")
      case .graphQL(let errors): GraphQLError.summary(errors)
      case .chainTooLong(let message), .invalidSetting(_, let message): message
      case .transport(let error): error.message
      case .script(let script): script.message
      case .custom(let error as RequestError): error.userMessage
      case .custom(let error): String(describing: error)
      }
    }

    /// The properties of the cause by name, except kind and message.
    package var payload: [(name: String, value: ByteString)] {
      switch self {
      case .unencodableText(let encoding, let text):
        [("encoding", ByteString(encoding)), ("text", text)]
      case .notURLEncodable(let string): [("string", string)]
      case .invalidTextEncoding(let name): [("name", name)]
      default: texts.map { ($0.name, ByteString($0.text)) }
      }
    }

    /// The value that a script has raised; nil for other causes.
    package var raisedValue: RaisedValue? {
      switch self {
      case .script(let script): script.value
      case .transport(let error): error.value
      default: nil
      }
    }

    private var texts: [(name: String, text: String)] {
      switch self {
      case .invalidURL(let source): source.map { [("source", $0)] } ?? []
      case .invalidJSONObject(let path): [("path", path)]
      case .invalidSetting(let name, _): [("setting", name)]
      case .undecodableText(let encoding): [("encoding", encoding)]
      case .wrongInputTypeInTransformerPipeline(let expected, let actual, let transformer):
        [("expected", expected), ("actual", actual), ("transformer", transformer)]
      case .transformerReturnedNil(let transformer): [("transformer", transformer)]
      case .wrongContent(let type, let path, _): [("type", type), ("path", path)]
      case .validation(let schema, _): [("schema", schema)]
      case .script(let script):
        [("traceback", script.traceback)] + (script.stage.map { [("stage", $0)] } ?? [])
      case .transport(let error): error.traceback.map { [("traceback", $0)] } ?? []
      default: []
      }
    }
  }
}

/// An error that a script raised while the core needed a result.
public struct ScriptErrorCause: Sendable {
  /// The sentence for the user. It depends on where the error occurred.
  package var userMessage: String
  /// The raised value as text, with its position in the source.
  public var message: String
  /// The call stack where the error was raised.
  public var traceback: String
  /// The pipeline stage in which the transformer ran; nil if the error was not raised in a
  /// transformer.
  public var stage: String?
  /// The value that the script raised.
  package var value: RaisedValue?
  /// The Swift error that was raised, if a Swift function threw it into the script; otherwise nil.
  public var thrown: (any Error)?

  package init(
    userMessage: String, message: String, traceback: String, stage: String? = nil,
    value: RaisedValue? = nil, thrown: (any Error)? = nil
  ) {
    self.userMessage = userMessage
    self.message = message
    self.traceback = traceback
    self.stage = stage
    self.value = value
    self.thrown = thrown
  }
}

extension RequestError {
  /// Makes an error whose timestamp is the current time. Throw the error from a mutation, a
  /// decorator or a transformer, or return it with `failedRequest(returning:)`. (ERR-14)
  public init(
    userMessage: String, httpStatusCode: Int? = nil, entity: Entity? = nil,
    cause: RequestError.Cause? = nil
  ) {
    self.init(
      userMessage: userMessage, httpStatusCode: httpStatusCode, entity: entity, cause: cause,
      timestamp: SystemClock.now)
  }
}

extension RequestError {
  /// Whether a retry may succeed. This is the case if there was no response, or if its status
  /// suggests trying again later.
  package var mayPass: Bool {
    if let httpStatusCode {
      return [408, 425, 429].contains(httpStatusCode) || httpStatusCode >= 500
    }
    switch cause {
    case .requestCancelled: return true
    case .transport(let error) where error.isFinal: return false
    case .transport(let error):
      switch error.kind {
      case .network, .timeout, .dns, .connection, .truncatedBody, .cancelled: return true
      case .tls, .malformedResponse, .bodyTooLarge, .tooManyRedirects, .redirectRefused,
        .invalidURL, .scriptError, .secretOrigin, .secretUnavailable, .authFailed, .fileUnavailable,
        .fileChanged, .eventStream, .notAStream, .offline, .unconfirmed:
        return false
      }
    default: return false
    }
  }
}

extension RequestError {
  /// The error in one line, without credentials: the message with method, URL and status, then the
  /// details of the cause. (ERR-160) For example:
  ///
  ///     Cannot parse server response (GET https://api.test/a → 200): cannot decode User:
  ///     users[3].name: expected a string, found null
  ///
  /// Callable on any thread. Lua: `tostring(err)` is shorter and omits the cause.
  public var description: String {
    let summary = summary
    guard let cause else { return summary }
    switch cause {
    // The summary already contains these causes.
    case .invalidURL, .requestCancelled, .script: return summary
    default:
      let detail = LogText.part(CredentialMask.text(cause.message), limit: 1000)
      return summary.contains(detail) ? summary : "\(summary): \(detail)"
    }
  }

  /// The same text as `description`. (ERR-160)
  ///
  /// If the static type of a value is `any Error`, Swift uses Foundation's property of the same
  /// name instead of this one. To get this text there too, conform the type to Foundation's
  /// protocol `LocalizedError`, which needs no further code:
  ///
  ///     extension RequestError: @retroactive LocalizedError {}
  public var localizedDescription: String { description }

  /// The same text as `description`, for Foundation's `LocalizedError`. (ERR-160)
  public var errorDescription: String? { description }

  /// The message of the error with method, URL and status, without credentials:
  /// `Not found (GET https://api.test/a → 404)`.
  package var summary: String {
    var text = userMessage
    if case .invalidURL(let source?) = cause {
      let hint = ResourceURL.lacksScheme(source) ? ": it needs http:// or https:// before it" : ""
      return "\(text): '\(CredentialMask.malformedURL(source))'\(hint)"
    }
    var details = ""
    if let method, let url { details = "\(method) \(LogText.url(url))" }
    if let httpStatusCode {
      details += details.isEmpty ? "status \(httpStatusCode)" : " → \(httpStatusCode)"
    }
    if attempts.count > 1 {
      details += (details.isEmpty ? "" : ", ") + "after \(attempts.count) attempts"
    }
    if !details.isEmpty { text += " (\(details))" }
    if case .script(let script) = cause { text += ": \(script.message)" }
    return text
  }
}

extension RequestError.Cause {
  /// Makes the cause for content that couldn't be decoded as `type`. `error` is the decoding error.
  package init(decoding type: any Any.Type, _ error: any Error) {
    let context: DecodingError.Context
    switch error {
    case let error as DecodingError:
      switch error {
      case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
        .dataCorrupted(let found):
        context = found
      @unknown default:
        self = .custom(error)
        return
      }
    default:
      self = .custom(error)
      return
    }
    self = .wrongContent(
      type: String(describing: type), path: CodingPathText.text(context.codingPath),
      message: context.debugDescription)
  }
}

/// A value that a script has raised. Booleans, numbers and strings are stored directly. Any other
/// value is stored as the number of the stored value.
package enum RaisedValue: Sendable, Hashable {
  case boolean(Bool)
  case integer(Int64)
  case number(Double)
  /// A string, which need not be valid UTF-8.
  case string(ByteString)
  case foreign(ForeignContent)

  package var foreign: ForeignContent? {
    if case .foreign(let foreign) = self { foreign } else { nil }
  }

  package var isString: Bool {
    if case .string = self { true } else { false }
  }
}

/// A violation of a schema at one position of the content. Lua: an element of `err.cause.errors`.
public struct ContentMisfit: Sendable, Hashable, CustomStringConvertible {
  /// A JSON Pointer, such as `/items/3/price`; empty for the whole content.
  public let pointer: String
  /// The violated keyword of the schema, such as `type`.
  public let keyword: String
  /// What was expected and found, such as `must be a number, got "12"`.
  public let message: String

  package init(pointer: String, keyword: String, message: String) {
    self.pointer = pointer
    self.keyword = keyword
    self.message = message
  }

  /// The pointer and the message, such as `/items/3/price: must be a number, got "12"`.
  public var description: String { "\(pointer.isEmpty ? "the content" : pointer): \(message)" }
}

extension Entity {
  /// The error of a response that also has data: the parts of the data that the server could not
  /// provide. nil for a complete response. (GQL-31) Lua: `entity.partial_error`.
  ///
  /// Only GraphQL responses can have both. If the content is replaced, the error is kept.
  public internal(set) var partialError: RequestError? {
    get { partialErrors.first as? RequestError }
    set { partialErrors = newValue.map { [$0] } ?? [] }
  }
}

extension GraphQLError {
  /// The first error, and the number of the others.
  fileprivate static func summary(_ errors: [GraphQLError]) -> String {
    guard let first = errors.first else { return "GraphQL request failed" }
    let text = LogText.part(first.description, limit: 500)
    let atLeast = errors.count == limit ? "at least " : ""
    return errors.count == 1 ? text : "\(text), and \(atLeast)\(errors.count - 1) more"
  }
}
