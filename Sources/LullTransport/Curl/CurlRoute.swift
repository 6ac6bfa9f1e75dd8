import CCurl
import LullCore
import LullLibC
import LullSystem

/// What makes a curl handle different from an ordinary one; handles are used again for exchanges that
/// agree in it.
final class CurlRoute: Equatable {
  let connection: ConnectionOptions
  let cookies: CookieJar?
  /// HTTP/2 without TLS, which the server has to know of.
  let hasPriorKnowledge: Bool

  /// What tells its connections apart where curl (7.88) does not: a proxy that is told a user and a
  /// password when a connection through it is made, since others may use that connection who have told
  /// none or another; the key of a client certificate, of which curl compares the certificate only.
  /// nil: nothing.
  let nameOfConnections: String?

  /// nil if an ordinary handle will do.
  init?(_ options: TransferOptions, to origin: Origin) {
    connection = options.connection
    // Others are not to see what is kept for one.
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
    // A URL has no line break in it.
    nameOfConnections = name.isEmpty ? nil : name.joined(separator: "\n")
    if cookies == nil && connection == ConnectionOptions() { return nil }
  }

  static func == (one: CurlRoute, other: CurlRoute) -> Bool {
    one.hasPriorKnowledge == other.hasPriorKnowledge && one.cookies == other.cookies
      && one.connection == other.connection
  }

  /// Fails if a file that it names cannot be read, or if this libcurl cannot do it.
  func check() throws(TransportError) {
    if let problem = socketProblem { throw TransportError.final(.connection, problem) }
    let files = [
      ("ca_file", connection.certificateAuthorities),
      ("client_cert", connection.clientCertificate), ("client_key", connection.clientKey),
    ]
    for case (let name, let file?) in files where access(file, R_OK) != 0 {
      // A message of the C library, copied at once.
      let reason = ErrorText.of(errno).lowercased()
      throw TransportError.final(.tls, "\(name): cannot read '\(file)' (\(reason))")
    }
    if case .url(let url) = connection.proxy, let problem = ProxyAddress.problem(with: url) {
      throw TransportError.final(
        .connection, "'\(LogText.url(url))' is not the URL of a proxy: \(problem)")
    }
    guard connection.httpVersion == .http3 else { return }
    // Static data of the library.
    let library = curl_version_info(CURLVERSION_FIRST)?.pointee
    guard let library, library.features & CURL_VERSION_HTTP3 != 0 else {
      let version = library?.version.map { " " + String(cString: $0) } ?? ""
      throw TransportError.final(
        .network, "HTTP/3 (http_version) is not spoken by this system's libcurl\(version)")
    }
  }

  /// Why nothing can be sent through the socket that it names; nil if it can, or names none.
  private var socketProblem: String? {
    guard let path = connection.unixSocket else { return nil }
    let most = ConnectionOptions.longestSocketPath
    guard (1...most).contains(path.utf8.count), !path.utf8.contains(0) else {
      return
        "unix_socket: a path has \(most) bytes at most, '\(LogText.part(path, limit: 120))' has "
        + "\(path.utf8.count)"
    }
    if case .url = connection.proxy {
      return
        "a request goes through unix_socket or through proxy, not both: set one of them to false"
    }
    guard connection.addresses.isEmpty else {
      return "a request goes through unix_socket or as resolve says, not both: set one to false"
    }
    return nil
  }

  /// Where an exchange with `origin` connects to by its own options, instead of there.
  static func address(for origin: Origin, in connection: ConnectionOptions) -> HostAndPort? {
    guard !connection.addresses.isEmpty else { return nil }
    // In order, since several spellings may name one host; one dot at the end makes no difference.
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

/// The variables of the environment that name proxies, as curl reads them: at every request, unless it is
/// told that there are none.
enum ProxyVariables {
  /// Not HTTP_PROXY, which a gateway makes of a request's header.
  private static let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

  /// Whether one of them says anything now.
  static var isAnySet: Bool {
    names.contains { value(of: $0) != nil }
  }

  /// Whether one of them names hosts that are asked directly.
  static var hasExceptions: Bool { value(of: "no_proxy") != nil || value(of: "NO_PROXY") != nil }

  /// The proxy that is named for this server; nil if none is, or in no form that Lull reads.
  static func address(for origin: Origin) -> ProxyAddress? {
    let own = origin.isTLS ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    for name in own + ["all_proxy", "ALL_PROXY"] {
      guard let url = value(of: name) else { continue }
      return ProxyAddress(url.contains("://") ? url : "http://" + url)
    }
    return nil
  }

  /// nil if it is empty: it counts as not set.
  private static func value(of name: String) -> String? {
    // Copied at once; the environment is changed by nobody in this process.
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }
}
