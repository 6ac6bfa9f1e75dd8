import LullHost

/// A URL below which the calls of a file are.
struct BaseURL {
  /// As it is written.
  let text: String
  let origin: String
  /// Without a slash at its end; often empty.
  let path: String

  private init?(_ text: String) {
    var request = SeenRequest()
    guard request.take(url: text) else { return nil }
    self.text = text
    origin = request.origin
    var path = request.path
    while path.hasSuffix("/") { path.removeLast() }
    self.path = path
  }

  /// All that a file has before its calls, those of environments among them.
  static func named(in file: DeclaredFile) -> [BaseURL] {
    let tokens = file.tokens[..<file.calls.tokens.lowerBound]
    return tokens.indices.dropLast(2).compactMap { place in
      guard tokens[place].kind == .name, tokens[place].text == "base_url",
        tokens[place + 1].isSymbol("="), tokens[place + 2].kind == .string
      else { return nil }
      return BaseURL(tokens[place + 2].text)
    }
  }

  /// The path of a request below it, with the slash it begins with; nil where it is elsewhere.
  func path(of request: SeenRequest) -> String? {
    guard request.origin == origin, request.path.hasPrefix(path) else { return nil }
    let rest = request.path.dropFirst(path.count)
    return rest.hasPrefix("/") ? String(rest) : nil
  }
}
