import LullCore

/// Changes a request for a redirect, as browsers do: RED-01 to RED-08.
enum RedirectPolicy {
  static func limit(_ rule: RedirectRule?) -> Int {
    if case .follow(let limit) = rule { limit } else { 10 }
  }

  /// Whether a response with this status is followed if it has a Location. 304 and 300 are ordinary
  /// responses.
  static func isRedirect(_ status: Int) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  /// Returns the request for `target`, and the names of the headers that were removed.
  ///
  /// 303 changes every method except HEAD to GET. 301 and 302 change only a POST that is not
  /// declared safe. 307 and 308 keep method and body. (RFC 10008, section 2.5) If the method
  /// changes, a condition on the response to the old method is removed. If the origin changes, only
  /// Accept*, Content-* and User-Agent are kept, and for a download also Range and If-Range. A
  /// client certificate and a Unix socket are then not kept either.
  static func follow(
    _ request: HTTPRequest, status: Int, to target: String, changesOrigin: Bool
  ) -> (request: HTTPRequest, dropped: [String]) {
    var next = request
    next.url = target
    if becomesGet(request, status) {
      next.method = .get
      next.body = nil
      removeHeaders(of: &next) { name in
        name.hasPrefix("content-") || ["if-none-match", "if-modified-since"].contains(name)
      }
    }
    guard changesOrigin else { return (next, []) }
    let isDownload = next.options?.download != nil
    var dropped = removeHeaders(of: &next) { name in
      !Headers.goesAnywhere(name) && !(isDownload && ["range", "if-range"].contains(name))
    }
    if next.options?.connection.clientCertificate != nil {
      next.options?.connection.clientCertificate = nil
      next.options?.connection.clientKey = nil
      dropped.append("client_cert")
    }
    if next.options?.connection.unixSocket != nil {
      next.options?.connection.unixSocket = nil
      dropped.append("unix_socket")
    }
    return (next, dropped)
  }

  private static func becomesGet(_ request: HTTPRequest, _ status: Int) -> Bool {
    switch status {
    case 301, 302: request.method == .post && !request.isDeclaredSafe
    case 303: request.method != .get && request.method != .head
    default: false
    }
  }

  /// Removes headers. Returns their names, each once, in order.
  @discardableResult
  private static func removeHeaders(
    of request: inout HTTPRequest, where isUnwanted: (String) -> Bool
  ) -> [String] {
    var removed: [String] = []
    for (name, _) in request.headers.pairs where isUnwanted(name) && !removed.contains(name) {
      removed.append(name)
    }
    for name in removed { request.headers.remove(name) }
    return removed
  }
}
