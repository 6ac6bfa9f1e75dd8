import LullCore

/// How a redirect changes the request, as browsers do it: RED-01 to RED-08.
enum RedirectPolicy {
  static func limit(_ rule: RedirectRule?) -> Int {
    if case .follow(let limit) = rule { limit } else { 10 }
  }

  /// Statuses that are followed when they name a Location; 304 and 300 are answers like any other.
  static func isRedirect(_ status: Int) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  /// The request to send to `target`, and the names of the headers that must not travel there.
  ///
  /// 303 makes everything but HEAD a GET, 301 and 302 do so with POST only, 307 and 308 keep method
  /// and body. On a change of origin only Accept*, Content-* and User-Agent go along, with a download what it
  /// asks for of a file; a client's certificate does not, nor does the way through a socket.
  static func follow(
    _ request: HTTPRequest, status: Int, to target: String, changesOrigin: Bool
  ) -> (request: HTTPRequest, dropped: [String]) {
    var next = request
    next.url = target
    if becomesGet(request.method, status) {
      next.method = .get
      next.body = nil
      removeHeaders(of: &next) { $0.hasPrefix("content-") }
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

  private static func becomesGet(_ method: RequestMethod, _ status: Int) -> Bool {
    switch status {
    case 301, 302: method == .post
    case 303: method != .get && method != .head
    default: false
    }
  }

  /// Returns the removed names, each once, in order.
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
