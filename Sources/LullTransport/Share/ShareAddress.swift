import LullCore
import LullSystem

/// The address of a Redis-compatible server, and its login:
/// `redis://[user:password@]host[:port][/db]`, `rediss://…` (TLS), `unix:///path[?db=2]`;
/// `valkey://` and `valkeys://` mean the same. `?namespace=team-a` sets the namespace.
struct ShareAddress: Equatable, Sendable {
  enum Place: Hashable, Sendable {
    /// The host as written in a URL.
    case host(String, port: Int, isTLS: Bool)
    case socket(String)

    /// Returns the place of a cluster node from the address that another node reports, such as
    /// `127.0.0.1:6381`; nil if the address is invalid.
    func neighbour(_ text: Substring) -> Place? {
      guard let colon = text.lastIndex(of: ":"),
        let port = UInt16(text[text.index(after: colon)...]), port > 0
      else { return nil }
      let name = text[..<colon]
      switch self {
      case .host(let host, _, let isTLS):
        // An address without a host name means the same host.
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
  /// The namespace in the URL; nil for none.
  var namespace: String?

  static let standardPort = 6379

  /// The reason why a URL is invalid. The message contains no password.
  struct Problem: Error, Equatable {
    let message: String
  }

  init(_ url: String) throws(Problem) {
    // The query is not shown: the text after a misspelled parameter name may be a password.
    let query = url.firstIndex(of: "?")
    let named = CredentialMask.malformedURL(String(url[..<(query ?? url.endIndex)]))
    let shown = LogText.part(named, limit: 120) + (query == nil ? "" : "?…")
    func problem(_ what: String) -> Problem { Problem(message: "'\(shown)' \(what)") }
    guard !url.isEmpty else { throw Problem(message: "it is empty") }
    guard let separator = url.firstRange(of: "://") else {
      throw problem("is not the URL of a server (redis://host, rediss://host, unix:///path)")
    }
    let scheme = url[..<separator.lowerBound].lowercased()
    var rest = url[separator.upperBound...]
    guard !rest.contains("#"), rest.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) else {
      throw problem("has a character that is not valid in a URL")
    }
    var parameters: Substring?
    if let mark = rest.firstIndex(of: "?") {
      parameters = rest[rest.index(after: mark)...]
      rest = rest[..<mark]
    }
    if let at = rest.lastIndex(of: "@") {
      let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let user = ShareAddress.decoded(parts[0]),
        let password = parts.count > 1 ? ShareAddress.decoded(parts[1]) : ""
      else {
        throw problem("has a user or a password that is not percent-encoded UTF-8")
      }
      self.user = user.isEmpty ? nil : user
      self.password = password.isEmpty ? nil : password
      rest = rest[rest.index(after: at)...]
    }
    switch scheme {
    case "redis", "rediss", "valkey", "valkeys":
      let slash = rest.firstIndex(of: "/") ?? rest.endIndex
      guard let host = HostAndPort(rest[..<slash]) else { throw problem("has no host") }
      place = .host(
        host.urlHost, port: host.port ?? ShareAddress.standardPort,
        isTLS: scheme == "rediss" || scheme == "valkeys")
      try setDatabase(rest[slash...].dropFirst(), problem)
    case "unix", "redis+unix", "valkey+unix":
      guard let path = ShareAddress.decoded(rest), path.hasPrefix("/"),
        path.utf8.count <= ConnectionOptions.longestSocketPath, !path.utf8.contains(0)
      else {
        throw problem(
          "has no socket path: it must begin with / and have at most "
            + "\(ConnectionOptions.longestSocketPath) bytes (unix:///run/redis.sock)")
      }
      place = .socket(path)
    default:
      throw problem("must begin with redis://, rediss://, valkey://, valkeys:// or unix://")
    }
    if let parameters { try set(parameters, problem) }
  }

  private mutating func set(
    _ query: Substring, _ problem: (String) -> Problem
  ) throws(Problem) {
    var names: Set<Substring> = database == 0 ? [] : ["db"]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let text = parts.count > 1 ? parts[1] : ""
      guard names.insert(parts[0]).inserted else {
        throw problem("has '\(LogText.part(String(parts[0]), limit: 40))' twice")
      }
      switch parts[0] {
      case "db": try setDatabase(text, problem)
      case "namespace": namespace = ShareAddress.decoded(text) ?? ""
      default: throw problem("has a parameter other than db= and namespace=")
      }
    }
  }

  private mutating func setDatabase(
    _ text: Substring, _ problem: (String) -> Problem
  ) throws(Problem) {
    guard !text.isEmpty else { return }
    guard text.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let number = Int(text), number < 1 << 20
    else { throw problem("has an invalid database: it must be a number, as in redis://host/2") }
    database = number
  }

  private static func decoded(_ text: Substring) -> String? {
    guard let bytes = try? PercentEncoding.decode(Array(text.utf8)[...]) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The address as messages show it, without user and password.
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

  /// Whether traffic to the server can be read in transit.
  var isInClear: Bool { place.origin.map { !$0.isPrivate } ?? false }
}

extension ShareAddress.Place {
  /// The HTTP origin with the same host and port. It is used to check whether the server is allowed
  /// and whether its traffic is encrypted.
  var origin: Origin? {
    guard case .host(let host, let port, let isTLS) = self else { return nil }
    return Origin(scheme: isTLS ? "https" : "http", host: host, port: String(port))
  }

  /// Returns the reason why this server must not be used, or nil if it may be used.
  func refusal(by hosts: AllowedHosts?) -> String? {
    guard let hosts else { return nil }
    switch self {
    case .socket(let path):
      return hosts.permits(socket: path)
        ? nil : "the socket \(LogText.part(path, limit: 120)) is not allowed (--allow-host)"
    case .host:
      guard let origin, !hosts.permits(origin) else { return nil }
      // The message includes the port, because HTTP's default ports do not apply here.
      return "the host \(origin.host):\(origin.port) is not allowed (--allow-host)"
    }
  }
}
