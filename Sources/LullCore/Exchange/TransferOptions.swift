/// The options of an exchange besides its limits.
///
/// This is a value type. Copies share their fields until one is changed. A request without options
/// has only a nil reference in `HTTPRequest.options`. Times are in seconds. (CFG-01)
@dynamicMemberLookup
public struct TransferOptions: Sendable, Equatable {
  /// The options, each available as a property of `TransferOptions`.
  public struct Fields: Sendable, Equatable {
    /// How connections are made, and which servers are trusted.
    public var connection = ConnectionOptions()
    /// The cookie jar; nil: cookies are neither stored nor sent.
    public var cookies: CookieJar?
    /// How redirects are handled.
    public var redirects = RedirectRule.follow(atMost: 10)
    /// The limit from the end of sending the request to the first byte of the response; nil: only
    /// the timeout of the whole exchange applies.
    public var firstByteTimeout: Double?
    /// The longest time without sending or receiving bytes once there is a connection. nil: only
    /// the timeout of the whole exchange applies. Infinite: no limit, even where the body is
    /// streamed.
    public var idleTimeout: Double?
    /// Whether to accept a body over TLS that ends with the connection but without a close_notify
    /// alert. Without the alert the body may have been truncated; by default the request fails with
    /// `truncatedBody`. (RFC 9112, 9.8)
    public var allowsTruncatedBodies = false
    /// The type as which the body is parsed, whatever its Content-Type is; nil: the Content-Type
    /// decides. Lua: `response_type`.
    public var responseType: ResponseType?
    /// Whether the response includes timings of its phases.
    public var recordsTimings = false
    /// Observes the bytes on the wire; nil: no observer.
    package var wire: WireObserver?
    /// Is notified when a request that counts against a limit is sent; nil: there is no limit.
    package var sending: SendingReport?
    /// Holds the body back until it may be sent; nil: it may be sent.
    package var gate: SendGate?
    /// Receives the body piece by piece, instead of collecting it in memory; nil: no sink.
    package var sink: BodySink?
    /// The file in which the body of a successful response is saved; nil: none. The download sets
    /// `sink` for each attempt.
    package var download: Download?
  }

  private final class Storage: Sendable {
    let fields: Fields

    init(_ fields: Fields) {
      self.fields = fields
    }
  }

  private static let initial = Storage(Fields())
  private var storage = TransferOptions.initial

  /// The default options.
  public init() {}

  /// A field by its name: `options.redirects = .answer`.
  public subscript<Value>(dynamicMember field: WritableKeyPath<Fields, Value>) -> Value {
    get { storage.fields[keyPath: field] }
    set {
      var fields = storage.fields
      fields[keyPath: field] = newValue
      storage = Storage(fields)
    }
  }

  public static func == (one: TransferOptions, other: TransferOptions) -> Bool {
    one.storage === other.storage || one.storage.fields == other.storage.fields
  }
}

/// How a connection is made and which servers are trusted. Exchanges share connections only if they
/// agree in these options.
public struct ConnectionOptions: Sendable, Equatable {
  /// A PEM file with certificates to trust instead of the system's.
  public var certificateAuthorities: String?
  /// Whether to verify the server's TLS certificate. Set to false for tests only.
  public var verifiesServer = true
  /// A PEM file with the client certificate, for servers that request one.
  public var clientCertificate: String?
  /// A PEM file with the key of the client certificate; nil: the certificate's file contains it.
  public var clientKey: String?
  /// The proxy for requests, if any.
  public var proxy = ProxyRule.environment
  /// Hosts that are contacted without a proxy, in the format of the environment variable
  /// `no_proxy`; nil: uses that variable.
  public var hostsWithoutProxy: String?
  /// Alternative addresses, by `host:port`: an address or name to connect to, optionally with
  /// another port.
  public var addresses: [String: String] = [:]
  /// The path of a Unix socket through which the service's own origin is reached, whatever host its
  /// URL names; nil: the network. (SOCK-01)
  public var unixSocket: String?
  /// The longest path that the system accepts, in bytes.
  package static let longestSocketPath = 107
  /// The newest HTTP version to use; nil: HTTP/2 if the server offers it over TLS, else 1.1.
  public var httpVersion: HTTPVersion?

  /// Makes the default options: those of the system and its environment.
  public init() {}
}

/// The proxy for requests.
public enum ProxyRule: Sendable, Equatable {
  /// Uses `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. Whether there is a proxy is
  /// determined once, when a networking provider makes its first request.
  case environment
  /// Ignores the environment.
  case none
  /// The URL of an `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h` proxy.
  case url(String)
}

/// The newest HTTP version to use.
public enum HTTPVersion: String, Sendable, CaseIterable {
  /// HTTP/1.1, over TLS too.
  case http1 = "1.1"
  /// HTTP/2, with or without TLS. Without TLS, the server must support it.
  case http2 = "2"
  /// HTTP/3. Requests fail if the library doesn't support it.
  case http3 = "3"
}

/// How redirects are handled.
public enum RedirectRule: Sendable, Equatable {
  /// Follows at most this many redirects. If there are more, the request fails with
  /// `tooManyRedirects`. A 303, and a 301 or 302 after a POST, is followed with GET.
  case follow(atMost: Int)
  /// Follows at most ten redirects, and fails if a redirect leads to another scheme, host or port.
  case followWithinOrigin
  /// Returns the redirect itself as the response, with its body.
  case answer
}

/// The timeouts of an exchange that may take as long as its body: an upload, a download or a
/// stream.
///
/// The exchange may take any time as long as bytes move. It ends when nothing is sent or received
/// for `idle_timeout`, where false or 0 means no limit. By default, this is 60 s, or the timeout
/// that was set before if that is longer, so that a long timeout isn't shortened. To set a timeout
/// for one such call, set it afterwards. (BODY-06, DWN-14)
package struct SilenceBound: Equatable {
  /// The timeout of the whole exchange, in seconds.
  package let timeout = Double.infinity
  /// The longest time without data, in seconds; infinite for no limit.
  package let idleTimeout: Double

  /// The default for `idleTimeout`, in seconds.
  package static let usual = 60.0

  /// Makes the timeouts.
  ///
  /// - Parameters:
  ///   - timeout: The timeout for an exchange whose body is kept in memory.
  ///   - idleTimeout: The idle timeout; nil if none is set, and infinite for no limit.
  package init(insteadOf timeout: Double, idleTimeout: Double?) {
    self.idleTimeout = idleTimeout ?? max(SilenceBound.usual, timeout)
  }
}

extension HTTPRequest {
  /// Replaces the timeout of the exchange by an idle timeout. Calling it again does nothing.
  package mutating func boundBySilence() {
    var options = options ?? TransferOptions()
    let bound = SilenceBound(insteadOf: limits.timeout, idleTimeout: options.idleTimeout)
    options.idleTimeout = bound.idleTimeout
    limits.timeout = bound.timeout
    self.options = options
  }
}
