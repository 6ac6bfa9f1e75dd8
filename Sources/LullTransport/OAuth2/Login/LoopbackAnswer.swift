import LullCore

/// What a browser is shown: a sentence, and nothing that anybody else could have put there.
struct LoopbackAnswer: Equatable {
  let status: Int
  private let title: String
  private let text: String

  init(_ status: Int, _ title: String, _ text: String) {
    self.status = status
    self.title = title
    self.text = text
  }

  init(_ verdict: LoginRedirect.Verdict) {
    switch verdict {
    case .code:
      self.init(
        200, "The login has arrived", "The terminal says how it goes on. Close this window.")
    case .refused(let reason):
      self.init(200, "There is no login", "The server refuses: \(reason).")
    case .wrong(let status, let reason): self.init(status, "Not this", "\(reason).")
    }
  }

  static let tooLong = LoopbackAnswer(431, "Not this", "the request is too long.")
  static let malformed = LoopbackAnswer(400, "Not this", "this is no request.")

  /// Head and body. No store keeps it, nothing in it runs, and no page learns the URL it stood at.
  var bytes: [UInt8] {
    let page =
      "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>\(escaped(title))</title>"
      + "<h1>\(escaped(title))</h1><p>\(escaped(text))</p></html>\n"
    let head = [
      "HTTP/1.1 \(status) \(status == 200 ? "OK" : "Refused")",
      "Content-Type: text/html; charset=utf-8", "Content-Length: \(page.utf8.count)",
      "Cache-Control: no-store", "Referrer-Policy: no-referrer",
      "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
      "X-Content-Type-Options: nosniff", "Connection: close",
    ]
    return Array((head.map { $0 + "\r\n" }.joined() + "\r\n" + page).utf8)
  }

  private func escaped(_ text: String) -> String {
    let names: [Character: String] = [
      "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]
    return text.map { names[$0] ?? String($0) }.joined()
  }
}
