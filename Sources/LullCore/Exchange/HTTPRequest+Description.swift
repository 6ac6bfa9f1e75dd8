extension HTTPRequest: CustomStringConvertible {
  /// Method, URL, headers and the size of the body, without what looks like a credential.
  public var description: String {
    var text = "\(method) \(LogText.url(url))"
    if !headers.isEmpty { text += ", \(headers)" }
    if let payload { text += ", \(payload.byteCount) bytes" }
    return text
  }
}
