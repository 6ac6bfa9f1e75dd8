/// The request as it goes on the wire: what mutations see and a provider sends.
public struct HTTPRequest: Sendable, Equatable {
  /// Upper case, such as `GET`.
  public var method: String
  /// The absolute URL, already percent-encoded.
  public var url: String
  public var headers: Headers
  /// What follows the head: bytes, or what is read while it is sent. nil: no body at all.
  public var payload: RequestPayload?
  public var limits: TransferLimits
  /// Of a request that sends secrets: what its URL and body mean, and where it may go.
  public var secrets: SecretUses?
  /// nil when nothing was set.
  public var options: TransferOptions?

  public init(
    method: String, url: String, headers: Headers = Headers(), body: [UInt8]? = nil,
    limits: TransferLimits = TransferLimits(), options: TransferOptions? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    payload = body.map { .bytes($0) }
    self.limits = limits
    self.options = options
  }

  /// The body where it is bytes; empty: a body of zero bytes. nil for none, and for one that is read
  /// while it is sent, which setting this puts away.
  public var body: [UInt8]? {
    get { if case .bytes(let bytes)? = payload { bytes } else { nil } }
    set { payload = newValue.map { .bytes($0) } }
  }

  /// Sends what is read meanwhile. From files it may take as long as it moves: silence bounds it, that of
  /// `idleTimeout`, else of 60 s or the timeout of before, whichever is longer.
  package mutating func stream(_ body: StreamedBody) {
    payload = .streamed(body)
    guard body.hasFiles else { return }
    var options = options ?? TransferOptions()
    if options.idleTimeout == nil { options.idleTimeout = max(60, limits.timeout) }
    limits.timeout = .infinity
    self.options = options
  }
}

/// The bounds of one exchange. Times are seconds, sizes are bytes. (CFG-01)
public struct TransferLimits: Sendable, Equatable {
  /// The whole exchange, redirects included, from the moment it leaves the waiting queue.
  public var timeout: Double = 60
  public var connectTimeout: Double = 10
  /// Counted after decoding, so that a compressed bomb is caught too.
  public var maxBodySize: Int = 100 * 1024 * 1024
  public var connectionsPerHost: Int = 32

  public init() {}
}
