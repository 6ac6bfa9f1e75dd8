import LullCore

/// Which headers of a request say something that a call has to say.
enum SeenHeaders {
  /// What a connection, a body or a cache has by itself.
  private static let automatic: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "te",
    "upgrade", "keep-alive", "proxy-connection", "proxy-authorization", "trailer", "date",
  ]

  /// What browsers say by themselves.
  private static let ofBrowsers: Set<String> = [
    "user-agent", "accept-language", "priority", "dnt", "upgrade-insecure-requests", "pragma",
    "cache-control", "origin", "referer", "if-none-match", "if-modified-since", "x-requested-with",
    "downlink", "rtt", "ect", "save-data", "device-memory", "viewport-width", "width", "dpr",
    "alt-used", "range", "if-range", "purpose", "x-client-data", "x-firefox-spdy",
  ]

  static func isOfBrowser(_ request: SeenRequest) -> Bool {
    request.headers.contains { header in
      let name = header.name.lowercased()
      return name.hasPrefix("sec-fetch-") || name.hasPrefix("sec-ch-")
        || name == "user-agent" && header.value.hasPrefix("Mozilla/")
    }
  }

  private static func isLeftOut(_ name: String, byBrowser: Bool) -> Bool {
    let name = name.lowercased()
    if name.hasPrefix(":") || automatic.contains(name) { return true }
    return byBrowser && (name.hasPrefix("sec-") || ofBrowsers.contains(name))
  }

  /// Those of a call: neither what says who asks, nor what the body says by itself.
  static func kept(_ request: SeenRequest) -> [(name: String, value: String)] {
    let byBrowser = isOfBrowser(request)
    return request.headers.filter { header in
      let name = header.name.lowercased()
      if isLeftOut(name, byBrowser: byBrowser) || SeenAccess.isCredential(name, of: request) {
        return false
      }
      if name == "content-type" { return request.body == nil && !byBrowser }
      if byBrowser, name == "accept",
        header.value.hasPrefix("*/*") || header.value.contains("text/html")
      {
        return false
      }
      return Headers.problem(header.name, Blank.shown(header.value).utf8) == nil
    }
  }

  /// Those that are left out, in small letters.
  static func leftOut(_ request: SeenRequest) -> [String] {
    let byBrowser = isOfBrowser(request)
    return request.headers.filter { header in
      let name = header.name.lowercased()
      return isLeftOut(name, byBrowser: byBrowser)
    }.map { LogText.part($0.name.lowercased(), limit: 40) }
  }

  /// Those that no request of Lull's has.
  static func wrong(_ request: SeenRequest) -> [String] {
    let byBrowser = isOfBrowser(request)
    return request.headers.filter { header in
      !isLeftOut(header.name.lowercased(), byBrowser: byBrowser)
        && Headers.problem(header.name, Blank.shown(header.value).utf8) != nil
    }.map { LogText.part($0.name.lowercased(), limit: 40) }
  }
}
