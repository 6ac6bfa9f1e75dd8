import LullCore

/// The curl command that is equivalent to a request.
struct CurlText {
  let text: String

  /// - Parameters:
  ///   - options: The command's output options. `nil`: none.
  ///   - auth: The configured credentials, if any.
  ///   - user: User name and password, shown instead of the masked ones.
  init(_ http: HTTPRequest, _ options: CallOptions?, _ auth: Auth?, user: String? = nil) {
    // For methods that expect a body, a missing body is sent as an empty one.
    let body = http.payload ?? ([.post, .put, .patch].contains(http.method) ? .bytes([]) : nil)
    var words = ["curl", "--location", "--compressed"]
    if http.options?.redirects == .answer { words.remove(at: 1) }
    if http.method == .head, body == nil {
      words.append("--head")
    } else if http.method == .head {
      // With --head, curl sends no body.
      words += ["--request", "HEAD", "--include"]
    } else if http.method != (body == nil ? .get : .post) {
      words += ["--request", http.method.rawValue]
    }
    let url = Masking.url(http.url)
    // curl would expand these to several URLs.
    if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
    // Without this option, curl would resolve dot segments in the path.
    if ResourceURL(shown: url)?.hasDotSegments ?? false { words.append("--path-as-is") }
    words.append(CurlText.quoted(url))
    let login = CurlText.login(auth, http, user: user)
    if login == nil, let user = Masking.user(of: http.url) {
      words.append("--user \(CurlText.quoted(user))")
    }
    var lines =
      [words.joined(separator: " ")] + (login ?? []) + CurlText.networkArguments(http)
    let savesBody = options?.file.map { $0 != "-" } ?? false
    if options?.showsHead == true, http.method != .head {
      lines.append(savesBody ? "--dump-header -" : "--include")
    }
    // Don't save the body of an error.
    if savesBody, let options, let file = options.file {
      lines.append(
        options.namesFile
          ? "--fail --remote-header-name --remote-name --output-dir \(CurlText.quoted(file))"
          : "--fail --output \(CurlText.quoted(file))")
      if options.resumes { lines.append("--continue-at -") }
    }
    if let retries = options?.retries, retries > 0 { lines.append("--retry \(retries)") }
    if options?.isStream == true { lines.append("--no-buffer") }
    if options?.isVerbose == true { lines.append("--verbose") }
    for name in CurlText.ownHeaders where http.headers.omitted.contains(name) {
      lines.append("--header '\(name):'")
    }
    for (name, value) in HTTPText.sorted(http.headers.lines)
    where !(http.isForm && name == "content-type")
      && !(login != nil && name == "authorization")
    {
      // With a colon and no value, curl would remove the header.
      let header = value.isEmpty ? "\(name);" : "\(name): \(Masking.header(name, value))"
      lines.append("--header \(CurlText.quoted(header))")
    }
    var source = ""
    if let body {
      switch body {
      case .bytes(let bytes):
        if let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) {
          lines.append("--data-raw \(CurlText.quoted(CredentialMask.body(text)))")
        } else {
          source = "printf '\(bytes.map(CurlText.octal).joined())' | "
          lines.append("--data-binary @-")
        }
      case .streamed(let stream): lines += CurlText.arguments(of: stream)
      }
      if http.headers["content-type"] == nil, !http.headers.omitted.contains("content-type") {
        lines.append("--header 'content-type:'")
      }
    }
    text = source + lines.joined(separator: " \\\n  ") + "\n"
  }

  /// The arguments of curl for a streamed body, depending on its source.
  private static func arguments(of body: StreamedBody) -> [String] {
    switch body.source {
    case .file(let file): ["--data-binary \(quoted("@\(file.path)"))"]
    case .form(let form): form.parts.map { "--form \(quoted(field(of: $0)))" }
    case .bytes: ["--data-binary @-"]
    }
  }

  private static func field(of part: MultipartForm.Part) -> String {
    var field = "\(part.name)="
    switch part.value {
    case .file(let file): field += "@" + doublyQuoted(file.path.description)
    case .bytes(let bytes):
      let text = String(decoding: bytes, as: UTF8.self)
      field += doublyQuoted(CredentialName.names(part.name) ? Masking.mark : text)
    case .secret(let text): field += doublyQuoted(text.masked)
    }
    if let type = part.contentType { field += ";type=\(type)" }
    if let name = part.fileName { field += ";filename=" + doublyQuoted(name.description) }
    return field
  }

  /// Quotes text for curl's parser, which otherwise treats a semicolon or `@` specially.
  private static func doublyQuoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// Headers that curl sends automatically.
  private static let ownHeaders = ["accept", "accept-encoding", "content-type", "user-agent"]

  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
  }

  /// Quotes a text as one word of a POSIX shell.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_./:,@%+=".utf8.contains(byte)
      }
    }
    return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}

extension CurlText {
  /// The curl options for credentials. `nil` if a header contains the credentials.
  ///
  /// - Parameter shown: User name and password, shown instead of the masked ones.
  static func login(_ auth: Auth?, _ http: HTTPRequest, user shown: String?) -> [String]? {
    guard let auth, let login = auth.login else { return nil }
    // The credentials of this request take precedence over the configured ones.
    let own = http.headers["authorization"]
    guard own == nil || own == auth.maskedHeader else { return nil }
    let user = { (name: String, password: String) in
      "--user \(quoted(shown ?? "\(name):\(password)"))"
    }
    switch login {
    case .basic(let name, let hasPassword): return [user(name, hasPassword ? Masking.mark : "")]
    case .digest(let name): return ["--digest \(user(name, Masking.mark))"]
    case .netrc(let path, let isOptional):
      let option = isOptional ? "--netrc-optional" : "--netrc"
      return [
        path.map { "\(isOptional ? "--netrc-optional " : "")--netrc-file \(quoted($0))" } ?? option
      ]
    case .signature(let service, let region, let accessKey):
      // curl derives omitted parts from the host name too.
      var kind = "aws:amz"
      if let region { kind += ":\(region)" }
      if let region, let service { kind = "aws:amz:\(region):\(service)" }
      return ["--aws-sigv4 \(quoted(kind)) \(user(accessKey, Masking.mark))"]
    }
  }
}

extension CurlText {
  /// The curl options for the network settings of a request. Passwords are masked.
  ///
  /// A cookie jar without a file has nothing to send with the first request. Settings without a
  /// curl option are in `omissions`.
  static func networkArguments(_ http: HTTPRequest) -> [String] {
    var arguments: [String] = []
    func add(_ name: String, _ value: String?) {
      if let value { arguments.append("\(name) \(quoted(value))") }
    }
    let initial = TransferLimits()
    // By default, curl has no timeout.
    if http.limits.timeout != initial.timeout, http.limits.timeout.isFinite {
      add("--max-time", seconds(http.limits.timeout))
    }
    if http.limits.connectTimeout != initial.connectTimeout {
      add("--connect-timeout", seconds(http.limits.connectTimeout))
    }
    guard let options = http.options else { return arguments }
    let connection = options.connection
    if let idle = options.idleTimeout, idle.isFinite {
      // Less than one byte per second, for a whole number of seconds.
      add("--speed-limit", "1")
      add("--speed-time", "\(Int(min(max(1, idle.rounded(.up)), 1e9)))")
    }
    if case .follow(let limit) = options.redirects, limit != 10 { add("--max-redirs", "\(limit)") }
    add("--cacert", connection.certificateAuthorities)
    if !connection.verifiesServer { arguments.append("--insecure") }
    add("--cert", connection.clientCertificate)
    add("--key", connection.clientKey)
    switch connection.proxy {
    case .environment: break
    case .none: add("--noproxy", "*")
    case .url(let url):
      add("--proxy", Masking.url(url))
      add("--proxy-user", Masking.user(of: url))
      if connection.hostsWithoutProxy == nil { add("--noproxy", "") }
    }
    if connection.proxy != .none { add("--noproxy", connection.hostsWithoutProxy) }
    for (key, value) in connection.addresses.sorted(by: { $0.key < $1.key }) {
      guard let from = HostAndPort(key), var to = HostAndPort(value) else { continue }
      to.port = to.port ?? from.port
      add("--connect-to", "\(from.description):\(to.description)")
    }
    add("--unix-socket", connection.unixSocket)
    switch connection.httpVersion {
    case nil: break
    case .http1: arguments.append("--http1.1")
    case .http2:
      arguments.append(
        http.url.hasPrefix("https:") ? "--http2" : "--http2-prior-knowledge")
    case .http3: arguments.append("--http3")
    }
    add("--cookie", options.cookies?.file)
    add("--cookie-jar", options.cookies?.file)
    return arguments
  }

  /// The settings of a request that curl can't express, one sentence each.
  static func omissions(_ http: HTTPRequest, _ auth: Auth?) -> [String] {
    var sentences: [String] = []
    if let auth, auth.stage != nil, auth.login == nil, http.headers["authorization"] == nil {
      sentences.append("curl cannot fetch the token that Lull would send")
    }
    if case .streamed(let body)? = http.payload, case .form(let form) = body.source {
      for part in form.parts where !canTell(part) {
        sentences.append(
          "curl cannot send the part '\(LogText.part(part.name))' of the form unchanged")
      }
    }
    guard let options = http.options else { return sentences }
    if options.cookies?.keeper != nil {
      sentences.append("curl does not get the cookies of the session")
    }
    if options.redirects == .followWithinOrigin {
      sentences.append(
        "curl also follows redirects to other origins, which redirects = \"same_origin\" prevents")
    }
    if let seconds = options.firstByteTimeout {
      sentences.append(
        "curl has no option for first_byte_timeout = \(CurlText.seconds(seconds))")
    }
    return sentences
  }

  /// Whether curl can express a part of a form: its name does not contain `=`, and its value is
  /// valid text.
  private static func canTell(_ part: MultipartForm.Part) -> Bool {
    guard !part.name.contains("=") else { return false }
    guard case .bytes(let bytes) = part.value else { return true }
    return !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
  }

  /// A duration as an argument of curl. If the duration is too long for curl, returns the number
  /// that means no limit.
  private static func seconds(_ seconds: Double) -> String {
    guard seconds < 2_000_000 else { return "0" }
    let whole = seconds.rounded()
    return seconds == whole ? "\(Int(whole))" : "\((seconds * 1000).rounded(.up) / 1000)"
  }
}

extension HTTPRequest {
  /// Whether the body is a multipart form, for which curl generates another boundary.
  var isForm: Bool {
    guard case .streamed(let body)? = payload, case .form = body.source else { return false }
    return headers["content-type"]?.hasPrefix("multipart/form-data; boundary=lull-") ?? false
  }
}

/// A multipart body for people: its parts with their headers, credentials masked. For binary
/// values, only the size is shown.
struct MultipartText {
  private(set) var lines: [String] = []

  /// - Parameter bytes: The whole body, or its beginning.
  init(_ bytes: [UInt8], _ boundary: String) {
    let delimiter = Array("--\(boundary)".utf8)
    var rest = bytes[...]
    while let place = rest.firstRange(of: delimiter) {
      add(rest[..<place.lowerBound])
      lines.append("--\(boundary)\(rest[place.upperBound...].starts(with: "--".utf8) ? "--" : "")")
      rest = rest[place.upperBound...]
    }
    if !rest.starts(with: "--".utf8) { add(rest) }
  }

  /// Adds the text between two delimiters: a line end, headers, an empty line and a value.
  private mutating func add(_ part: ArraySlice<UInt8>) {
    guard !part.allSatisfy({ $0 == 13 || $0 == 10 }) else { return }
    let emptyLine = part.firstRange(of: [13, 10, 13, 10])
    let head = String(escaping: part[..<(emptyLine?.lowerBound ?? part.endIndex)])
    let headLines = head.split(whereSeparator: \.isNewline)
    lines += headLines.map(String.init)
    guard let emptyLine else { return }
    var value = part[emptyLine.upperBound...]
    if value.suffix(2).elementsEqual([13, 10]) { value = value.dropLast(2) }
    lines.append("")
    if let name = MultipartText.name(in: headLines), CredentialName.names(name) {
      lines.append(Masking.mark)
    } else if !value.contains(0), let text = String(validating: value, as: UTF8.self) {
      lines += CredentialMask.body(text)
        .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    } else {
      lines.append("(\(value.count) bytes)")
    }
  }

  private static func name(in head: [Substring]) -> String? {
    let line = head.first { $0.lowercased().hasPrefix("content-disposition:") }
    guard let line, let start = line.firstRange(of: " name=\"")?.upperBound else { return nil }
    return String(line[start...].prefix { $0 != "\"" })
  }
}
