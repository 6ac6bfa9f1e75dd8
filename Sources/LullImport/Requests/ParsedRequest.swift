import LullCore

/// A written or recorded request in the form in which it is sent. Its texts may contain
/// placeholders.
struct ParsedRequest {
  enum Body {
    /// The body as sent. `nil` if the body is not text.
    case whole(String?)
    /// The decoded pairs of a URL-encoded form.
    case fields([(name: String, value: String)])
    case parts([Part])
    /// The content of the file with this name. `nil`: the name becomes a parameter.
    case file(String?)
  }

  /// A part of a multipart form.
  struct Part {
    var name: String
    /// The value of the part. `nil` if it is unknown.
    var value: String?
    var isFile = false
    /// The content type, if the part is a text.
    var type: String?
  }

  var method = "GET"
  /// Whether the request is a POST that is declared to change nothing on the server.
  var isSafe = false
  /// The origin in lower case, such as `https://host:port`.
  var origin = ""
  /// The path as sent, with percent-encoding. It begins with `/`.
  var path = "/"
  /// The decoded pairs of the query. The value is `nil` if the pair has no `=`.
  var query: [(name: String, value: String?)] = []
  /// Query pairs as written. These are the pairs that have no name or are not UTF-8 when decoded.
  var literalQuery: [String] = []
  var headers: [(name: String, value: String)] = []
  /// Names of headers, in lower case, that are not sent although programs send them by default.
  var unsent: Set<String> = []
  var body: Body?
  /// The credentials as `user:password`.
  var user: String?
  var isDigest = false
  /// The known values of placeholders in the path.
  var blankValues: [String: String] = [:]
  /// Names of headers and parameters that are credentials although their names do not show it. In
  /// lower case.
  var secretNames: Set<String> = []
  /// The name that the author gave the request.
  var name: String?
  var description: String?
  var tags: [String] = []

  init() {}

  /// The content type of the body in lower case, without parameters. Empty if there is none.
  var bodyType: String {
    let value = header("content-type") ?? ""
    return String(value.prefix { $0 != ";" }).lowercased().filter { !$0.isWhitespace }
  }

  func isSecret(_ name: String) -> Bool {
    CredentialName.names(name) || secretNames.contains(name.lowercased())
  }

  func header(_ name: String) -> String? {
    headers.last { $0.name.lowercased() == name }?.value
  }

  /// The method and path, for messages.
  var shown: String { "\(method) \(Blank.shown(path))" }
}

extension ParsedRequest {
  /// Sets origin, path and query from a URL.
  ///
  /// - Returns: Whether the text is an HTTP URL.
  mutating func take(url text: String) -> Bool {
    let bare = text.prefix { $0 != "#" }
    guard let mark = bare.firstRange(of: "://") else { return false }
    let scheme = bare[..<mark.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return false }
    let rest = bare[mark.upperBound...]
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    var host = rest[..<end]
    if let at = host.lastIndex(of: "@") {
      user = ParsedRequest.decoded(host[..<at])
      host = host[host.index(after: at)...]
    }
    guard !host.isEmpty else { return false }
    origin = "\(scheme)://\(Blank.isIn(host) ? String(host) : host.lowercased())"
    for (start, port) in [("https://", ":443"), ("http://", ":80")]
    where origin.hasPrefix(start) && origin.hasSuffix(port) {
      origin.removeLast(port.count)
    }
    let target = rest[end...]
    let query = target.firstIndex(of: "?")
    path = String(target[..<(query ?? target.endIndex)])
    if path.isEmpty { path = "/" }
    if let query { take(query: target[target.index(after: query)...]) }
    return true
  }

  mutating func take(query text: some StringProtocol) {
    for pair in text.split(separator: "&") {
      let name = pair.prefix { $0 != "=" }
      guard !name.isEmpty, ParsedRequest.isDecodable(pair) else {
        literalQuery.append(String(pair))
        continue
      }
      let value = name.endIndex < pair.endIndex ? pair[name.endIndex...].dropFirst() : nil
      query.append((ParsedRequest.decoded(name), value.map { ParsedRequest.decoded($0) }))
    }
  }

  /// Returns the pairs of a URL-encoded form. `nil` if the text is not a form, or if a pair is not
  /// UTF-8.
  static func fields(_ text: String) -> [(name: String, value: String)]? {
    guard !text.isEmpty else { return [] }
    var fields: [(String, String)] = []
    for pair in text.split(separator: "&", omittingEmptySubsequences: false) {
      guard let equals = pair.firstIndex(of: "="), equals > pair.startIndex,
        !pair[..<equals].contains(where: { "{}\"'<>\n".contains($0) }), isDecodable(pair)
      else { return nil }
      fields.append((decoded(pair[..<equals]), decoded(pair[pair.index(after: equals)...])))
    }
    return fields
  }

  /// Decodes percent-encoding and `+`. Returns the text unchanged if the result is not UTF-8.
  static func decoded(_ text: some StringProtocol) -> String {
    plain(text) ?? String(text)
  }

  private static func isDecodable(_ text: some StringProtocol) -> Bool {
    String(text).firstMatch(of: /%(?![0-9A-Fa-f]{2})/) == nil && plain(text) != nil
  }

  /// Decodes percent-encoding and `+`. `nil` if the result is not UTF-8.
  private static func plain(_ text: some StringProtocol) -> String? {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
      return String(text)
    }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), rest.count >= 2,
        rest.prefix(2).allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
        let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    guard let plain = String(validating: bytes, as: UTF8.self) else { return nil }
    return Blank.isIn(text) ? plain : Blank.without(plain)
  }
}

/// Selects the headers of a request that become part of a call.
enum ParsedHeaders {
  /// Headers that are set automatically for connections and bodies.
  private static let automatic: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "te",
    "upgrade", "keep-alive", "proxy-connection", "proxy-authorization", "trailer", "date",
  ]

  /// Headers that browsers set automatically.
  private static let ofBrowsers: Set<String> = [
    "user-agent", "accept-language", "priority", "dnt", "upgrade-insecure-requests", "pragma",
    "cache-control", "origin", "referer", "if-none-match", "if-modified-since", "x-requested-with",
    "downlink", "rtt", "ect", "save-data", "device-memory", "viewport-width", "width", "dpr",
    "alt-used", "range", "if-range", "purpose", "x-client-data", "x-firefox-spdy",
  ]

  static func isOfBrowser(_ request: ParsedRequest) -> Bool {
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

  /// Returns the headers of the call. Credentials, and headers that are set automatically, are
  /// omitted.
  static func kept(_ request: ParsedRequest) -> [(name: String, value: String)] {
    let byBrowser = isOfBrowser(request)
    return request.headers.filter { header in
      let name = header.name.lowercased()
      if isLeftOut(name, byBrowser: byBrowser) || ParsedAccess.isCredential(name, of: request) {
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

  /// Returns the names of the headers that are omitted, in lower case.
  static func leftOut(_ request: ParsedRequest) -> [String] {
    let byBrowser = isOfBrowser(request)
    return request.headers.filter { header in
      let name = header.name.lowercased()
      return isLeftOut(name, byBrowser: byBrowser)
    }.map { LogText.part($0.name.lowercased(), limit: 40) }
  }

  /// Returns the names of the headers that are not valid in requests of Lull.
  static func wrong(_ request: ParsedRequest) -> [String] {
    let byBrowser = isOfBrowser(request)
    return request.headers.filter { header in
      !isLeftOut(header.name.lowercased(), byBrowser: byBrowser)
        && Headers.problem(header.name, Blank.shown(header.value).utf8) != nil
    }.map { LogText.part($0.name.lowercased(), limit: 40) }
  }
}

/// The credentials of a request. They become environment variables, which are named after the
/// headers and parameters.
struct ParsedAccess {
  let access: ImportedAccess
  let notes: [String]

  /// Returns whether a header of a request contains credentials.
  static func isCredential(_ name: String, of request: ParsedRequest) -> Bool {
    CredentialName.headers.contains(name.lowercased()) || request.isSecret(name)
  }

  init(_ request: ParsedRequest, _ variables: VariableNames, hasShellBlanks: Bool) {
    var access = ImportedAccess()
    var notes: [String] = []
    func variable(_ name: String, _ value: some StringProtocol) -> String {
      guard let blank = Blank.name(value) else { return variables.variable(for: name) }
      return hasShellBlanks ? blank : variables.variable(for: blank)
    }
    func basic(_ text: String) -> ImportedAccess.Way {
      let user = text.prefix { $0 != ":" }
      let password = text.dropFirst(user.count + 1)
      if password.isEmpty, text.hasSuffix(":"), !request.isDigest {
        return .basicKey(variable: variable("key", user))
      }
      let names = (variable("user", user), variable("password", password))
      return request.isDigest
        ? .digest(user: names.0, password: names.1) : .basic(user: names.0, password: names.1)
    }
    if let user = request.user { access.way = basic(user) }
    for (name, value) in request.headers where ParsedAccess.isCredential(name, of: request) {
      let lower = name.lowercased()
      // An empty header contains no credentials.
      if value.isEmpty || lower == "proxy-authorization" { continue }
      // The name is not valid in any request.
      if Headers.problem(name, "".utf8) != nil { continue }
      guard lower == "authorization" else {
        let given = hasShellBlanks ? Blank.atEnd(of: value) : nil
        let prefix = given?.before ?? ""
        let text = given?.name ?? variables.variable(for: name)
        if access.way == nil, lower != "cookie" {
          access.way = .header(name: name, prefix: prefix, variable: text)
        } else {
          access.headers.append((name, .secret(prefix: prefix, variable: text)))
        }
        continue
      }
      let words = value.split(separator: " ", maxSplits: 1)
      let scheme = words.count > 1 ? words[0].lowercased() : ""
      let rest = words.count > 1 ? String(words[1]) : value
      let way: ImportedAccess.Way
      switch scheme {
      case "bearer": way = .bearer(variable: variable("token", rest))
      case "basic":
        if let bytes = try? Base64.decode(Array(rest.utf8)),
          String(decoding: bytes, as: UTF8.self).contains(":")
        {
          way = basic(String(decoding: bytes, as: UTF8.self))
        } else {
          way = .header(name: "Authorization", prefix: "Basic ", variable: variable("basic", rest))
        }
      case "digest", "negotiate", "ntlm", "signature", "oauth", "aws4-hmac-sha256", "hawk":
        notes.append(
          "\(LogText.part(scheme, limit: 30)) makes a new Authorization header for each request, "
            + "so the header is not imported (use lull.auth.digest or lull.auth.aws_sigv4)")
        continue
      default:
        let prefix = scheme.isEmpty ? "" : "\(LogText.part(String(words[0]), limit: 30)) "
        way = .header(
          name: "Authorization", prefix: prefix,
          variable: variable("token", Blank.atEnd(of: rest).map { Blank.text($0.name) } ?? rest))
      }
      if let other = access.way, case .header(let name, let prefix, let variable) = other {
        access.headers.append((name, .secret(prefix: prefix, variable: variable)))
      }
      access.way = way
    }
    self.access = access
    self.notes = notes
  }
}
