import LullCore

extension CurlText {
  /// How curl is told what a request asks of the network; passwords are masked.
  ///
  /// A jar without a file has nothing to send at the first request, and curl follows redirects to other
  /// origins whether that is allowed or not.
  static func networkArguments(_ http: HTTPRequest) -> [String] {
    guard let options = http.options else { return [] }
    let connection = options.connection
    var arguments: [String] = []
    func add(_ name: String, _ value: String?) {
      if let value { arguments.append("\(name) \(quoted(value))") }
    }
    if case .follow(let limit) = options.redirects, limit != 10 { add("--max-redirs", "\(limit)") }
    add("--cacert", connection.certificateAuthorities)
    if !connection.verifiesServer { arguments.append("--insecure") }
    add("--cert", connection.clientCertificate)
    add("--key", connection.clientKey)
    switch connection.proxy {
    case .environment: break
    case .none: add("--noproxy", "*")
    case .url(let url):
      add("--proxy", Masking.url(url))
      if connection.hostsWithoutProxy == nil { add("--noproxy", "") }
    }
    if connection.proxy != .none { add("--noproxy", connection.hostsWithoutProxy) }
    for (key, value) in connection.addresses.sorted(by: { $0.key < $1.key }) {
      guard let from = HostAndPort(key), var to = HostAndPort(value) else { continue }
      to.port = to.port ?? from.port
      add("--connect-to", "\(from.description):\(to.description)")
    }
    switch connection.httpVersion {
    case nil: break
    case .http1: arguments.append("--http1.1")
    case .http2:
      arguments.append(
        http.url.hasPrefix("https:") ? "--http2" : "--http2-prior-knowledge")
    case .http3: arguments.append("--http3")
    }
    add("--cookie", options.cookies?.file)
    add("--cookie-jar", options.cookies?.file)
    return arguments
  }
}
