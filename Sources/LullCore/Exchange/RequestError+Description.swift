extension RequestError {
  /// The message with method, URL and status, and then what the cause adds, on one line and without
  /// credentials: `Cannot parse server response (GET https://api.test/a → 200): User cannot be made of
  /// it: users[3].name: expected a string, found null`. (ERR-160)
  ///
  /// Any thread. Lua: `tostring(err)` is shorter and ends before the cause.
  public var description: String {
    let summary = summary
    guard let cause else { return summary }
    switch cause {
    // The summary has these already.
    case .invalidURL, .requestCancelled, .script: return summary
    default:
      let detail = LogText.part(CredentialMask.text(cause.message), limit: 1000)
      return summary.contains(detail) ? summary : "\(summary): \(detail)"
    }
  }

  /// The same text as `description`. (ERR-160)
  ///
  /// Foundation's property of this name ignores it where the static type is `any Error`: there a program
  /// conforms the type to Foundation's protocol, which needs no further code:
  ///
  ///     extension RequestError: @retroactive LocalizedError {}
  public var localizedDescription: String { description }

  /// The same text as `description`, as Foundation's `LocalizedError` asks for it. (ERR-160)
  public var errorDescription: String? { description }

  /// The message with method, URL and status, without credentials: `Not found (GET https://api.test/a →
  /// 404)`.
  package var summary: String {
    var text = userMessage
    if case .invalidURL(let source?) = cause {
      let hint = ResourceURL.lacksScheme(source) ? ": it needs http:// or https:// before it" : ""
      return "\(text): '\(CredentialMask.malformedURL(source))'\(hint)"
    }
    var details = ""
    if let method, let url { details = "\(method) \(LogText.url(url))" }
    if let httpStatusCode {
      details += details.isEmpty ? "status \(httpStatusCode)" : " → \(httpStatusCode)"
    }
    if attempts.count > 1 {
      details += (details.isEmpty ? "" : ", ") + "after \(attempts.count) attempts"
    }
    if !details.isEmpty { text += " (\(details))" }
    if case .script(let script) = cause { text += ": \(script.message)" }
    return text
  }
}
