import LullCore

/// A request that somebody has written down or recorded, as it is sent. Texts may have blanks.
struct ParsedRequest {
  enum Body {
    /// Bytes as they are sent; nil: they are no text.
    case whole(String?)
    /// What a form of lines says, with its escapes undone.
    case fields([(name: String, value: String)])
    case parts([Part])
    /// What a file of that name has; nil: a name is to be given.
    case file(String?)
  }

  /// A part of a form in parts.
  struct Part {
    var name: String
    /// nil: it is not known.
    var value: String?
    var isFile = false
    /// What a text says of itself.
    var type: String?
  }

  var method = "GET"
  /// `https://host:port`, in small letters.
  var origin = ""
  /// As it is sent, with its escapes; begins with `/`.
  var path = "/"
  /// With escapes undone; nil: there is no `=`.
  var query: [(name: String, value: String?)] = []
  /// Pairs of the query whose escapes make no text, or that have no name, as they are written.
  var literalQuery: [String] = []
  var headers: [(name: String, value: String)] = []
  /// Those that are not sent, in small letters, where programs send them by themselves.
  var unsent: Set<String> = []
  var body: Body?
  /// Who asks, by `user:password`.
  var user: String?
  var isDigest = false
  /// What is known to stand at blanks of the path.
  var blankValues: [String: String] = [:]
  /// Headers and parameters that let somebody in, in small letters, whatever they are called.
  var secretNames: Set<String> = []
  /// What whoever wrote it calls it, and says of it.
  var name: String?
  var description: String?
  var tags: [String] = []

  init() {}

  /// The type of the body without its parameters, in small letters; empty without one.
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

  /// As people find it.
  var shown: String { "\(method) \(Blank.shown(path))" }
}

extension ParsedRequest {
  /// Takes a URL apart.
  ///
  /// - Returns: whether it is one of HTTP.
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

  /// The pairs of a form of lines; nil if it is none, or one of them is no text.
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

  /// With `+` and `%20` undone; what makes no text stays as it is.
  static func decoded(_ text: some StringProtocol) -> String {
    plain(text) ?? String(text)
  }

  private static func isDecodable(_ text: some StringProtocol) -> Bool {
    String(text).firstMatch(of: /%(?![0-9A-Fa-f]{2})/) == nil && plain(text) != nil
  }

  /// nil if its escapes make no text.
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

/// Which headers of a request say something that a call has to say.
enum ParsedHeaders {
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

  /// Those of a call: neither what says who asks, nor what the body says by itself.
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

  /// Those that are left out, in small letters.
  static func leftOut(_ request: ParsedRequest) -> [String] {
    let byBrowser = isOfBrowser(request)
    return request.headers.filter { header in
      let name = header.name.lowercased()
      return isLeftOut(name, byBrowser: byBrowser)
    }.map { LogText.part($0.name.lowercased(), limit: 40) }
  }

  /// Those that no request of Lull's has.
  static func wrong(_ request: ParsedRequest) -> [String] {
    let byBrowser = isOfBrowser(request)
    return request.headers.filter { header in
      !isLeftOut(header.name.lowercased(), byBrowser: byBrowser)
        && Headers.problem(header.name, Blank.shown(header.value).utf8) != nil
    }.map { LogText.part($0.name.lowercased(), limit: 40) }
  }
}

/// Who asks, as a request says it: its credentials become variables of the environment, by their names.
struct ParsedAccess {
  let access: ImportedAccess
  let notes: [String]

  /// Whether a header lets somebody in.
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
      // An empty one lets nobody in.
      if value.isEmpty || lower == "proxy-authorization" { continue }
      // No request can have it.
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
          "the header Authorization is made anew for each request by \(LogText.part(scheme, limit: 30)) and not kept "
            + "(lull.auth.digest, lull.auth.aws)")
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
