import CCurl
import LullCore

/// Decides whether a failure concerns the server or the proxy.
extension CurlErrorMapping {
  /// The proxy of the exchange, and its progress.
  struct ProxyPath {
    enum Stage {
      /// The proxy handles the request itself: no tunnel is needed.
      case plain
      /// The tunnel was not established.
      case opening
      /// The tunnel was established. The connection may have been closed by the proxy or by the
      /// server.
      case tunnel
    }

    let address: ProxyAddress
    let stage: Stage
  }

  /// The proxy of the exchange; nil without a proxy, or if it is not known whether the
  /// environment's proxy was used.
  var path: ProxyPath? {
    let connection = options?.connection ?? ConnectionOptions()
    guard connection.unixSocket == nil else { return nil }
    let found: ProxyAddress?
    var mayBeDirect = connection.hostsWithoutProxy != nil
    switch connection.proxy {
    case .none: return nil
    case .url(let url): found = ProxyAddress(url)
    case .environment:
      found = ProxyVariables.address(for: origin)
      mayBeDirect = mayBeDirect || ProxyVariables.hasExceptions
    }
    guard let found else { return nil }
    if connectedPort == 0 {
      if mayBeDirect { return nil }
    } else {
      // curl (7.88) does not report whether it used the proxy. The port of the connection shows it,
      // unless the proxy and the server have the same port.
      guard connectedPort == found.port else { return nil }
      let port = CurlRoute.address(for: origin, in: connection)?.port
      let direct = port.map { "\($0)" } ?? origin.port
      if mayBeDirect && proxyStatus == 0 && direct == "\(found.port)" { return nil }
    }
    return ProxyPath(address: found, stage: stage(by: found))
  }

  private func stage(by proxy: ProxyAddress) -> ProxyPath.Stage {
    // A failure of SOCKS has its own error code.
    if !proxy.scheme.hasPrefix("http") { return .tunnel }
    if !origin.isTLS && address == nil { return .plain }
    return wasConnected || (200..<300).contains(proxyStatus) ? .tunnel : .opening
  }

  /// The proxy for messages, with its name if known, without user and password.
  var proxy: String {
    if let path { return "the proxy \(path.address.host.description)" }
    if case .url(let url) = options?.connection.proxy, let address = ProxyAddress(url) {
      return "the proxy \(address.host.description)"
    }
    let words = detail.split(separator: " ")
    if detail.hasPrefix("Could not resolve "), words.count == 5 { return "the proxy \(words[4])" }
    if detail.hasPrefix("Failed to connect to "), words.count > 6, words[5] == "port" {
      return "the proxy \(words[4]):\(words[6])"
    }
    return "the proxy"
  }

  /// The other end of the connection, for messages: the server, the proxy, or the server through
  /// the proxy.
  var peer: String {
    let host = origin.hostAndPort
    return switch path?.stage {
    case nil: host
    case .plain, .opening: "\(proxy) for \(host)"
    case .tunnel: "\(host) through \(proxy)"
    }
  }

  /// The sender of the response, for messages.
  var sender: String { path?.stage == .plain ? peer : origin.hostAndPort }

  var isOpeningTunnel: Bool { path?.stage == .opening }

  /// The message for a connection that ended before any part of the response.
  var noAnswer: String {
    let host = origin.hostAndPort
    return switch path?.stage {
    case nil: "the server closed the connection without a response (\(host))"
    case .plain, .opening: "\(proxy) closed the connection without a response (for \(host))"
    case .tunnel: "the connection to \(peer) was closed without a response"
    }
  }

  var proxyRefusal: TransportError {
    let host = origin.hostAndPort
    guard proxyStatus != 407 else {
      return TransportError(
        .connection,
        "\(proxy) does not connect to \(host): it requires a user and password (407), "
          + "which can be part of the proxy's URL")
    }
    let answer = proxyStatus >= 300 ? " (it responded with \(proxyStatus))" : reason
    return TransportError(.connection, "\(proxy) does not connect to \(host)\(answer)")
  }

  /// Whether the host that could not be resolved is the proxy. With SOCKS, curl (7.88) has the same
  /// error code for the proxy and the server.
  var isProxyUnresolved: Bool {
    let start = "Could not resolve host: "
    guard let path, !path.address.scheme.hasPrefix("http"), detail.hasPrefix(start) else {
      return false
    }
    return detail.dropFirst(start.count) == path.address.host.urlHost
  }

  /// Whether the TLS connection to the proxy failed.
  var isProxyTLS: Bool { path?.address.scheme == "https" && path?.stage != .tunnel }

  func tlsFailure(_ code: CURLcode) -> TransportError {
    let isCut = code == CURLE_SSL_CONNECT_ERROR && isCutHandshake
    // Unless the TLS connection to the proxy failed, a certificate is that of the server, whatever
    // tunnel was used.
    let isOfConnection = isProxyTLS || code == CURLE_SSL_CONNECT_ERROR
    let start = "no secure connection to \(isOfConnection ? peer : origin.hostAndPort)"
    if isCut {
      return TransportError(
        .connection, "\(start): the connection was lost during the TLS handshake")
    }
    return TransportError(.tls, "\(start)\(reason)\(trustAdvice)")
  }
}
