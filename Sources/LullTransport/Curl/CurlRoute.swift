import CCurl
import LullCore
import LullLibC
import LullSystem

/// The permanent settings of a curl handle that differ from the settings of an ordinary handle. A
/// handle is reused for exchanges with the same route.
final class CurlRoute: Equatable {
  let connection: ConnectionOptions
  let cookies: CookieJar?
  /// Whether HTTP/2 is used without TLS, by prior knowledge.
  let hasPriorKnowledge: Bool

  /// Names the connections that must be separate because curl (7.88) would share them wrongly. nil
  /// if there is nothing to separate. There are two kinds:
  /// - connections through a proxy that authenticates a user per connection,
  /// - connections with different client keys, because curl compares only the certificate.
  let nameOfConnections: String?

  /// Returns nil if an ordinary handle is sufficient.
  init?(_ options: TransferOptions, to origin: Origin) {
    connection = options.connection
    // Cookies that are stored for one origin must not be visible to others.
    cookies = options.cookies.flatMap { jar in
      jar.keeper == nil || jar.keeper?.origin == origin.text ? jar : nil
    }
    hasPriorKnowledge = connection.httpVersion == .http2 && !origin.isTLS
    var name: [String] = []
    if case .url(let url) = connection.proxy, url.utf8.contains(UInt8(ascii: "@")) {
      name.append("proxy \(url)")
    }
    if connection.clientCertificate != nil, let key = connection.clientKey {
      name.append("key \(key)")
    }
    // A URL contains no line break, so the name is unambiguous.
    nameOfConnections = name.isEmpty ? nil : name.joined(separator: "\n")
    if cookies == nil && connection == ConnectionOptions() { return nil }
  }

  static func == (one: CurlRoute, other: CurlRoute) -> Bool {
    one.hasPriorKnowledge == other.hasPriorKnowledge && one.cookies == other.cookies
      && one.connection == other.connection
  }

  /// Throws if a file of the route cannot be read, or if this libcurl does not support the route.
  func check() throws(TransportError) {
    if let problem = socketProblem { throw TransportError.final(.connection, problem) }
    let files = [
      ("ca_file", connection.certificateAuthorities),
      ("client_cert", connection.clientCertificate), ("client_key", connection.clientKey),
    ]
    for case (let name, let file?) in files where access(file, R_OK) != 0 {
      // A message from the C library, copied immediately.
      let reason = ErrorText.of(errno).lowercased()
      throw TransportError.final(.tls, "\(name): cannot read '\(file)' (\(reason))")
    }
    if case .url(let url) = connection.proxy, let problem = ProxyAddress.problem(with: url) {
      throw TransportError.final(
        .connection, "'\(LogText.url(url))' is not a proxy URL: \(problem)")
    }
    guard connection.httpVersion == .http3 else { return }
    // Static data of the library.
    let library = curl_version_info(CURLVERSION_FIRST)?.pointee
    guard let library, library.features & CURL_VERSION_HTTP3 != 0 else {
      let version = library?.version.map { " " + String(cString: $0) } ?? ""
      throw TransportError.final(
        .network, "this system's libcurl does not support HTTP/3 (http_version)\(version)")
    }
  }

  /// The reason why the route's Unix socket cannot be used; nil if it can be used, or if the route
  /// has no socket.
  private var socketProblem: String? {
    guard let path = connection.unixSocket else { return nil }
    let most = ConnectionOptions.longestSocketPath
    guard (1...most).contains(path.utf8.count), !path.utf8.contains(0) else {
      return
        "unix_socket: a path can have \(most) bytes, '\(LogText.part(path, limit: 120))' has "
        + "\(path.utf8.count)"
    }
    if case .url = connection.proxy {
      return
        "unix_socket and proxy cannot be combined: set one of them to false"
    }
    guard connection.addresses.isEmpty else {
      return "unix_socket and resolve cannot be combined: set one of them to false"
    }
    return nil
  }

  /// Returns the address to connect to instead of `origin`, from the exchange's own options; nil
  /// for none.
  static func address(for origin: Origin, in connection: ConnectionOptions) -> HostAndPort? {
    guard !connection.addresses.isEmpty else { return nil }
    // The entries are searched in a fixed order, because several spellings may name one host. A
    // final dot makes no difference.
    func plain(_ host: String) -> String { host.hasSuffix(".") ? String(host.dropLast()) : host }
    for (key, value) in connection.addresses.sorted(by: { $0.key < $1.key }) {
      guard let key = HostAndPort(key), plain(key.urlHost) == plain(origin.host),
        let address = HostAndPort(value), key.port.map({ String($0) == origin.port }) ?? true
      else { continue }
      return address
    }
    return nil
  }
}

/// The environment variables that name proxies. curl reads them at every request, unless Lull has
/// found none of them.
package enum ProxyVariables {
  /// The names of the variables. `HTTP_PROXY` is missing because a CGI gateway sets it from a
  /// request header.
  private static let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

  /// The names and values of the variables that are set, including `no_proxy` and `NO_PROXY`.
  package static var settings: [(name: String, value: String)] {
    (names + ["no_proxy", "NO_PROXY"]).compactMap { name in value(of: name).map { (name, $0) } }
  }

  /// Whether a variable with a proxy is set now.
  static var isAnySet: Bool {
    names.contains { value(of: $0) != nil }
  }

  /// Whether a variable (`no_proxy` or `NO_PROXY`) lists hosts that are reached without a proxy.
  static var hasExceptions: Bool { value(of: "no_proxy") != nil || value(of: "NO_PROXY") != nil }

  /// The environment's proxy for this server; nil for none, or for an unsupported form.
  static func address(for origin: Origin) -> ProxyAddress? {
    let own = origin.isTLS ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    for name in own + ["all_proxy", "ALL_PROXY"] {
      guard let url = value(of: name) else { continue }
      return ProxyAddress(url.contains("://") ? url : "http://" + url)
    }
    return nil
  }

  /// Returns the value of a variable. Returns nil for an empty variable, which counts as not set.
  private static func value(of name: String) -> String? {
    // Copied immediately; this process does not change its environment.
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
