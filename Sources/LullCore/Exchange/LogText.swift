/// Formats values for the log. The texts are short and have few lines, and formatting never fails.
/// (LOG-06 to LOG-08)
package enum LogText {
  /// Formats a text as a part of a message. White space is collapsed, and long text is truncated.
  /// nil is written as `nil`.
  package static func part(_ text: String?, limit: Int = 300) -> String {
    guard let text else { return "nil" }
    var result = ""
    var count = 0
    var isSpace = false
    for character in text {
      if character.isWhitespace {
        isSpace = !result.isEmpty
        continue
      }
      count += isSpace ? 2 : 1
      guard count <= limit else { return result + "…" }
      if isSpace { result += " " }
      isSpace = false
      result.append(character)
    }
    return result
  }

  /// Formats a number, without a fraction if the number is whole.
  package static func number(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
  }

  /// Formats a duration, with a useful precision.
  package static func seconds(_ seconds: Double) -> String {
    guard seconds < 1e15 else { return "an eternity" }
    if seconds >= 10 || seconds == seconds.rounded() { return "\(Int(seconds.rounded())) s" }
    let hundredths = Int((seconds * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
  }

  /// Formats a URL without its credentials.
  package static func url(_ text: String) -> String { CredentialMask.url(text) }

  /// Formats a URL without user and password.
  package static func withoutUser(_ text: String) -> String {
    guard let user = userInfo(of: text) else { return text }
    return String(text[..<user.startIndex]) + text[text.index(after: user.endIndex)...]
  }

  /// The user and password before the `@` of a URL; nil if the URL has none.
  package static func userInfo(of url: String) -> Substring? {
    guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
    let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    guard let at = url[start..<end].lastIndex(of: "@") else { return nil }
    return url[start..<at]
  }

  /// Formats content. JSON is written on several lines and text on one line, both truncated. Other
  /// content is described by its type or size.
  package static func content(_ content: Content) -> String {
    switch content {
    case .text(let text):
      // The text is masked before it is truncated. The rest of a truncated credential would not be
      // recognized.
      return "\"" + part(CredentialMask.body(String(text.prefix(4096)))) + "\""
    case .json(let document): return json(document)
    case .bytes(let bytes): return "\(bytes.count) bytes"
    case .value(let value): return part(String(describing: value))
    case .foreign(let foreign): return "a \(foreign.typeName) of the script"
    }
  }

  /// Formats JSON on several lines. Large documents are not written out.
  private static func json(_ document: JSONDocument) -> String {
    guard document.memory < 64 * 1024 else { return "JSON of \(document.memory) bytes" }
    var text: [UInt8] = []
    document.root.encode(into: &text, pretty: true)
    let lines = String(decoding: CredentialMask.body(text), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let shown = lines.prefix(40).joined(separator: "\n")
    return lines.count > 40 ? shown + "\n… \(lines.count - 40) more lines" : shown
  }

  /// Formats an entity on several lines: type, charset, headers, content.
  package static func dump(_ entity: Entity) -> String {
    var lines = ["content type: \(part(entity.contentType))"]
    if let charset = entity.charset { lines.append("charset: \(part(charset))") }
    lines.append("timestamp: \(entity.timestamp)")
    lines += headers(entity.headers)
    lines.append("content: \(content(entity.content))")
    return indented(lines)
  }

  package static func dump(_ error: RequestError) -> String {
    var lines = ["message: \(part(error.userMessage))"]
    if let status = error.httpStatusCode { lines.append("status: \(status)") }
    if let cause = error.cause { lines.append("cause: \(cause.kind): \(part(cause.message))") }
    var text = indented(lines)
    if let entity = error.entity { text += "\n  entity:" + indented([dump(entity)]) }
    return text
  }

  package static func dump(_ request: HTTPRequest) -> String {
    var lines = headers(request.headers.lines)
    switch request.payload {
    case .bytes(let bytes)?: lines.append("body: \(bytes.count) bytes")
    case .streamed(let body)?: lines.append("body: \(part(body.summary))")
    case nil: lines.append("body: none")
    }
    return indented(lines)
  }

  static func headers(_ headers: Headers) -> [String] {
    headers.pairs.map { name, value in
      "\(name): \(part(CredentialMask.header(name, value, mark: "…")))"
    }
  }

  static func indented(_ lines: [String]) -> String {
    lines.map { line in
      line.split(separator: "\n", omittingEmptySubsequences: false).map { "\n  " + $0 }.joined()
    }.joined()
  }
}

extension Entity: CustomStringConvertible {
  /// The type, the status, the URL and the beginning of the content on one line, with credentials
  /// masked: `application/json, 200 from https://api.test/a: {"id": 7}`.
  public var description: String {
    var text = LogText.part(contentType, limit: 80)
    if let exchange {
      text += ", \(exchange.status)"
      if let url = exchange.url { text += " from \(LogText.url(url))" }
    }
    return text + ": " + LogText.part(LogText.content(content), limit: 200)
  }
}

extension Headers: CustomStringConvertible {
  /// The headers as `name: value`, separated by commas, with credentials masked.
  public var description: String {
    pairs.map { "\($0.name): \(LogText.part(CredentialMask.header($0.name, $0.value)))" }
      .joined(separator: ", ")
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as compact JSON, for logs and debuggers. Members whose names denote credentials have
  /// the value `***`. NaN and infinite numbers are written as strings. (SWF-160)
  ///
  /// To send or store a value, use `encode(pretty:)`, which masks nothing.
  public var description: String {
    let bytes = (try? encode()) ?? (try? writable.encode()) ?? []
    return CredentialMask.text(String(decoding: CredentialMask.body(bytes), as: UTF8.self))
  }

  /// The value, with numbers that JSON can't represent replaced by strings.
  private var writable: JSONValue {
    switch self {
    case .double(let value) where !value.isFinite: .string("\(value)")
    case .array(let elements): .array(elements.map(\.writable))
    case .object(let members): .object(members.map { Member($0.key, $0.value.writable) })
    default: self
    }
  }
}

extension JSONElement: CustomStringConvertible {
  /// The value as compact JSON, with the same text as the equivalent `JSONValue`. Members whose
  /// names denote credentials have the value `***`. (SWF-160)
  public var description: String {
    var bytes: [UInt8] = []
    encode(into: &bytes)
    return CredentialMask.text(String(decoding: CredentialMask.body(bytes), as: UTF8.self))
  }
}

extension JSONDocument: CustomStringConvertible {
  /// The description of the root value. (SWF-160)
  public var description: String { root.description }
}

extension ResourceURL {
  /// Makes a URL from a text for display. The text may contain masks of secrets. Returns nil if the
  /// text isn't a URL.
  ///
  /// The masks are escaped in the result, so use the result only to inspect the rest of the URL.
  package init?(shown text: String) {
    self.init(
      absolute: CredentialMask.replacingMasks(in: text) { mask in
        mask.utf8.map { "%" + Hexadecimal.text([$0]) }.joined()
      })
  }
}
