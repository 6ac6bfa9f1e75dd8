extension Headers {
  /// What is known of a kept answer after a 304: its headers take the place of those of the same names,
  /// but for such as belong to one connection or tell of the content, which has stayed. (RFC 9111,
  /// section 3.2)
  package func refreshed(by later: Headers) -> Headers {
    var kept = Headers.kept
    for value in later.values("connection") {
      for name in value.split(separator: ",") {
        kept.insert(name.filter { $0 != " " && $0 != "\t" }.lowercased())
      }
    }
    var headers = self
    var seen: Set<String> = []
    for (name, _) in later.pairs where !kept.contains(name) && seen.insert(name).inserted {
      headers.take(name, from: later)
    }
    return headers
  }

  private static let kept: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    "content-encoding", "content-length", "content-range", "content-type",
  ]
}
