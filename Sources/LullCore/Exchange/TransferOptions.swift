/// What an exchange asks of the network beyond the limits every exchange has.
///
/// A value whose fields are shared until one is changed: a reference that is nil, in
/// `HTTPRequest.options`, is all an ordinary request carries. Times are seconds. (CFG-01)
@dynamicMemberLookup
public struct TransferOptions: Sendable, Equatable {
  /// What the options are made of, each reached as a property of the options themselves.
  public struct Fields: Sendable, Equatable {
    /// How a connection is made and whom it trusts.
    public var connection = ConnectionOptions()
    /// Where cookies are kept; nil: they are neither kept nor sent.
    public var cookies: CookieJar?
    /// What becomes of answers that point elsewhere.
    public var redirects = RedirectRule.follow(atMost: 10)
    /// From the moment the request has gone out to the first byte of the answer; nil: as long as the
    /// whole exchange may take.
    public var firstByteTimeout: Double?
    /// How long nothing may be sent or received once there is a connection; nil: as above, infinite:
    /// for ever, also where a body is read while it is sent.
    public var idleTimeout: Double?
    /// Whether a body over TLS that ends with its connection is accepted if the server did not announce
    /// that end by a close_notify alert. Without the alert the body may have been cut on the way; by
    /// default the request then fails with `truncatedBody`. (RFC 9112, 9.8)
    public var allowsTruncatedBodies = false
    /// What the body is read as, whatever its Content-Type says; nil: as that says. Lua: `response_type`.
    public var responseType: ResponseType?
    /// Whether the response says how long its parts took.
    public var recordsTimings = false
    /// Sees what goes over the wire; nil: nobody does.
    package var wire: WireObserver?
    /// Hears when a request has gone out that counts against a limit; nil: it counts against none.
    package var sending: SendingReport?
    /// Holds the body back until it may be sent; nil: it may be.
    package var gate: SendGate?
    /// Where the body goes instead of into memory; nil: nowhere else.
    package var sink: BodySink?
    /// The file that the body of a success becomes; nil: none. Its requests name a sink in each attempt.
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

  /// Nothing beyond what every exchange has.
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

/// How a connection is made and whom it trusts; connections are shared only between exchanges that
/// agree in these.
public struct ConnectionOptions: Sendable, Equatable {
  /// A PEM file of certificates to trust, instead of the system's.
  public var certificateAuthorities: String?
  /// False: whoever answers is believed to be the host. For tests only.
  public var verifiesServer = true
  /// A PEM file with the certificate to show to servers that ask for one.
  public var clientCertificate: String?
  /// A PEM file with its key; nil: it stands in the certificate's file.
  public var clientKey: String?
  /// Which proxy requests go by, if any.
  public var proxy = ProxyRule.environment
  /// Hosts that are asked directly, as `no_proxy` of the environment has them; nil: as that says.
  public var hostsWithoutProxy: String?
  /// Where to connect to instead, by `host:port`: an address or name, perhaps with a port of its own.
  public var addresses: [String: String] = [:]
  /// A socket of this machine, by its path, through which the service's own origin is asked, whatever host
  /// its URL names; nil: the network. (SOCK-01)
  public var unixSocket: String?
  /// What the system takes for one, in bytes.
  package static let longestSocketPath = 107
  /// nil: HTTP/2 where the server offers it by TLS, else 1.1.
  public var httpVersion: HTTPVersion?

  /// What the system and its environment say.
  public init() {}
}

/// Whether requests go by a proxy.
public enum ProxyRule: Sendable, Equatable {
  /// As `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say. Whether there is a proxy at all is
  /// found out once, when a network makes its first request.
  case environment
  /// Whatever the environment says.
  case none
  /// An `http`, `https`, `socks4`, `socks4a`, `socks5` or `socks5h` URL.
  case url(String)
}

/// The newest version of HTTP to speak.
public enum HTTPVersion: String, Sendable, CaseIterable {
  /// By TLS too.
  case http1 = "1.1"
  /// Without TLS too, where the server must know it then.
  case http2 = "2"
  /// An error if the library cannot speak it.
  case http3 = "3"
}

/// What becomes of answers that point elsewhere.
public enum RedirectRule: Sendable, Equatable {
  /// Fails with `tooManyRedirects` when there are more. A 303, and a 301 or 302 after a POST, is
  /// followed with GET.
  case follow(atMost: Int)
  /// Fails when one leads to another scheme, host or port; ten at most.
  case followWithinOrigin
  /// The redirect itself is the answer, with its body.
  case answer
}

/// What bounds an exchange that is as long as its body: one from a file or into one, or a stream.
///
/// It may take as long as it moves, and ends when nothing is sent or received any more: for as long as
/// `idle_timeout` says, where false or 0 is for ever; else for 60 seconds, or for the timeout of before where
/// that is longer, so that nobody who is patient with whole answers is less so with these. A timeout that is
/// meant for the very call is set afterwards. (BODY-06, DWN-14)
package struct SilenceBound: Equatable {
  /// Of the whole exchange, seconds.
  package let timeout = Double.infinity
  /// Of silence, seconds; infinite for none.
  package let idleTimeout: Double

  /// Seconds.
  package static let usual = 60.0

  /// - Parameters:
  ///   - timeout: what would bound the exchange if its body were kept in memory.
  ///   - idleTimeout: nil if nobody has set any, infinite for none.
  package init(insteadOf timeout: Double, idleTimeout: Double?) {
    self.idleTimeout = idleTimeout ?? max(SilenceBound.usual, timeout)
  }
}

extension HTTPRequest {
  /// From now on silence bounds the exchange, and no timeout. Again, it does nothing.
  package mutating func boundBySilence() {
    var options = options ?? TransferOptions()
    let bound = SilenceBound(insteadOf: limits.timeout, idleTimeout: options.idleTimeout)
    options.idleTimeout = bound.idleTimeout
    limits.timeout = bound.timeout
    self.options = options
  }
}
