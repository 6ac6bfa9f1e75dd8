/// The options of an exchange, except its limits.
///
/// This is a value type. Copies share their fields until one copy is changed. For a request without
/// options, `HTTPRequest.options` is nil and takes no further memory. Times are in seconds.
/// (CFG-01)
@dynamicMemberLookup
public struct TransferOptions: Sendable, Equatable {
  /// The options, each available as a property of `TransferOptions`.
  public struct Fields: Sendable, Equatable {
    /// How connections are made, and which servers are trusted.
    public var connection = ConnectionOptions()
    /// The cookie jar. If nil, cookies are neither stored nor sent.
    public var cookies: CookieJar?
    /// The rule for redirects.
    public var redirects = RedirectRule.follow(atMost: 10)
    /// The longest time between the end of sending the request and the first byte of the response.
    /// If nil, only the timeout of the whole exchange applies.
    public var firstByteTimeout: Double?
    /// The longest time without sending or receiving bytes on an established connection. If nil,
    /// only the timeout of the whole exchange applies. If infinite, there is no such limit, even if
    /// the body is streamed.
    public var idleTimeout: Double?
    /// Whether to accept a body over TLS if its end is only the end of the connection, without a
    /// close_notify alert. Without the alert, the body may have been truncated. By default, the
    /// request fails with `truncatedBody`. (RFC 9112, 9.8)
    public var allowsTruncatedBodies = false
    /// The type as which the body is parsed, regardless of its Content-Type. If nil, the
    /// Content-Type decides. Lua: `response_type`.
    public var responseType: ResponseType?
    /// Whether the durations of the exchange's phases are recorded in the response.
    public var recordsTimings = false
    /// The observer of the bytes on the wire; nil if there is none.
    package var wire: WireObserver?
    /// The report by which the transport notifies a rate limit that the request is sent; nil if
    /// there is no rate limit.
    package var sending: SendingReport?
    /// The gate that holds back the body until sending is allowed; nil if there is none.
    package var gate: SendGate?
    /// The sink that receives the response body in chunks. If nil, the body is collected in memory.
    package var sink: BodySink?
    /// The file in which the body of a successful response is saved; nil if there is none. The
    /// download sets `sink` for each attempt.
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

  /// Reads or changes a field by its name: `options.redirects = .answer`.
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

/// How connections are made, and which servers are trusted. Two exchanges share a connection only
/// if these options are equal.
public struct ConnectionOptions: Sendable, Equatable {
  /// A PEM file with the certificate authorities to trust instead of the system's.
  public var certificateAuthorities: String?
  /// Whether to verify the server's TLS certificate. Set to false for tests only.
  public var verifiesServer = true
  /// A PEM file with the client certificate, for servers that request a client certificate.
  public var clientCertificate: String?
  /// A PEM file with the private key of the client certificate. If nil, the key is in the file of
  /// the certificate.
  public var clientKey: String?
  /// The rule that chooses a proxy for requests.
  public var proxy = ProxyRule.environment
  /// Hosts that are contacted without a proxy, in the format of the environment variable
  /// `no_proxy`. If nil, that variable is used.
  public var hostsWithoutProxy: String?
  /// Alternative addresses to connect to, by `host:port` of the URL. A value is an address or a
  /// host name, optionally with a port.
  public var addresses: [String: String] = [:]
  /// The path of a Unix socket through which requests to the service's origin are sent, regardless
  /// of the host in the URL. If nil, they are sent through the network. (SOCK-01)
  public var unixSocket: String?
  /// The longest path of a Unix socket that the system accepts, in bytes.
  package static let longestSocketPath = 107
  /// The newest HTTP version to use. If nil, HTTP/2 is used if the server offers it over TLS, and
  /// HTTP/1.1 otherwise.
  public var httpVersion: HTTPVersion?

  /// Makes the default options, which are the settings of the system and the environment.
  public init() {}
}

/// The rule that chooses a proxy for requests.
public enum ProxyRule: Sendable, Equatable {
  /// Uses the environment variables `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`. They
  /// are read once, when a networking provider makes its first request.
  case environment
  /// Uses no proxy and ignores the environment.
  case none
  /// Uses the proxy with this URL, whose scheme is `http`, `https`, `socks4`, `socks4a`, `socks5`
  /// or `socks5h`.
  case url(String)
}

/// The newest HTTP version to use.
public enum HTTPVersion: String, Sendable, CaseIterable {
  /// HTTP/1.1, even over TLS.
  case http1 = "1.1"
  /// HTTP/2, with or without TLS. Without TLS, the server must support HTTP/2 without negotiation.
  case http2 = "2"
  /// HTTP/3. If the network library doesn't support HTTP/3, requests fail.
  case http3 = "3"
}

/// The rule for handling redirects.
public enum RedirectRule: Sendable, Equatable {
  /// Follows at most this many redirects. If there are more, the request fails with
  /// `tooManyRedirects`. GET is used to follow a 303, and a 301 or 302 in response to POST.
  case follow(atMost: Int)
  /// Follows at most ten redirects. If a redirect leads to another origin (scheme, host or port),
  /// the request fails.
  case followWithinOrigin
  /// Returns the redirect itself as the response, with its body.
  case answer
}

/// The timeouts of an exchange whose duration depends on the size of its body: an upload, a
/// download or a stream.
///
/// The exchange may take any time as long as bytes are transferred. It fails if nothing is sent or
/// received for `idle_timeout`, where false or 0 means no limit. The default is 60 s, or the
/// timeout that was set before if that is longer, so that a long timeout isn't shortened. To set a
/// timeout for a single exchange of this kind, set it afterwards. (BODY-06, DWN-14)
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
  ///   - timeout: The timeout that would apply if the body were kept in memory.
  ///   - idleTimeout: The idle timeout that was set; nil if none was set, and infinite for no
  ///     limit.
  package init(insteadOf timeout: Double, idleTimeout: Double?) {
    self.idleTimeout = idleTimeout ?? max(SilenceBound.usual, timeout)
  }
}

extension HTTPRequest {
  /// Replaces the timeout of the exchange with an idle timeout. Calling this function again does
  /// nothing.
  package mutating func boundBySilence() {
    var options = options ?? TransferOptions()
    let bound = SilenceBound(insteadOf: limits.timeout, idleTimeout: options.idleTimeout)
    options.idleTimeout = bound.idleTimeout
    limits.timeout = bound.timeout
    self.options = options
  }
}
