import CCurl
import Glibc
import LullCore

/// Turns what curl says about a failed exchange into what the user reads.
struct CurlErrorMapping {
  let origin: Origin
  let limits: TransferLimits
  /// Of the whole exchange, at the time of the failure.
  let elapsed: Double
  let wasConnected: Bool
  let systemError: Int32
  /// curl's own words, may be empty.
  let detail: String
  let response: IncomingResponse

  func error(_ code: CURLcode) -> TransportError {
    if let failure = response.failure { return error(failure) }
    let host = origin.hostAndPort
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return TransportError(.dns, "cannot resolve host '\(origin.host)'")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return TransportError(.dns, "cannot resolve the proxy for \(host)")
    case CURLE_COULDNT_CONNECT:
      return TransportError(.connection, "cannot connect to \(host)\(reason)")
    case CURLE_PROXY:
      return TransportError(.connection, "the proxy does not connect to \(host)\(reason)")
    case CURLE_GOT_NOTHING:
      return TransportError(
        .connection, "the server closed the connection without an answer (\(host))")
    case CURLE_OPERATION_TIMEDOUT:
      return timeout
    case CURLE_PARTIAL_FILE:
      return truncated
    case CURLE_RECV_ERROR:
      // curl has one code for all that goes wrong while receiving; its words tell more.
      if detail.hasSuffix("chunked-encoding") || detail.hasPrefix("Too large") { return malformed }
      if response.status >= 200 && response.isHeadComplete { return truncated }
      return TransportError(.connection, "the connection to \(host) was lost\(reason)")
    case CURLE_SEND_ERROR:
      return TransportError(.connection, "the connection to \(host) was lost\(reason)")
    case CURLE_URL_MALFORMAT:
      return TransportError(.invalidURL, "the URL for \(host) is not valid\(reason)")
    case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_UNSUPPORTED_PROTOCOL,
      CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
      return malformed
    case CURLE_FILESIZE_EXCEEDED:
      return error(.bodyTooLarge)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED,
      CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
      return TransportError(.tls, "no secure connection to \(host)\(reason)")
    default:
      return TransportError(.network, "the exchange with \(host) failed\(reason)")
    }
  }

  // MARK: Sentences

  private func error(_ failure: IncomingResponse.Failure) -> TransportError {
    switch failure {
    case .bodyTooLarge:
      let size = CurlErrorMapping.size(limits.maxBodySize)
      return TransportError(
        .bodyTooLarge, "the response body is larger than the limit of \(size) (max_body_size)")
    case .headTooLarge:
      return TransportError(
        .malformedResponse, "the response headers of \(origin.hostAndPort) are larger than 1 MB")
    }
  }

  private var timeout: TransportError {
    let host = origin.hostAndPort
    if !wasConnected && elapsed < limits.timeout {
      let seconds = CurlErrorMapping.seconds(limits.connectTimeout)
      return TransportError(
        .timeout, "no connection to \(host) within \(seconds) (connect_timeout)")
    }
    return CurlErrorMapping.exchangeTimeout(host: host, limits)
  }

  /// The whole exchange took too long.
  static func exchangeTimeout(host: String, _ limits: TransferLimits) -> TransportError {
    TransportError(
      .timeout, "no complete answer from \(host) within \(seconds(limits.timeout)) (timeout)")
  }

  private var truncated: TransportError {
    TransportError(
      .truncatedBody, "the connection to \(origin.hostAndPort) ended before the body was complete")
  }

  private var malformed: TransportError {
    TransportError(
      .malformedResponse, "\(origin.hostAndPort) sent an answer that is not valid HTTP\(reason)")
  }

  /// In brackets: the system's reason if there is one, else curl's.
  private var reason: String {
    if systemError != 0 {
      // A message of the C library, copied at once.
      let text = String(cString: strerror(systemError))
      return " (\(text.prefix(1).lowercased())\(text.dropFirst()))"
    }
    return detail.isEmpty ? "" : " (\(detail))"
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
