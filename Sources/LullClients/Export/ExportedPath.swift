import LullCore

/// The path of a call as an OpenAPI document needs it: the server, the path and the query are
/// separate.
struct ExportedPath {
  /// A pair of the path's query. Its value is fixed or a placeholder.
  enum Pair {
    case fixed(name: String, value: String)
    case parameter(name: String, placeholder: String)
    /// The whole query is a placeholder.
    case whole(placeholder: String)
  }

  /// The server if the path is an absolute URL, as `https://host`. nil if the path is below the
  /// base URL.
  private(set) var server: String?
  /// The path without its query. It begins with a slash.
  private(set) var path: String
  private(set) var query: [Pair] = []
  /// The part of the query that a document can't express.
  private(set) var problem: String?

  init(_ text: String) {
    var rest = text.prefix { $0 != "#" }
    if rest.hasPrefix("http://") || rest.hasPrefix("https://"),
      let mark = rest.firstRange(of: "://")
    {
      let authority = rest[mark.upperBound...].prefix { !"/?".contains($0) }
      server = LogText.url(String(rest[..<authority.endIndex]))
      rest = rest[authority.endIndex...]
    }
    let target = rest.prefix { $0 != "?" }
    path = target.hasPrefix("/") ? String(target) : "/" + target
    let whole = rest[target.endIndex...].dropFirst()
    if whole.hasPrefix("{"), whole.hasSuffix("}"), whole.count > 2,
      !whole.contains("="), whole.count(where: { $0 == "{" }) == 1
    {
      query.append(.whole(placeholder: String(whole.dropFirst().dropLast())))
      rest = rest[..<target.endIndex]
    }
    for pair in rest[target.endIndex...].dropFirst().split(separator: "&") {
      let start = pair.prefix { $0 != "=" }
      let value = pair[start.endIndex...].dropFirst()
      guard let name = ExportedPath.text(start), let text = ExportedPath.text(value) else {
        problem = "its query has '\(pair)', with escapes that are not UTF-8"
        continue
      }
      if value.hasPrefix("{"), value.hasSuffix("}"), value.count > 2,
        !value.dropFirst().dropLast().contains("{")
      {
        query.append(.parameter(name: name, placeholder: String(value.dropFirst().dropLast())))
      } else if value.contains("{") || name.contains("{") {
        problem = "its query has '\(pair)', which mixes a parameter with other text"
      } else {
        query.append(.fixed(name: name, value: text))
      }
    }
    if server?.contains("{") == true { problem = "a part of its server is a parameter" }
  }

  /// The placeholder that is the whole query. nil if there is none.
  var wholeQuery: String? {
    if case .whole(let placeholder)? = query.first { placeholder } else { nil }
  }

  /// The names of fixed query parameters that are probably credentials. Their values are not
  /// exported.
  var credentials: [String] {
    query.compactMap { pair in
      if case .fixed(let name, _) = pair, CredentialName.names(name) { name } else { nil }
    }
  }

  /// Decodes the escapes in a text. nil if the result is not valid UTF-8.
  private static func text(_ text: Substring) -> String? {
    String(validating: CredentialMask.decodedBytes(text), as: UTF8.self)
  }

  /// The path with empty braces. Documents compare paths without the names of the placeholders.
  var shape: String {
    var result = ""
    var isInside = false
    for character in path {
      if character == "}" { isInside = false }
      if !isInside { result.append(character) }
      if character == "{" { isInside = true }
    }
    return result
  }

  var placeholders: [String] { APICall.names(inPath: path) }

  /// Returns the path with other names for its placeholders.
  func renamed(_ names: [String: String]) -> String {
    var result = ""
    var rest = path[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      let name = String(rest[rest.index(after: open)..<close])
      result += rest[..<open] + "{\(names[name] ?? name)}"
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }
}
