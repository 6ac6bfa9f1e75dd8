import LullCore
import LullSystem

/// Where a server of the Redis kind is, and what is said to it first: `redis://[user:password@]host[:port][/db]`,
/// `rediss://…` (TLS), `unix:///path[?db=2]`; `valkey://` and `valkeys://` are the same.
struct ShareAddress: Equatable, Sendable {
  enum Place: Hashable, Sendable {
    /// As it stands in a URL.
    case host(String, port: Int, isTLS: Bool)
    case socket(String)

    /// Where a cluster says that something is, by `MOVED 3999 127.0.0.1:6381`; nil if it makes no sense.
    func moved(_ words: String) -> Place? {
      let words = words.split(separator: " ")
      guard words.count == 3, words[0] == "MOVED", let colon = words[2].lastIndex(of: ":"),
        let port = UInt16(words[2][words[2].index(after: colon)...]), port > 0
      else { return nil }
      let name = words[2][..<colon]
      switch self {
      case .host(let host, _, let isTLS):
        // Without a name it is the same host.
        if name.isEmpty { return .host(host, port: Int(port), isTLS: isTLS) }
        return HostAndPort(name).map { .host($0.urlHost, port: Int(port), isTLS: isTLS) }
      case .socket:
        return HostAndPort(name).map { .host($0.urlHost, port: Int(port), isTLS: false) }
      }
    }
  }

  var place: Place
  var user: String?
  var password: String?
  var database = 0

  static let standardPort = 6379

  /// What is wrong with a URL, in words that hold no password.
  struct Problem: Error, Equatable {
    let message: String
  }

  init(_ url: String) throws(Problem) {
    let shown = LogText.part(CredentialMask.malformedURL(url), limit: 120)
    func problem(_ what: String) -> Problem { Problem(message: "'\(shown)' \(what)") }
    guard !url.isEmpty else { throw Problem(message: "it is empty") }
    guard let separator = url.firstRange(of: "://") else {
      throw problem("is no URL of a server (redis://host, rediss://host, unix:///path)")
    }
    let scheme = url[..<separator.lowerBound].lowercased()
    var rest = url[separator.upperBound...]
    guard !rest.contains("#"), rest.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) else {
      throw problem("has a character that no such URL has")
    }
    var query: Substring?
    if let mark = rest.firstIndex(of: "?") {
      query = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let user = ShareAddress.decoded(parts[0]),
        let password = parts.count > 1 ? ShareAddress.decoded(parts[1]) : ""
      else {
        throw problem("has a user or a password that is no text in UTF-8, escaped as in URLs")
      }
      self.user = user.isEmpty ? nil : user
      self.password = password.isEmpty ? nil : password
      rest = rest[rest.index(after: at)...]
    }
    switch scheme {
    case "redis", "rediss", "valkey", "valkeys":
      let slash = rest.firstIndex(of: "/") ?? rest.endIndex
      guard let host = HostAndPort(rest[..<slash]) else { throw problem("names no host") }
      place = .host(
        host.urlHost, port: host.port ?? ShareAddress.standardPort,
        isTLS: scheme == "rediss" || scheme == "valkeys")
      try setDatabase(rest[slash...].dropFirst(), problem)
    case "unix", "redis+unix", "valkey+unix":
      guard let path = ShareAddress.decoded(rest), path.hasPrefix("/"),
        path.utf8.count <= ConnectionOptions.longestSocketPath, !path.utf8.contains(0)
      else {
        throw problem(
          "names no socket: its path begins with / and has "
            + "\(ConnectionOptions.longestSocketPath) bytes at most (unix:///run/redis.sock)")
      }
      place = .socket(path)
    default:
      throw problem("begins with none of redis://, rediss://, valkey://, valkeys://, unix://")
    }
    guard let query else { return }
    guard query.hasPrefix("db=") else { throw problem("has a parameter other than db=") }
    try setDatabase(query.dropFirst(3), problem)
  }

  private mutating func setDatabase(
    _ text: Substring, _ problem: (String) -> Problem
  ) throws(Problem) {
    guard !text.isEmpty else { return }
    guard text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int(text), number < 1 << 20
    else { throw problem("names no database: it is a number, as in redis://host/2") }
    database = number
  }

  private static func decoded(_ text: Substring) -> String? {
    guard let bytes = try? PercentEncoding.decode(Array(text.utf8)[...]) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// For people: without user and password.
  var shown: String {
    let database = self.database == 0 ? "" : "\(self.database)"
    switch place {
    case .host(let host, let port, let isTLS):
      let base = "\(isTLS ? "rediss" : "redis")://\(host)"
      return base + (port == ShareAddress.standardPort ? "" : ":\(port)")
        + (database.isEmpty ? "" : "/" + database)
    case .socket(let path): return "unix://\(path)" + (database.isEmpty ? "" : "?db=" + database)
    }
  }

  /// Whether what goes there can be read on the way.
  var isInClear: Bool { place.origin.map { !$0.isPrivate } ?? false }
}

extension ShareAddress.Place {
  /// What it is for those who decide what may be reached, and whether it can be listened to.
  var origin: Origin? {
    guard case .host(let host, let port, let isTLS) = self else { return nil }
    return Origin(scheme: isTLS ? "https" : "http", host: host, port: String(port))
  }

  /// Why it may not be reached; nil if it may.
  func refusal(by hosts: AllowedHosts?) -> String? {
    guard let hosts else { return nil }
    switch self {
    case .socket(let path):
      return hosts.permits(socket: path)
        ? nil : "the socket \(LogText.part(path, limit: 120)) is not allowed (--allow-host)"
    case .host:
      guard let origin, !hosts.permits(origin) else { return nil }
      // With its port, which is none of HTTP.
      return "the host \(origin.host):\(origin.port) is not allowed (--allow-host)"
    }
  }
}
