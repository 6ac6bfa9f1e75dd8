extension Entity: CustomStringConvertible {
  /// Type, origin and the beginning of the content, on one line and without what looks like a
  /// credential: `application/json, 200 from https://api.test/a: {"id": 7}`.
  public var description: String {
    var text = LogText.part(contentType, limit: 80)
    if let exchange {
      text += ", \(exchange.status)"
      if let url = exchange.url { text += " from \(LogText.url(url))" }
    }
    return text + ": " + LogText.part(LogText.content(content), limit: 200)
  }
}
