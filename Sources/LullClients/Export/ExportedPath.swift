import LullCore

/// The path of a call in a document, where the server and the query are written separately.
struct ExportedPath {
  /// A part of the path's query that is fixed or a placeholder.
  enum Pair {
    case fixed(name: String, value: String)
    case parameter(name: String, placeholder: String)
  }

  /// The server in front of it, `https://host`; nil if it is below the base URL.
  private(set) var server: String?
  /// The part before the query, beginning with a slash.
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

  /// The names of fixed query parameters that are probably credentials. Their values are not
  /// exported.
  var credentials: [String] {
    query.compactMap { pair in
      if case .fixed(let name, _) = pair, CredentialName.names(name) { name } else { nil }
    }
  }

  /// Returns the unescaped text; nil if it is not valid UTF-8.
  private static func text(_ text: Substring) -> String? {
    String(validating: CredentialMask.decodedBytes(text), as: UTF8.self)
  }

  /// The path without the names in braces, because a document ignores them when comparing paths.
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

  /// Returns the path with other names in braces.
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
