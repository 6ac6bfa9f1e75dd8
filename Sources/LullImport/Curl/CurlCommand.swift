import LullCore

/// A parsed curl command: its requests, and the parts that can't be imported.
struct CurlCommand {
  private(set) var requests: [ParsedRequest] = []
  /// The given options that need no import, because they concern curl's output, or because they
  /// request something that Lull always does.
  private(set) var unneeded: [String] = []
  /// The given options and parts that can't be imported, as written.
  private(set) var leftOut: [String] = []
  private(set) var notes: [String] = []

  private let input: String?
  private var operation = Operation()

  /// The options of one operation. A command has several if it contains `--next`.
  private struct Operation {
    var urls: [String] = []
    var method: String?
    var headers: [(name: String, value: String)] = []
    var removed: Set<String> = []
    var data: [Data] = []
    var isJSON = false
    var urlQueries: [String] = []
    var parts: [ParsedRequest.Part] = []
    var cookies: [String] = []
    var upload: String?
    var user: String?
    var isDigest = false
    var isGet = false
    var isHead = false
    var isGlobOff = false
  }

  private enum Data {
    case text(String)
    /// The content of the file with this name. `nil`: standard input.
    case file(String?)
  }

  /// - Parameters:
  ///   - words: The arguments after `curl`.
  ///   - input: The text on standard input. `nil` if it is unknown.
  init(_ words: some Sequence<String>, input: String?) throws(ImportProblem) {
    self.input = input
    var words = Array(words)[...]
    var areOptionsOver = false
    while let word = words.popFirst() {
      if areOptionsOver || !word.hasPrefix("-") || word == "-" {
        operation.urls.append(word)
      } else if word == "--" {
        areOptionsOver = true
      } else if word.hasPrefix("--") {
        try takeLong(word, &words)
      } else {
        try takeShort(word, &words)
      }
    }
    try finish()
    guard !requests.isEmpty else { throw ImportProblem("the command has no URL") }
  }

  // MARK: Words

  private mutating func takeLong(
    _ word: String, _ words: inout ArraySlice<String>
  ) throws(ImportProblem) {
    var text = String(word.dropFirst(2))
    let isOff = text.hasPrefix("no-") && CurlOption.named(text) == nil
    if isOff { text.removeFirst(3) }
    guard let name = CurlOption.named(text) else { throw CurlCommand.unknown(word) }
    guard CurlOption.hasValue(name) else {
      if isOff {
        note("--no-\(name)", name)
      } else {
        try take(name, "", as: "--\(name)")
      }
      return
    }
    guard let value = words.popFirst() else {
      throw ImportProblem("curl's option --\(name) needs a value, but the command ends after it")
    }
    try take(name, value, as: "--\(name)")
  }

  private mutating func takeShort(
    _ word: String, _ words: inout ArraySlice<String>
  ) throws(ImportProblem) {
    var letters = word.dropFirst()
    while let letter = letters.popFirst() {
      guard let name = CurlOption.named(letter) else { throw CurlCommand.unknown("-\(letter)") }
      guard CurlOption.hasValue(name) else {
        try take(name, "", as: "-\(letter)")
        continue
      }
      guard let value = letters.isEmpty ? words.popFirst() : String(letters) else {
        throw ImportProblem("curl's option -\(letter) needs a value, but the command ends after it")
      }
      return try take(name, value, as: "-\(letter)")
    }
  }

  private static func unknown(_ word: String) -> ImportProblem {
    ImportProblem(
      "unknown curl option '\(LogText.part(Blank.shown(word), limit: 40))': remove it"
    )
  }

  private mutating func note(_ shown: String, _ name: String) {
    if CurlOption.unneeded.contains(name) {
      if !unneeded.contains(shown) { unneeded.append(shown) }
    } else if !leftOut.contains(shown) {
      leftOut.append(shown)
    }
  }

  // MARK: Options

  private mutating func take(
    _ name: String, _ value: String, as shown: String
  ) throws(ImportProblem) {
    switch name {
    case "url": operation.urls.append(value)
    case "request": operation.method = value
    case "head": operation.isHead = true
    case "get": operation.isGet = true
    case "header": takeHeader(value, shown)
    case "user-agent": add("User-Agent", value)
    case "referer":
      add("Referer", value.hasSuffix(";auto") ? String(value.dropLast(5)) : value)
    case "range": add("Range", "bytes=\(value)")
    case "oauth2-bearer": add("Authorization", "Bearer \(value)")
    case "user": operation.user = value
    case "digest": operation.isDigest = true
    case "globoff": operation.isGlobOff = true
    case "cookie":
      guard value.contains("=") || Blank.isIn(value) else {
        leftOut.append("\(shown) \(value)")
        notes.append(
          "\(shown) \(LogText.part(value, limit: 60)) is a cookie file, which is not imported")
        return
      }
      operation.cookies.append(value)
    case "data", "data-ascii": try takeData(value, stripsLines: true)
    case "data-raw": operation.data.append(.text(value))
    case "data-binary": try takeData(value, stripsLines: false)
    case "json":
      operation.isJSON = true
      try takeData(value, stripsLines: false)
    case "data-urlencode": try takeEncoded(value)
    case "url-query":
      if value.hasPrefix("+") {
        operation.urlQueries.append(String(value.dropFirst()))
      } else {
        operation.urlQueries.append(CurlCommand.encoded(value).text)
      }
    case "form": takePart(value, isLiteral: false)
    case "form-string": takePart(value, isLiteral: true)
    case "upload-file": operation.upload = value
    case "next":
      try finish()
      operation = Operation()
    default: note(shown, name)
    }
  }

  private mutating func add(_ name: String, _ value: String) {
    operation.headers.removeAll { $0.name.lowercased() == name.lowercased() }
    if !value.isEmpty { operation.headers.append((name, value)) }
  }

  private mutating func takeHeader(_ text: String, _ shown: String) {
    guard !text.hasPrefix("@") else {
      notes.append(
        "\(shown) \(LogText.part(text, limit: 60)) is a header file, which is not imported")
      return
    }
    if let colon = text.firstIndex(of: ":") {
      let name = String(text[..<colon])
      let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      guard !value.isEmpty else {
        operation.removed.insert(name.lowercased())
        return
      }
      operation.headers.append((name, String(value)))
    } else if text.hasSuffix(";") {
      operation.headers.append((String(text.dropLast()), ""))
    } else {
      notes.append("a header without ':' is left out, because curl does not send it")
    }
  }

  private mutating func takeData(_ value: String, stripsLines: Bool) throws(ImportProblem) {
    guard value.hasPrefix("@") else {
      operation.data.append(.text(value))
      return
    }
    let path = String(value.dropFirst())
    if path == "-", let input {
      operation.data.append(
        .text(stripsLines ? input.filter { !$0.isNewline } : input))
      return
    }
    if stripsLines {
      notes.append(
        "the content of '\(LogText.part(value, limit: 60))' is sent with its line breaks, which "
          + "curl would remove")
    }
    operation.data.append(.file(path == "-" ? nil : path))
  }

  private mutating func takeEncoded(_ value: String) throws(ImportProblem) {
    let (text, isFile) = CurlCommand.encoded(value)
    if isFile {
      notes.append(
        "the value that '\(LogText.part(value, limit: 60))' reads from a file must be passed "
          + "with the call")
    }
    operation.data.append(.text(text))
  }

  private mutating func takePart(_ text: String, isLiteral: Bool) {
    guard let equals = text.firstIndex(of: "=") else {
      notes.append("a form part without '=' is left out")
      return
    }
    var part = ParsedRequest.Part(name: String(text[..<equals]))
    var content = text[text.index(after: equals)...]
    let kind = isLiteral ? nil : content.first.flatMap { "@<".contains($0) ? $0 : nil }
    if kind != nil { content = content.dropFirst() }
    var value = ""
    if isLiteral {
      value = String(content)
      content = ""
    } else if content.first == "\"" {
      content = content.dropFirst()
      while let character = content.popFirst(), character != "\"" {
        value.append(character == "\\" ? content.popFirst() ?? "\\" : character)
      }
    } else {
      value = String(content.prefix { $0 != ";" && !(kind != nil && $0 == ",") })
      content = content.dropFirst(value.count)
    }
    if !content.isEmpty {
      notes.append(
        "form part '\(LogText.part(part.name, limit: 40))': "
          + "'\(LogText.part(String(content), limit: 60))' is not imported")
    }
    switch kind {
    case "@":
      part.isFile = true
      part.value = value == "-" ? nil : value
    case "<":
      notes.append(
        "form part '\(LogText.part(part.name, limit: 40))': "
          + "the value that it reads from a file must be passed with the call")
    default: part.value = value
    }
    operation.parts.append(part)
  }

  // MARK: Requests

  private mutating func finish() throws(ImportProblem) {
    let operation = operation
    for url in operation.urls { requests.append(try request(url, operation)) }
    if operation.urls.isEmpty, !requests.isEmpty || !operation.data.isEmpty {
      throw ImportProblem("part of the command has no URL")
    }
  }

  private mutating func request(
    _ url: String, _ operation: Operation
  ) throws(ImportProblem) -> ParsedRequest {
    var request = ParsedRequest()
    var url = try operation.isGlobOff ? url : CurlCommand.withoutGlobs(url)
    if !url.prefix(while: { !"/?#".contains($0) }).hasSuffix(":") || !url.contains("://") {
      url = "http://\(url)"
    }
    if let path = operation.upload, url.hasSuffix("/"), path != "-" {
      let name = path.split(separator: "/").last.map(String.init) ?? ""
      url += PercentText.escaped(name).replacing("+", with: "%20")
    }
    guard request.take(url: url) else {
      throw ImportProblem(
        "'\(LogText.part(CredentialMask.malformedURL(Blank.shown(url)), limit: 120))' "
          + "is not an HTTP URL")
    }
    guard !Blank.isIn(request.origin) else {
      throw ImportProblem(
        "the host of the URL is \(Blank.shown(request.origin)): write the real host, which the API file needs"
      )
    }
    for query in operation.urlQueries { request.take(query: query) }
    if let user = operation.user { request.user = user }
    request.isDigest = operation.isDigest
    request.headers = operation.headers
    if !operation.cookies.isEmpty {
      request.headers.append(("Cookie", operation.cookies.joined(separator: "; ")))
    }
    var method = "GET"
    if let upload = operation.upload {
      method = "PUT"
      request.body = .file(upload == "-" ? nil : upload)
    } else if !operation.parts.isEmpty {
      method = "POST"
      request.body = .parts(operation.parts)
    } else if !operation.data.isEmpty {
      if operation.isGet {
        request.take(query: CurlCommand.text(operation) ?? "")
      } else {
        method = "POST"
        takeBody(operation, &request)
      }
    }
    if operation.isHead { method = "HEAD" }
    let isUpload = operation.upload != nil && request.header("content-type") == nil
    request.unsent = operation.removed.intersection(["accept", "content-type"])
    // curl sends no content type for a file of `--upload-file`.
    if isUpload { request.unsent.insert("content-type") }
    request.unsent = request.unsent.filter { name in
      request.header(name) == nil && (name != "content-type" || request.body != nil)
    }
    let removed = operation.removed.subtracting(["expect", "user-agent", "accept", "content-type"])
    if !removed.isEmpty {
      notes.append(
        "not imported: headers that the command removes "
          + "(\(LogText.part(removed.sorted().joined(separator: ", "), limit: 80)))")
    }
    request.method = operation.method?.uppercased() ?? method
    guard Headers.problem(request.method, "".utf8) == nil else {
      throw ImportProblem(
        "'\(LogText.part(Blank.shown(request.method), limit: 40))' is not a method")
    }
    request.headers.removeAll {
      operation.removed.contains($0.name.lowercased()) && $0.value.isEmpty
    }
    return request
  }

  /// Returns the text of the body. `nil` if the body includes the content of a file.
  private static func text(_ operation: Operation) -> String? {
    var texts: [String] = []
    for data in operation.data {
      guard case .text(let text) = data else { return nil }
      texts.append(text)
    }
    return texts.joined(separator: operation.isJSON ? "" : "&")
  }

  private mutating func takeBody(_ operation: Operation, _ request: inout ParsedRequest) {
    let standard = operation.isJSON ? "application/json" : "application/x-www-form-urlencoded"
    if request.header("content-type") == nil, !operation.removed.contains("content-type") {
      request.headers.append(("Content-Type", standard))
    }
    if operation.isJSON, request.header("accept") == nil {
      request.headers.append(("Accept", "application/json"))
    }
    guard let text = CurlCommand.text(operation) else {
      if operation.data.count == 1, case .file(let path)? = operation.data.first {
        request.body = .file(path)
      } else {
        notes.append(
          "the body combines text and files, so the whole body must be passed with the call")
        request.body = .whole(nil)
      }
      return
    }
    if request.bodyType == "application/x-www-form-urlencoded",
      let fields = ParsedRequest.fields(text)
    {
      request.body = .fields(fields)
    } else if request.bodyType == "multipart/form-data",
      let parts = MultipartText.parts(
        text, type: request.header("content-type") ?? "", hasBlanks: true)
    {
      request.body = .parts(parts)
    } else {
      request.body = .whole(text)
    }
  }

  /// Checks the URL patterns (globs) of curl. `{id}` is kept as a placeholder, as in documentation.
  /// Throws if the pattern expands to several URLs.
  private static func withoutGlobs(_ url: String) throws(ImportProblem) -> String {
    if url.firstMatch(of: /\[(\d+-\d+|[a-z]-[a-z]|[A-Z]-[A-Z])(:\d+)?\]/) != nil
      || url.firstMatch(of: /\{[^{}]*,[^{}]*\}/) != nil
    {
      throw ImportProblem(
        "'{…,…}' or '[…-…]' makes curl request several URLs: pass one URL, or the option -g")
    }
    return url.replacing(/\{([A-Za-z_][A-Za-z0-9_]*)\}/) { Blank.text($0.1) }
  }
}

/// The options of curl, keyed by name, and whether they take a value.
enum CurlOption {
  /// Returns the full name of a long option. It may be abbreviated to an unambiguous prefix.
  static func named(_ text: String) -> String? {
    if values.contains(text) || flags.contains(text) { return text }
    let all = values.union(flags).filter { $0.hasPrefix(text) }
    return all.count == 1 ? all.first : nil
  }

  static func hasValue(_ name: String) -> Bool { values.contains(name) }

  static func named(_ letter: Character) -> String? { letters[letter] }

  private static let values: Set<String> = [
    "abstract-unix-socket", "alt-svc", "aws-sigv4", "cacert", "capath", "cert", "cert-type",
    "ciphers", "config", "connect-timeout", "connect-to", "continue-at", "cookie", "cookie-jar",
    "create-file-mode", "crlfile", "curves", "data", "data-ascii", "data-binary", "data-raw",
    "data-urlencode", "delegation", "dns-interface", "dns-ipv4-addr", "dns-ipv6-addr",
    "dns-servers", "doh-url", "dump-header", "ech", "egd-file", "engine", "etag-compare",
    "etag-save", "expect100-timeout", "form", "form-string", "ftp-account",
    "ftp-alternative-to-user", "ftp-method", "ftp-port", "ftp-ssl-ccc-mode",
    "happy-eyeballs-timeout-ms", "haproxy-clientip", "header", "hostpubmd5", "hostpubsha256",
    "hsts", "interface", "ip-tos", "ipfs-gateway", "json", "keepalive-time", "key", "key-type",
    "krb", "libcurl", "limit-rate", "local-port", "login-options", "mail-auth", "mail-from",
    "mail-rcpt", "max-filesize", "max-redirs", "max-time", "netrc-file", "noproxy",
    "oauth2-bearer", "output", "output-dir", "parallel-max", "pass", "pinnedpubkey", "preproxy",
    "proto", "proto-default", "proto-redir", "proxy", "proxy-cacert", "proxy-capath",
    "proxy-cert", "proxy-cert-type", "proxy-ciphers", "proxy-crlfile", "proxy-header",
    "proxy-key", "proxy-key-type", "proxy-pass", "proxy-pinnedpubkey", "proxy-service-name",
    "proxy-tls13-ciphers", "proxy-tlsauthtype", "proxy-tlspassword", "proxy-tlsuser",
    "proxy-user", "proxy1.0", "pubkey", "quote", "random-file", "range", "rate", "referer",
    "request", "request-target", "resolve", "retry", "retry-delay", "retry-max-time",
    "sasl-authzid", "service-name", "sigalgs", "socks4", "socks4a", "socks5",
    "socks5-gssapi-service", "socks5-hostname", "speed-limit", "speed-time", "stderr",
    "telnet-option", "tftp-blksize", "time-cond", "tls-max", "tls13-ciphers", "tlsauthtype",
    "tlspassword", "tlsuser", "trace", "trace-ascii", "trace-config", "unix-socket",
    "upload-file", "upload-flags", "url", "url-query", "user", "user-agent", "variable",
    "vlan-priority", "write-out",
  ]

  private static let flags: Set<String> = [
    "alpn", "anyauth", "append", "basic", "buffer", "ca-native", "cert-status", "clobber",
    "compressed", "compressed-ssh", "create-dirs", "crlf", "digest", "disable", "disable-eprt",
    "disable-epsv", "disallow-username-in-url", "doh-cert-status", "doh-insecure", "fail",
    "fail-early", "fail-with-body", "false-start", "follow", "form-escape", "ftp-create-dirs",
    "ftp-pasv", "ftp-pret", "ftp-skip-pasv-ip", "ftp-ssl-ccc", "ftp-ssl-control", "get",
    "globoff", "haproxy-protocol", "head", "http0.9", "http1.0", "http1.1", "http2",
    "http2-prior-knowledge", "http3", "http3-only", "ignore-content-length", "include",
    "insecure", "ipv4", "ipv6", "junk-session-cookies", "keepalive", "list-only", "location",
    "location-trusted", "mail-rcpt-allowfails", "metalink", "mptcp", "negotiate", "netrc",
    "netrc-optional", "next", "npn", "ntlm", "ntlm-wb", "out-null", "parallel",
    "parallel-immediate", "path-as-is", "post301", "post302", "post303", "progress-bar",
    "progress-meter", "proxy-anyauth", "proxy-basic", "proxy-ca-native", "proxy-digest",
    "proxy-http2", "proxy-insecure", "proxy-negotiate", "proxy-ntlm", "proxy-ssl-allow-beast",
    "proxy-ssl-auto-client-cert", "proxy-tlsv1", "proxytunnel", "raw", "remote-header-name",
    "remote-name", "remote-name-all", "remote-time", "remove-on-error", "retry-all-errors",
    "retry-connrefused", "sasl-ir", "sessionid", "show-error", "silent", "skip-existing",
    "socks5-basic", "socks5-gssapi", "socks5-gssapi-nec", "ssl", "ssl-allow-beast",
    "ssl-auto-client-cert", "ssl-no-revoke", "ssl-reqd", "ssl-revoke-best-effort", "sslv2",
    "sslv3", "styled-output", "suppress-connect-headers", "tcp-fastopen", "tcp-nodelay",
    "tftp-no-options", "tls-earlydata", "tlsv1", "tlsv1.0", "tlsv1.1", "tlsv1.2", "tlsv1.3",
    "tr-encoding", "trace-ids", "trace-time", "use-ascii", "verbose", "xattr",
  ]

  private static let letters: [Character: String] = [
    "#": "progress-bar", "0": "http1.0", "1": "tlsv1", "2": "sslv2", "3": "sslv3", "4": "ipv4",
    "6": "ipv6", ":": "next", "A": "user-agent", "B": "use-ascii", "C": "continue-at",
    "D": "dump-header", "E": "cert", "F": "form", "G": "get", "H": "header", "I": "head",
    "J": "remote-header-name", "K": "config", "L": "location", "N": "buffer", "O": "remote-name",
    "P": "ftp-port", "Q": "quote", "R": "remote-time", "S": "show-error", "T": "upload-file",
    "U": "proxy-user", "X": "request", "Y": "speed-limit", "Z": "parallel", "a": "append",
    "b": "cookie", "c": "cookie-jar", "d": "data", "e": "referer", "f": "fail", "g": "globoff",
    "i": "include", "j": "junk-session-cookies", "k": "insecure", "l": "list-only",
    "m": "max-time", "n": "netrc", "o": "output", "p": "proxytunnel", "q": "disable",
    "r": "range", "s": "silent", "t": "telnet-option", "u": "user", "v": "verbose",
    "w": "write-out", "x": "proxy", "y": "speed-time", "z": "time-cond",
  ]

  /// Options that need no import, because they concern curl's output, or because they request
  /// something that Lull always does.
  static let unneeded: Set<String> = [
    "basic", "compressed", "create-dirs", "disable", "fail", "fail-early", "fail-with-body",
    "globoff",
    "http1.1", "http2", "include", "location", "output", "progress-bar", "progress-meter",
    "remote-header-name", "remote-name", "remote-name-all", "remote-time", "show-error", "silent",
    "styled-output", "tcp-nodelay", "verbose", "write-out", "buffer", "stderr", "keepalive",
    "output-dir", "remove-on-error", "parallel", "parallel-immediate", "parallel-max", "path-as-is",
  ]
}

/// Percent-encodes texts in the same way as curl.
extension CurlCommand {
  /// Encodes the argument of `--data-urlencode`. The content of a file becomes a placeholder.
  static func encoded(_ value: String) -> (text: String, isFile: Bool) {
    guard let mark = value.firstIndex(of: "=") ?? value.firstIndex(of: "@") else {
      return (escaped(value), false)
    }
    let name = value[..<mark]
    let content = value[value.index(after: mark)...]
    let isFile = value[mark] == "@"
    let text = isFile ? Blank.text(name.isEmpty ? "content" : name) : escaped(content)
    return (name.isEmpty ? text : "\(name)=\(text)", isFile)
  }

  static func escaped(_ text: some StringProtocol) -> String {
    guard Blank.isIn(text) else { return PercentText.escaped(text) }
    // Placeholders are not encoded.
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: Blank.open),
      let end = rest[start...].firstIndex(of: Blank.close)
    {
      result += PercentText.escaped(rest[..<start]) + rest[start...end]
      rest = rest[rest.index(after: end)...]
    }
    return result + PercentText.escaped(rest)
  }
}
