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
