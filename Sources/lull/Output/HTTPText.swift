import LullCore

/// Requests and responses as text for people.
struct HTTPText {
  let text: String

  /// A request, with credentials masked.
  init(_ http: HTTPRequest) {
    var lines = ["\(http.method) \(Masking.url(http.url))"]
    for (name, value) in HTTPText.sorted(http.headers.lines) {
      lines.append("\(name): \(Masking.header(name, value))")
    }
    if Masking.user(of: http.url) != nil, http.headers["authorization"] == nil {
      lines.append("authorization: \(Masking.mark)")
    }
    var text = lines.joined(separator: "\n") + "\n"
    if let body = http.payload {
      let shown = HTTPText.body(body)
      text += "\n" + (shown.hasSuffix("\n") ? shown : shown + "\n")
    }
    self.text = text
  }

  /// The text of a body. A streamed body is only summarized.
  private static func body(_ body: RequestPayload) -> String {
    switch body {
    case .bytes(let bytes):
      String(validating: bytes, as: UTF8.self).map { CredentialMask.body($0) }
        ?? "(\(bytes.count) bytes)"
    case .streamed(let stream):
      if case .form(let form) = stream.source {
        form.parts.map(part).joined(separator: "\n")
      } else {
        "(\(stream.summary))"
      }
    }
  }

  /// A value of a form, on one or more lines.
  private static func part(_ part: MultipartForm.Part) -> String {
    let type = part.contentType.map { ", \($0)" } ?? ""
    switch part.value {
    case .file(let file): return "\(part.name): (file \(file.shown)\(type))"
    case .bytes(let bytes):
      guard !CredentialName.names(part.name) else { return "\(part.name): \(Masking.mark)" }
      let text = String(validating: bytes, as: UTF8.self) ?? "(\(bytes.count) bytes\(type))"
      return "\(part.name): \(text)"
    case .secret(let text): return "\(part.name): \(text.masked)"
    }
  }

  /// Sorts headers by name. Lua tables have no order, and repeated output should be the same.
  static func sorted(_ headers: Headers) -> [(name: String, value: String)] {
    headers.pairs.enumerated()
      .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }.map(\.element)
  }

  /// The status and headers of a response, with credentials masked.
  ///
  /// - Parameter version: The HTTP version, if it is known.
  static func head(version: String?, status: Int, headers: Headers, _ style: OutputStyle) -> String
  {
    let name = version.map { "HTTP/\($0)" } ?? "HTTP"
    var text = style.painted("\(name) \(status) \(StatusPhrase.text(for: status))", "1") + "\n"
    for (name, value) in headers.pairs {
      text += style.painted(name, "34") + ": \(Masking.header(name, value))\n"
    }
    return text + "\n"
  }
}
