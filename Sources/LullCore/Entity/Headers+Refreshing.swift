extension Headers {
  /// What is known of a kept answer after a 304: its headers take the place of those of the same names,
  /// but for such as belong to one connection or tell of the content, which has stayed. (RFC 9111,
  /// section 3.2)
  package func refreshed(by later: Headers) -> Headers {
    let kept = Headers.ofContent.union(later.namesOfConnection)
    var headers = self
    var seen: Set<String> = []
    for (name, _) in later.pairs where !kept.contains(name) && seen.insert(name).inserted {
      headers.take(name, from: later)
    }
    return headers
  }

  /// The names of headers that the values of one list, in lower case.
  func listedNames(_ name: String) -> Set<String> {
    var names: Set<String> = []
    for value in values(name) {
      for part in value.split(separator: ",") {
        let listed = part.trimmingBlanks
        if !listed.isEmpty { names.insert(listed.lowercased()) }
      }
    }
    return names
  }

  /// Names, in lower case, of headers that say something of one connection only, those that `Connection` lists
  /// included. (RFC 9111, section 3.1)
  package var namesOfConnection: Set<String> {
    Headers.ofConnection.union(listedNames("connection"))
  }

  private static let ofConnection: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  private static let ofContent: Set<String> = [
    "content-encoding", "content-length", "content-range", "content-type",
  ]
}
