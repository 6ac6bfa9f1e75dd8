import LullCore

extension CurlText {
  /// How curl is told what a request asks of the network; passwords are masked.
  ///
  /// A jar without a file has nothing to send at the first request. What curl has no option for is in
  /// `omissions`.
  static func networkArguments(_ http: HTTPRequest) -> [String] {
    var arguments: [String] = []
    func add(_ name: String, _ value: String?) {
      if let value { arguments.append("\(name) \(quoted(value))") }
    }
    let initial = TransferLimits()
    // Without one curl has none.
    if http.limits.timeout != initial.timeout, http.limits.timeout.isFinite {
      add("--max-time", seconds(http.limits.timeout))
    }
    if http.limits.connectTimeout != initial.connectTimeout {
      add("--connect-timeout", seconds(http.limits.connectTimeout))
    }
    guard let options = http.options else { return arguments }
    let connection = options.connection
    if let idle = options.idleTimeout, idle.isFinite {
      // Slower than a byte a second; in whole seconds.
      add("--speed-limit", "1")
      add("--speed-time", "\(Int(min(max(1, idle.rounded(.up)), 1e9)))")
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
      add("--proxy-user", Masking.user(of: url))
      if connection.hostsWithoutProxy == nil { add("--noproxy", "") }
    }
    if connection.proxy != .none { add("--noproxy", connection.hostsWithoutProxy) }
    for (key, value) in connection.addresses.sorted(by: { $0.key < $1.key }) {
      guard let from = HostAndPort(key), var to = HostAndPort(value) else { continue }
      to.port = to.port ?? from.port
      add("--connect-to", "\(from.description):\(to.description)")
    }
    add("--unix-socket", connection.unixSocket)
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

  /// What is asked of the network that curl cannot be told, a sentence each.
  static func omissions(_ http: HTTPRequest, _ auth: Auth?) -> [String] {
    var sentences: [String] = []
    if let auth, auth.stage != nil, auth.login == nil, http.headers["authorization"] == nil {
      sentences.append("curl cannot be told how to get the token that Lull would send")
    }
    if case .streamed(let body)? = http.payload, case .form(let form) = body.source {
      for part in form.parts where !canTell(part) {
        sentences.append(
          "curl cannot be told the part '\(LogText.part(part.name))' of the form as it is")
      }
    }
    guard let options = http.options else { return sentences }
    if options.cookies?.keeper != nil {
      sentences.append("curl is not told of the cookies of a session")
    }
    if options.redirects == .followWithinOrigin {
      sentences.append(
        "curl follows redirects to other origins too, which redirects = \"same_origin\" does not")
    }
    if let seconds = options.firstByteTimeout {
      sentences.append(
        "curl has no option for first_byte_timeout = \(CurlText.seconds(seconds))")
    }
    return sentences
  }

  /// Whether it has no name that curl would take apart, and a value that can stand in a command line.
  private static func canTell(_ part: MultipartForm.Part) -> Bool {
    guard !part.name.contains("=") else { return false }
    guard case .bytes(let bytes) = part.value else { return true }
    return !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
  }

  /// As curl reads it; what is too long to count is no limit for it either.
  private static func seconds(_ seconds: Double) -> String {
    guard seconds < 2_000_000 else { return "0" }
    let whole = seconds.rounded()
    return seconds == whole ? "\(Int(whole))" : "\((seconds * 1000).rounded(.up) / 1000)"
  }
}

extension HTTPRequest {
  /// Whether its body is a form that curl makes itself, with a boundary of its own.
  var isForm: Bool {
    guard case .streamed(let body)? = payload, case .form = body.source else { return false }
    return headers["content-type"]?.hasPrefix("multipart/form-data; boundary=lull-") ?? false
  }
}
