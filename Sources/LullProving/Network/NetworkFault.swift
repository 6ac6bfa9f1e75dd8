import LullCore

/// How the network of a test fails, in the words that scripts have for it.
enum NetworkFault: String, CaseIterable {
  /// Nobody listens there.
  case refused
  /// The connection ends before there is an answer.
  case reset
  /// The connection ends in the middle of the body.
  case cut
  /// No answer comes within the time that the request may take.
  case timeout

  /// What the request fails with.
  func error(of request: HTTPRequest) -> TransportError {
    let host = NetworkFault.host(of: request.url)
    switch self {
    case .refused:
      var error = TransportError(.connection, "cannot connect to \(host) (Connection refused)")
      error.isUnsent = true
      return error
    case .reset: return TransportError(.connection, "the connection to \(host) was lost (reset)")
    case .cut:
      return TransportError(
        .truncatedBody, "the connection to \(host) ended before the body was complete")
    case .timeout:
      let limit = LogText.seconds(request.limits.timeout)
      return TransportError(.timeout, "no complete answer from \(host) within \(limit) (timeout)")
    }
  }

  private static func host(of url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)
    return parts.count > 1 ? String(parts[1].prefix { $0 != "?" }) : LogText.url(url)
  }
}
