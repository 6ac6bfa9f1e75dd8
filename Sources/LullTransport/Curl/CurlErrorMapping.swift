import CCurl
import LullLibC
import LullCore
import LullSystem

/// Error codes with which a server resets an HTTP/2 stream. (RFC 9113, 7)
private enum StreamReset {
  static let noError = 0
  static let protocolError = 1
  static let refusedStream = 7
  static let cancel = 8
}

/// Converts curl's report of a failed exchange to an error message for the user.
struct CurlErrorMapping {
  let origin: Origin
  let limits: TransferLimits
  let options: TransferOptions?
  /// The duration of the whole exchange until the failure.
  let elapsed: Double
  let wasConnected: Bool
  /// Whether GOAWAY reported that the server has not processed the request.
  let wasLeftOut: Bool
  /// Whether the whole request body was sent.
  let hasSentAll: Bool
  /// Whether this hop is not the first attempt: it follows a redirect, or repeats the request.
  let isLaterHop: Bool
  let systemError: Int32
  /// OpenSSL's reason to reject a certificate; 0 for none.
  let verification: Int
  /// A proxy's response status to CONNECT; 0 for none.
  let proxyStatus: Int
  /// The port of curl's connection; 0 for none.
  let connectedPort: Int
  /// curl's own error text; may be empty.
  let detail: String
  let response: IncomingResponse

  func error(_ code: CURLcode) -> TransportError {
    var error = explanation(of: code)
    error.isUnsent =
      !isLaterHop && (!wasConnected || wasLeftOut || streamReset == StreamReset.refusedStream)
    return error
  }

  private func explanation(of code: CURLcode) -> TransportError {
    if let failure = response.failure { return error(failure) }
    let host = origin.hostAndPort
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST where isProxyUnresolved, CURLE_COULDNT_RESOLVE_PROXY:
      return TransportError(
        .dns, "cannot resolve \(proxy) for \(host)\(systemError == 0 ? "" : reason)")
    case CURLE_COULDNT_RESOLVE_HOST:
      return TransportError(
        .dns, "cannot resolve host '\(origin.host)'\(systemError == 0 ? "" : reason)")
    case CURLE_COULDNT_CONNECT where detail.hasPrefix("Unsupported proxy scheme"):
      return TransportError(
        .connection,
        "the proxy for \(host) cannot be used: its scheme is not one of "
          + "\(ProxyAddress.schemes.joined(separator: ", ")) (see http_proxy, https_proxy, all_proxy)"
      )
    case CURLE_COULDNT_CONNECT:
      let target =
        namesProxy || isOpeningTunnel
        ? "\(proxy) for \(host)" : (socket ?? address).map { "\(host) at \($0)" } ?? host
      return TransportError(.connection, "cannot connect to \(target)\(reason)")
    case CURLE_PROXY:
      return proxyRefusal
    case CURLE_GOT_NOTHING where !response.isHeadComplete,
      CURLE_PARTIAL_FILE where !response.isHeadComplete:
      return TransportError(
        .connection, "the connection to \(peer) ended in the middle of the response headers")
    // Over HTTP/2, curl (7.88) reports a missing response as a truncated one.
    case CURLE_GOT_NOTHING,
      CURLE_PARTIAL_FILE where response.status == 0:
      return TransportError(.connection, noAnswer)
    case CURLE_OPERATION_TIMEDOUT:
      return timeout
    case CURLE_PARTIAL_FILE:
      return truncated
    case CURLE_RECV_ERROR:
      // curl has one code for all failures while receiving; its text is more specific.
      if isOpeningTunnel { return proxyRefusal }
      if response.status == 0 && (proxyStatus >= 300 || detail.contains("CONNECT")) {
        return proxyRefusal
      }
      if detail.hasSuffix("chunked-encoding") || detail.hasPrefix("Too large") { return malformed }
      if response.status >= 200 && response.isHeadComplete { return truncated }
      if detail.contains("alert certificate required") { return certificateNeeded }
      return TransportError(.connection, "the connection to \(peer) was lost\(reason)")
    case CURLE_SEND_ERROR where isOpeningTunnel: return proxyRefusal
    case CURLE_SEND_ERROR:
      return TransportError(.connection, "the connection to \(peer) was lost\(reason)")
    case CURLE_URL_MALFORMAT:
      return TransportError(.invalidURL, "the URL for \(host) is not valid\(reason)")
    case CURLE_HTTP2 where wasLeftOut:
      return TransportError(
        .connection, "\(host) closed the HTTP/2 connection without processing the request (GOAWAY)")
    case CURLE_HTTP2_STREAM where isEarlyAnswerLost:
      return TransportError(
        .connection,
        "\(host) ended the HTTP/2 stream before it had received the whole request body, and this "
          + "libcurl lost any response; set http_version = \"1.1\" to see it\(reason)")
    case CURLE_HTTP2_STREAM
    where streamReset != nil && streamReset != StreamReset.protocolError:
      // Whatever the reset means, the response is incomplete.
      if response.status >= 200 && response.isHeadComplete { return truncated }
      return TransportError(.connection, "\(host) ended the request without a response\(reason)")
    case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_UNSUPPORTED_PROTOCOL,
      CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
      return malformed
    case CURLE_OUT_OF_MEMORY
    where wasConnected && (response.status == 0 || !response.isHeadComplete):
      // This is curl's code for a line that exceeds its limit.
      return error(.headTooLarge)
    case CURLE_SSL_CERTPROBLEM:
      let file = options?.connection.clientCertificate.map { " in '\($0)'" } ?? ""
      return TransportError(
        .tls, "the client certificate\(file) cannot be used\(reason) (client_cert)")
    case CURLE_FILESIZE_EXCEEDED:
      return error(.bodyTooLarge)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION,
      CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      return tlsFailure(code)
    // Invalid trailers may cause any code, so curl's text is checked.
    case _ where detail.hasPrefix("Failed reading the chunked"): return malformed
    default:
      return TransportError(.network, "the exchange with \(host) failed\(reason)")
    }
  }

  /// The code with which the server has reset the HTTP/2 stream, from curl's text; nil without one.
  private var streamReset: Int? {
    guard detail.contains("not closed cleanly"), let mark = detail.firstRange(of: "(err ") else {
      return nil
    }
    return Int(detail[mark.upperBound...].prefix { $0.isNumber })
  }

  /// Whether an early response of the server, such as 413, may have been lost. If a response and a
  /// stream reset arrive together, libcurl (7.88) drops the response.
  private var isEarlyAnswerLost: Bool {
    guard !hasSentAll, response.status == 0 else { return false }
    return detail.isEmpty || streamReset == StreamReset.cancel || streamReset == StreamReset.noError
  }

  /// Whether the connection ended before the TLS handshake was complete, although neither side has
  /// rejected anything.
  var isCutHandshake: Bool {
    ["SSL_ERROR_SYSCALL", "Connection reset by peer", "unexpected eof", "Broken pipe"]
      .contains { detail.contains($0) }
  }

  // MARK: Messages

  private func error(_ failure: IncomingResponse.Failure) -> TransportError {
    switch failure {
    case .bodyTooLarge:
      let size = CurlErrorMapping.size(limits.maxBodySize)
      return TransportError(
        .bodyTooLarge, "the response body is larger than the limit of \(size) (max_body_size)")
    case .bodyRefused:
      // The error is final, because a retry would fail in the same way.
      return TransportError.final(
        .network,
        "the response body of \(origin.hostAndPort) could not be written to its destination")
    case .eventStream: return .eventStream
    case .noMemory:
      return TransportError.final(
        .network, "the memory limit leaves no room for the response body of \(origin.hostAndPort)")
    case .headTooLarge:
      return TransportError(
        .malformedResponse,
        "the response headers of \(sender) are too large: more than 1 MB, or "
          + "100 KB in one line")
    case .badStatusLine:
      return TransportError(
        .malformedResponse,
        "\(sender) sent a response that is not valid HTTP (it has no status line)"
      )
    case .ambiguousLength:
      return TransportError(
        .malformedResponse, "\(origin.hostAndPort) sent two different Content-Length headers")
    case .badLength(let text):
      return TransportError(
        .malformedResponse,
        "\(origin.hostAndPort) sent an invalid Content-Length: '\(text)'")
    case .foldedFraming:
      return TransportError(
        .malformedResponse,
        "\(origin.hostAndPort) sent a Content-Length or Transfer-Encoding over several lines")
    case .transferCoding(let name):
      return TransportError(
        .malformedResponse,
        "\(origin.hostAndPort) sent an unrequested Transfer-Encoding: '\(name)'")
    case .tooManyCodings:
      return TransportError(
        .malformedResponse,
        "the body of \(origin.hostAndPort) has more than \(ContentCoding.maxCount) encodings "
          + "(Content-Encoding)")
    case .decoding(let failure):
      return error(failure)
    case .switchedProtocol:
      return TransportError(
        .malformedResponse,
        "\(origin.hostAndPort) sent an unrequested response of 101 (switching protocols)")
    case .noCloseNotice:
      return TransportError(
        .truncatedBody,
        "the connection to \(peer) ended without a TLS close_notify: the body may be "
          + "truncated (set allow_truncated = true to accept it)")
    case .notRepeated:
      return TransportError(
        .network,
        "\(peer) closed the connection without a response; the request may have been "
          + "processed, so it is not sent again")
    }
  }

  private func error(_ failure: DecodingFailure) -> TransportError {
    let host = origin.hostAndPort
    switch failure {
    case .invalid(let coding):
      return TransportError(
        .malformedResponse,
        "\(host) sent a body that is not valid \(coding.rawValue) (Content-Encoding)")
    case .cut(let coding):
      return TransportError(
        .truncatedBody,
        "the body of \(host) is truncated: its \(coding.rawValue) data is incomplete")
    case .unavailable(let coding, let reason):
      return TransportError.final(
        .network,
        "the body of \(host) is encoded with \(coding.rawValue), which needs a library: \(reason)")
    case .tooLarge: return error(IncomingResponse.Failure.bodyTooLarge)
    case .refused: return error(IncomingResponse.Failure.bodyRefused)
    case .noMemory:
      return TransportError(.network, "not enough memory to decode the body of \(host)")
    }
  }

  private var timeout: TransportError {
    if !wasConnected && elapsed < limits.timeout {
      let seconds = CurlErrorMapping.seconds(limits.connectTimeout)
      return TransportError(
        .timeout, "no connection to \(peer) within \(seconds) (connect_timeout)")
    }
    guard isOpeningTunnel else { return CurlErrorMapping.exchangeTimeout(host: peer, limits) }
    let seconds = CurlErrorMapping.seconds(limits.timeout)
    return TransportError(
      .timeout, "\(proxy) did not connect to \(origin.hostAndPort) within \(seconds) (timeout)")
  }

  /// Returns the error for an exchange that has exceeded its timeout.
  static func exchangeTimeout(host: String, _ limits: TransferLimits) -> TransportError {
    TransportError(
      .timeout, "no complete response from \(host) within \(seconds(limits.timeout)) (timeout)")
  }

  private var truncated: TransportError {
    TransportError(
      .truncatedBody, "the connection to \(peer) ended before the body was complete")
  }

  private var malformed: TransportError {
    // When curl has repeated a request, its text may be that of the first failure.
    let isOld = detail.hasPrefix("Recv failure") || detail.hasPrefix("Send failure")
    return TransportError(
      .malformedResponse,
      "\(sender) sent a response that is not valid HTTP\(isOld ? "" : reason)")
  }

  private var certificateNeeded: TransportError {
    TransportError(
      .tls, "\(origin.hostAndPort) requires a client certificate (client_cert)")
  }

  /// The Unix socket that curl tried to connect to; nil for none.
  private var socket: String? {
    options?.connection.unixSocket.map { "the socket \(LogText.part($0, limit: 120))" }
  }

  /// The address to connect to instead of the host, from the request's own options; nil for none.
  var address: String? {
    options.flatMap { CurlRoute.address(for: origin, in: $0.connection) }?.description
  }

  /// Whether curl's text names a host or port that is not in the URL. If so, it is the host or port
  /// of the proxy.
  private var namesProxy: Bool {
    let start = "failed to connect to "
    let detail = detail.lowercased()
    // curl uses another form of international names than the URL.
    guard detail.hasPrefix(start), address == nil, origin.host.utf8.allSatisfy({ $0 < 0x80 }) else {
      return false
    }
    let host = origin.host.filter { $0 != "[" && $0 != "]" }
    return !detail.dropFirst(start.utf8.count).hasPrefix("\(host) port \(origin.port) ")
  }

  /// Advice for an untrusted certificate. It is empty for an expired certificate.
  var trustAdvice: String {
    switch verification {
    // The X509_V_ERR_ codes around SELF_SIGNED_CERT_IN_CHAIN, which all mean that there is no known
    // issuer.
    case 18...21:
      "; set ca_file or SSL_CERT_FILE to a file of trusted certificates"
        // The `insecure` option concerns servers, not proxies.
        + (isProxyTLS ? "" : ", or insecure = true to skip verification in a test")
    default: ""
    }
  }

  /// The reason of the failure in brackets, for messages: the system's error text if there is one,
  /// else curl's error text.
  var reason: String {
    if systemError == EMFILE {
      return
        " (too many open files: the limit is \(DescriptorLimit.current); see ulimit -n)"
    }
    if systemError != 0 {
      // A message from the C library, copied immediately.
      let text = ErrorText.of(systemError)
      return " (\(text.prefix(1).lowercased())\(text.dropFirst()))"
    }
    // curl's text may quote the URL of a proxy, with its password.
    return detail.isEmpty ? "" : " (\(CredentialMask.text(detail)))"
  }

  static func seconds(_ value: Double) -> String {
    let rounded = value.rounded()
    return rounded == value && abs(value) < 1e9 ? "\(Int(rounded)) s" : "\(value) s"
  }

  static func size(_ bytes: Int) -> String {
    for (unit, name) in [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")]
    where bytes >= unit && bytes % unit == 0 {
      return "\(bytes / unit) \(name)"
    }
    return "\(bytes) bytes"
  }
}
