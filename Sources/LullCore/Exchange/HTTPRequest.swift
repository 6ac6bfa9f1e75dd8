/// The request as it goes on the wire: what mutations see and a provider sends.
///
/// A value whose fields are shared until one is changed: each is handed on several times, and mostly not
/// changed at all.
public struct HTTPRequest: Sendable, Equatable {
  private var fields: Fields

  // Unchecked: changed only by the one value that refers to it.
  private final class Fields: @unchecked Sendable {
    var method: RequestMethod
    var url: String
    var headers: RequestHeaders
    var payload: RequestPayload?
    var limits: TransferLimits
    var secrets: SecretUses?
    var options: TransferOptions?
    var environment: String?

    init(
      _ method: RequestMethod, _ url: String, _ headers: RequestHeaders, _ payload: RequestPayload?,
      _ limits: TransferLimits, _ secrets: SecretUses?, _ options: TransferOptions?,
      _ environment: String? = nil
    ) {
      self.method = method
      self.url = url
      self.headers = headers
      self.payload = payload
      self.limits = limits
      self.secrets = secrets
      self.options = options
      self.environment = environment
    }
  }

  /// One as a mutation or a network of one's own may make it; `method` goes out as it is written.
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
      fields.options, fields.environment)
  }

  /// Upper case, such as `GET`.
  public var method: RequestMethod {
    get { fields.method }
    set {
      unshare()
      fields.method = newValue
    }
  }

  /// The absolute URL, already percent-encoded.
  public var url: String {
    get { fields.url }
    set {
      unshare()
      fields.url = newValue
    }
  }

  // Changed in place, as the payload: by a setter, each change would copy all of them.
  /// What is sent besides the headers of the transport, such as `Host` and `Content-Length`.
  public var headers: RequestHeaders {
    get { fields.headers }
    _modify {
      unshare()
      yield &fields.headers
    }
  }

  /// What follows the head: bytes, or what is read while it is sent. nil: no body at all.
  public var payload: RequestPayload? {
    get { fields.payload }
    _modify {
      unshare()
      yield &fields.payload
    }
  }

  /// The bounds of time, size and connections it is sent within.
  public var limits: TransferLimits {
    get { fields.limits }
    set {
      unshare()
      fields.limits = newValue
    }
  }

  /// Of a request that sends secrets: what its URL and body mean, and where it may go.
  public var secrets: SecretUses? {
    get { fields.secrets }
    set {
      unshare()
      fields.secrets = newValue
    }
  }

  /// nil when nothing was set.
  public var options: TransferOptions? {
    get { fields.options }
    set {
      unshare()
      fields.options = newValue
    }
  }

  /// The environment of an API file that its service is for, which recordings keep apart; nil: none. (ENV-18)
  package var environment: String? {
    get { fields.environment }
    set {
      guard newValue != fields.environment else { return }
      unshare()
      fields.environment = newValue
    }
  }

  public static func == (one: HTTPRequest, other: HTTPRequest) -> Bool {
    one.fields === other.fields
      || one.method == other.method && one.url == other.url && one.headers == other.headers
        && one.payload == other.payload && one.limits == other.limits
        && one.secrets == other.secrets
        && one.options == other.options && one.environment == other.environment
  }

  /// The body where it is bytes; empty: a body of zero bytes. nil for none, and for one that is read
  /// while it is sent, which setting this puts away.
  public var body: [UInt8]? {
    get { if case .bytes(let bytes)? = payload { bytes } else { nil } }
    set { payload = newValue.map { .bytes($0) } }
  }

  /// Sends what is read meanwhile; from files it may take as long as it moves.
  package mutating func stream(_ body: StreamedBody) {
    payload = .streamed(body)
    if body.hasFiles { boundBySilence() }
  }

  /// Makes a file of the answer's body, which may take as long as it moves.
  package mutating func receive(into download: Download) {
    var options = options ?? TransferOptions()
    options.download = download
    self.options = options
    boundBySilence()
  }
}

/// The bounds of one exchange. Times are seconds, sizes are bytes. (CFG-01)
public struct TransferLimits: Sendable, Equatable {
  /// The whole exchange, redirects included, from the moment it leaves the waiting queue.
  public var timeout: Double = 60
  /// Until there is a connection, TLS included. Fails with `timeout`.
  public var connectTimeout: Double = 10
  /// Counted after decoding, so that a compressed bomb is caught too.
  public var maxBodySize: Int = 100 * 1024 * 1024
  /// What is more waits for one of these to be free, in the order of arrival.
  public var connectionsPerHost: Int = 32

  /// The bounds that hold where nothing is configured.
  public init() {}
}

/// A method of HTTP, checked and in upper case: `.get`, `"REPORT"`. (DYN-01, RFC 9110, 9.1)
///
/// A text that is known only when the program runs goes through `init(rawValue:)`. A literal that is no method
/// makes one that is not valid: configuring something for it is a programming error, and ends the program; a
/// request with it fails. Any thread. Lua: a string.
///
///     api.configure(requestMethods: [.put, "REPORT"]) { $0.limits.timeout = 300 }
///     guard let method = RequestMethod(rawValue: typed) else { return }
///
/// Behaviours: MTH-01 to MTH-03.
public struct RequestMethod:
  RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CaseIterable,
  CustomStringConvertible
{
  /// In upper case, as it is sent.
  public let rawValue: String

  /// The method of that name, in any letter case; nil unless the text is a token, as RFC 9110 has it:
  /// letters, digits and some signs, at least one of them, and no blanks.
  public init?(rawValue: String) {
    guard Headers.isName(rawValue) else { return nil }
    self.rawValue = RequestMethod.upperCase(rawValue)
  }

  public init(stringLiteral literal: String) {
    rawValue = RequestMethod.upperCase(literal)
  }

  /// False of literals that are no tokens, such as an empty one.
  public var isValid: Bool { Headers.isName(rawValue) }

  private static func upperCase(_ token: String) -> String {
    let isLower = { (byte: UInt8) in byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
    return token.utf8.contains(where: isLower) ? token.uppercased() : token
  }

  /// As it is sent.
  public var description: String { rawValue }

  /// What the server allows there.
  public static let options: RequestMethod = "OPTIONS"
  /// What loads use.
  public static let get: RequestMethod = "GET"
  /// As `get`, for the headers alone.
  public static let head: RequestMethod = "HEAD"
  /// Has no effect that is known beforehand: policies do not repeat it unless told to.
  public static let post: RequestMethod = "POST"
  /// Puts something in the place of what is there.
  public static let put: RequestMethod = "PUT"
  /// Changes a part of what is there.
  public static let patch: RequestMethod = "PATCH"
  /// Takes away what is there.
  public static let delete: RequestMethod = "DELETE"

  /// Whether it changes nothing at the server: by RFC 9110, 9.2.1, and the registry of methods. A method
  /// that is not listed there may change something.
  package var isSafe: Bool { RequestMethod.safe.contains(self) }

  private static let safe: Set<RequestMethod> = [
    "GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH", "QUERY",
  ]

  /// Those that have a name here, and a configuration of their own; any other has that of GET, and what names it
  /// besides. (CFG-16)
  public static let allCases: [RequestMethod] = [options, get, head, post, put, patch, delete]

  /// Whether what is set for these methods counts for its requests. (CFG-07, CFG-16)
  package func isConfigured(by methods: Set<RequestMethod>) -> Bool {
    methods.contains(self)
      || methods.contains(.get) && !RequestMethod.allCases.contains(self)
  }
}

extension HTTPRequest: CustomStringConvertible {
  /// Method, URL, headers and the size of the body, without what looks like a credential.
  public var description: String {
    var text = "\(method) \(LogText.url(url))"
    if !headers.isEmpty { text += ", \(headers)" }
    if let payload { text += ", \(payload.byteCount) bytes" }
    return text
  }
}

/// One time a request was sent, or was about to be. Lua: an element of `request.attempts`.
public struct RequestAttempt: Sendable, Equatable {
  /// How an attempt ended.
  public enum Outcome: Sendable, Equatable {
    /// There was an answer, with this status.
    case status(Int)
    /// The kind of the error, a word of `TransportError.Kind`.
    case failure(TransportError.Kind)
  }

  /// Counted from 1.
  public let number: Int
  /// When it was sent; Unix epoch seconds.
  public let started: Double
  /// Seconds it waited before that: for its turn, for credentials, or between attempts.
  public let delay: Double
  /// Seconds from sending to the answer; nil while it is under way.
  public internal(set) var elapsed: Double?
  /// nil while it is under way.
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
  /// nil for a result with neither response nor error.
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
