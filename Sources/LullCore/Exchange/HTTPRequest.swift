/// A request as sent on the wire. A mutation changes the request, and a provider sends it.
///
/// Copies share their fields until one of the copies is changed, because a request is copied
/// several times and rarely changed.
public struct HTTPRequest: Sendable, Equatable {
  private var fields: Fields

  // Unchecked: changed only while uniquely referenced.
  private final class Fields: @unchecked Sendable {
    var method: RequestMethod
    var url: String
    var headers: RequestHeaders
    var payload: RequestPayload?
    var limits: TransferLimits
    var secrets: SecretUses?
    var options: TransferOptions?
    var environment: String?
    var sendsQuery: Bool
    var persistedQueries: PersistedQueries?

    init(
      _ method: RequestMethod, _ url: String, _ headers: RequestHeaders, _ payload: RequestPayload?,
      _ limits: TransferLimits, _ secrets: SecretUses?, _ options: TransferOptions?,
      _ environment: String? = nil, sendsQuery: Bool = false,
      persistedQueries: PersistedQueries? = nil
    ) {
      self.method = method
      self.url = url
      self.headers = headers
      self.payload = payload
      self.limits = limits
      self.secrets = secrets
      self.options = options
      self.environment = environment
      self.sendsQuery = sendsQuery
      self.persistedQueries = persistedQueries
    }
  }

  /// Makes a request, for a mutation or custom networking. `method` is sent unchanged.
  public init(
    method: RequestMethod, url: String, headers: RequestHeaders = RequestHeaders(),
    body: [UInt8]? = nil,
    limits: TransferLimits = TransferLimits(), options: TransferOptions? = nil
  ) {
    fields = Fields(method, url, headers, body.map { .bytes($0) }, limits, nil, options)
  }

  private mutating func unshare() {
    guard !isKnownUniquelyReferenced(&fields) else { return }
    fields = Fields(
      fields.method, fields.url, fields.headers, fields.payload, fields.limits, fields.secrets,
      fields.options, fields.environment, sendsQuery: fields.sendsQuery,
      persistedQueries: fields.persistedQueries)
  }

  /// The method, in upper case, such as `GET`.
  public var method: RequestMethod {
    get { fields.method }
    set {
      unshare()
      fields.method = newValue
    }
  }

  /// The absolute URL, percent-encoded.
  public var url: String {
    get { fields.url }
    set {
      unshare()
      fields.url = newValue
    }
  }

  // Headers and payload are modified in place. A setter would copy all headers on each change.
  /// The headers, without those that the transport adds, such as `Host` and `Content-Length`.
  public var headers: RequestHeaders {
    get { fields.headers }
    _modify {
      unshare()
      yield &fields.headers
    }
  }

  /// The body: bytes, or a stream that is read while it is sent. If nil, the request has no body.
  public var payload: RequestPayload? {
    get { fields.payload }
    _modify {
      unshare()
      yield &fields.payload
    }
  }

  /// The limits on the time, the size and the connections of the exchange.
  public var limits: TransferLimits {
    get { fields.limits }
    set {
      unshare()
      fields.limits = newValue
    }
  }

  /// The secrets in the URL and body, and the origins to which they may be sent; nil without
  /// secrets.
  public var secrets: SecretUses? {
    get { fields.secrets }
    set {
      unshare()
      fields.secrets = newValue
    }
  }

  /// The options of the exchange besides its limits; nil if none were set.
  public var options: TransferOptions? {
    get { fields.options }
    set {
      unshare()
      fields.options = newValue
    }
  }

  /// The environment of the service's API file; nil without one. Recordings are separated by
  /// environment. (ENV-18)
  package var environment: String? {
    get { fields.environment }
    set {
      guard newValue != fields.environment else { return }
      unshare()
      fields.environment = newValue
    }
  }

  /// Whether the body of this request is the content of a query. Only for the methods QUERY and
  /// POST: if a mutation sets another method, this property is false. (QUERY-07)
  package var sendsQuery: Bool {
    get { fields.sendsQuery && (fields.method == .query || fields.method == .post) }
    set {
      guard newValue != fields.sendsQuery else { return }
      unshare()
      fields.sendsQuery = newValue
    }
  }

  /// The rule by which a GraphQL document is sent as a hash; nil if it is sent as text. (GQL-46)
  var persistedQueries: PersistedQueries? {
    get { fields.persistedQueries }
    set {
      unshare()
      fields.persistedQueries = newValue
    }
  }

  /// Whether this is a POST request that is declared to change nothing on the server. (QUERY-07)
  package var isDeclaredSafe: Bool { method == .post && sendsQuery }

  /// Whether the request changes nothing on the server, because its method is safe or because the
  /// request is declared safe.
  package var isSafe: Bool { method.isSafe || isDeclaredSafe }

  /// Whether sending the request twice has the same effect as sending it once.
  package var isIdempotent: Bool { method.isIdempotent || isDeclaredSafe }

  /// The method whose configuration applies to this request. A query has the configuration of QUERY
  /// even if it is sent by POST. (QUERY-08)
  var configuredMethod: RequestMethod { sendsQuery ? .query : method }

  public static func == (one: HTTPRequest, other: HTTPRequest) -> Bool {
    one.fields === other.fields
      || one.method == other.method && one.url == other.url && one.headers == other.headers
        && one.payload == other.payload && one.limits == other.limits
        && one.secrets == other.secrets
        && one.options == other.options && one.environment == other.environment
        && one.sendsQuery == other.sendsQuery
  }

  /// The body as bytes. An empty array is a body of zero bytes. nil means that there is no body, or
  /// that the body is streamed. Setting this property replaces a streamed body.
  public var body: [UInt8]? {
    get { if case .bytes(let bytes)? = payload { bytes } else { nil } }
    set { payload = newValue.map { .bytes($0) } }
  }

  /// Sets a streamed body. If the body contains files, the upload may take any time as long as
  /// bytes are sent.
  package mutating func stream(_ body: StreamedBody) {
    payload = .streamed(body)
    if body.hasFiles { boundBySilence() }
  }

  /// Saves the response body to a file. The download may take any time as long as bytes arrive.
  package mutating func receive(into download: Download) {
    var options = options ?? TransferOptions()
    options.download = download
    self.options = options
    boundBySilence()
  }
}

/// The limits of one exchange. Times are in seconds, and sizes are in bytes. (CFG-01)
public struct TransferLimits: Sendable, Equatable {
  /// The time limit for the whole exchange, including redirects. The time spent in the queue of
  /// waiting exchanges doesn't count.
  public var timeout: Double = 60
  /// The time limit for establishing a connection, including TLS. If it is exceeded, the request
  /// fails with `timeout`.
  public var connectTimeout: Double = 10
  /// The size of the largest accepted response body. The size is counted after decoding, so that
  /// decompression bombs are detected too.
  public var maxBodySize: Int = 100 * 1024 * 1024
  /// The largest number of connections to one host. Further exchanges wait for a free connection,
  /// in the order in which they started.
  public var connectionsPerHost: Int = 32

  /// Makes the default limits.
  public init() {}
}

/// An HTTP method, validated and in upper case: `.get`, `"REPORT"`. (DYN-01, RFC 9110, 9.1)
///
/// For a method that is known only at run time, use `init(rawValue:)`. A literal that is not a
/// valid method makes an invalid `RequestMethod`. Configuring settings for an invalid method is a
/// programming error that ends the program. A request with an invalid method fails. Usable on any
/// thread. Lua: a string.
///
///     api.configure(requestMethods: [.put, "REPORT"]) { $0.limits.timeout = 300 }
///     guard let method = RequestMethod(rawValue: typed) else { return }
///
/// Behaviours: MTH-01 to MTH-03.
public struct RequestMethod:
  RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CaseIterable,
  CustomStringConvertible
{
  /// The method in upper case, as sent.
  public let rawValue: String

  /// Makes a method from a name in any letter case. Returns nil unless the name is a token of RFC
  /// 9110: one or more letters, digits and certain symbols, without blanks.
  public init?(rawValue: String) {
    guard Headers.isName(rawValue) else { return nil }
    self.rawValue = RequestMethod.upperCase(rawValue)
  }

  public init(stringLiteral literal: String) {
    rawValue = RequestMethod.upperCase(literal)
  }

  /// Whether the method is a valid token. False for some literals, such as an empty string.
  public var isValid: Bool { Headers.isName(rawValue) }

  private static func upperCase(_ token: String) -> String {
    let isLower = { (byte: UInt8) in byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
    return token.utf8.contains(where: isLower) ? token.uppercased() : token
  }

  /// The method, as it is sent.
  public var description: String { rawValue }

  /// Requests the methods that the server allows for the URL.
  public static let options: RequestMethod = "OPTIONS"
  /// Requests the content of the resource. The method of loads, except the loads of a query.
  public static let get: RequestMethod = "GET"
  /// Like `get`, but with a body that describes the wanted content. The method of the loads of a
  /// query. (RFC 10008)
  public static let query: RequestMethod = "QUERY"
  /// Like `get`, but requests only the headers.
  public static let head: RequestMethod = "HEAD"
  /// Has an effect that depends on the server. POST requests are not retried unless the
  /// configuration says so.
  public static let post: RequestMethod = "POST"
  /// Replaces the resource at the URL.
  public static let put: RequestMethod = "PUT"
  /// Changes a part of the resource at the URL.
  public static let patch: RequestMethod = "PATCH"
  /// Deletes the resource at the URL.
  public static let delete: RequestMethod = "DELETE"

  /// Whether the method changes nothing on the server, according to RFC 9110, 9.2.1, and the IANA
  /// registry of methods. False for methods that aren't listed there, because they may change
  /// something.
  package var isSafe: Bool { RequestMethod.safe.contains(self) }

  private static let safe: Set<RequestMethod> = [
    "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY",
  ]

  /// Whether sending a request twice has the same effect as sending it once. This is true of safe
  /// methods, PUT and DELETE. (RFC 9110, 9.2.2)
  package var isIdempotent: Bool { isSafe || self == .put || self == .delete }

  /// The methods for which this type has a static property, except `query`. Each of them has its
  /// own configuration. Any other method uses the configuration of GET, and the entries that name
  /// the method. (CFG-16)
  public static let allCases: [RequestMethod] = [options, get, head, post, put, patch, delete]

  /// Whether a configuration for these methods applies to this method. (CFG-07, CFG-16)
  package func isConfigured(by methods: Set<RequestMethod>) -> Bool {
    methods.contains(self)
      || methods.contains(.get) && !RequestMethod.allCases.contains(self)
  }
}

extension HTTPRequest: CustomStringConvertible {
  /// The method, the URL, the headers and the size of the body, with credentials masked.
  public var description: String {
    var text = "\(method) \(LogText.url(url))"
    if !headers.isEmpty { text += ", \(headers)" }
    if let payload { text += ", \(payload.byteCount) bytes" }
    return text
  }
}

/// One attempt to send a request. Lua: an element of `request.attempts`.
public struct RequestAttempt: Sendable, Equatable {
  /// How an attempt ended.
  public enum Outcome: Sendable, Equatable {
    /// The attempt ended with a response with this status.
    case status(Int)
    /// The attempt ended with an error of this kind.
    case failure(TransportError.Kind)
  }

  /// The number of the attempt, starting at 1.
  public let number: Int
  /// The time at which the attempt was sent, in Unix epoch seconds.
  public let started: Double
  /// The seconds that the attempt waited before it was sent: for limits, for credentials, or
  /// between retries.
  public let delay: Double
  /// The seconds from sending to the response; nil while in progress.
  public internal(set) var elapsed: Double?
  /// How the attempt ended; nil while in progress.
  public internal(set) var outcome: Outcome?

  package init(
    number: Int, started: Double, delay: Double = 0, elapsed: Double? = nil,
    outcome: Outcome? = nil
  ) {
    self.number = number
    self.started = started
    self.delay = delay
    self.elapsed = elapsed
    self.outcome = outcome
  }
}

extension RequestAttempt {
  mutating func end(_ outcome: Outcome?, after elapsed: Double) {
    self.elapsed = max(0, elapsed)
    self.outcome = outcome
  }
}

extension RequestAttempt.Outcome {
  /// Makes the outcome of an attempt from its result. Returns nil if the result has neither a
  /// response nor an error.
  init?(_ result: NetworkResult) {
    if let error = result.error {
      self = .failure(error.kind)
    } else if let response = result.response {
      self = .status(response.status)
    } else {
      return nil
    }
  }

  package var text: String {
    switch self {
    case .status(let status): "\(status)"
    case .failure(let kind): kind.rawValue
    }
  }
}
