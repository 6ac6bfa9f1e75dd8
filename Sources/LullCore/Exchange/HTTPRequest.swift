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
    var headers: Headers
    var payload: RequestPayload?
    var limits: TransferLimits
    var secrets: SecretUses?
    var options: TransferOptions?
    var environment: String?

    init(
      _ method: RequestMethod, _ url: String, _ headers: Headers, _ payload: RequestPayload?,
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
    method: RequestMethod, url: String, headers: Headers = Headers(), body: [UInt8]? = nil,
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
  public var headers: Headers {
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
