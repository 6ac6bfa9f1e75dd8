import LullCore

/// Requests and responses as they are shown.
struct HTTPText {
  let text: String

  /// A request, with credentials left out.
  init(_ http: HTTPRequest) {
    var lines = ["\(http.method) \(Masking.url(http.url))"]
    for (name, value) in http.headers.pairs {
      lines.append("\(name): \(Masking.header(name, value))")
    }
    var text = lines.joined(separator: "\n") + "\n"
    if let body = http.body {
      text += "\n"
      let shown = String(validating: body, as: UTF8.self) ?? "(\(body.count) bytes)"
      text += shown.hasSuffix("\n") ? shown : shown + "\n"
    }
    self.text = text
  }

  /// Status and headers of a response.
  static func head(status: Int, headers: Headers, _ style: OutputStyle) -> String {
    var text = style.painted("HTTP \(status) \(StatusPhrase.text(for: status))", "1") + "\n"
    for (name, value) in headers.pairs {
      text += style.painted(name, "34") + ": \(value)\n"
    }
    return text + "\n"
  }
}
