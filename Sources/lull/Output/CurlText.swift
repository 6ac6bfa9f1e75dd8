import LullCore

/// The curl command that sends what a request would.
struct CurlText {
  let text: String

  /// - Parameters:
  ///   - options: those of the command that say what becomes of the answer; nil: none do.
  ///   - auth: who asks, if it is configured.
  ///   - user: name and password of who asks, in the place of the masked ones.
  init(_ http: HTTPRequest, _ options: CallOptions?, _ auth: Auth?, user: String? = nil) {
    // Where a body belongs one without any is sent as one of no bytes.
    let body = http.payload ?? ([.post, .put, .patch].contains(http.method) ? .bytes([]) : nil)
    var words = ["curl", "--location", "--compressed"]
    if http.options?.redirects == .answer { words.remove(at: 1) }
    if http.method == .head, body == nil {
      words.append("--head")
    } else if http.method == .head {
      // curl sends no body with --head.
      words += ["--request", "HEAD", "--include"]
    } else if http.method != (body == nil ? .get : .post) {
      words += ["--request", http.method.rawValue]
    }
    let url = Masking.url(http.url)
    // curl would take these for a set of URLs.
    if url.contains(where: { "[]{}".contains($0) }) { words.append("--globoff") }
    // And would resolve these.
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
    // The body of an error is not what was to be saved.
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
    for (name, value) in HTTPText.sorted(http.headers)
    where !(http.isForm && name == "content-type")
      && !(login != nil && name == "authorization")
    {
      // Without a value curl would take it for one to be left out.
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

  /// A body that is read while it is sent, by what it is read from.
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

  /// As curl reads texts with a semicolon or an `@` in them.
  private static func doublyQuoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  /// What curl sends by itself.
  private static let ownHeaders = ["accept", "accept-encoding", "content-type", "user-agent"]

  private static func octal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 8)
    return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
  }

  /// As one word of a POSIX shell.
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
