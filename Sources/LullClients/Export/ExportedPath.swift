import LullCore

/// The path of a call as a document has it: without a server and a query, which stand elsewhere there.
struct ExportedPath {
  /// A part of the query that the path fixes, or has a place in.
  enum Pair {
    case fixed(name: String, value: String)
    case parameter(name: String, placeholder: String)
  }

  /// `https://host` before it; nil: it is below the base.
  private(set) var server: String?
  /// What stands before the query, beginning with a slash.
  private(set) var path: String
  private(set) var query: [Pair] = []
  /// What of the query has no form in a document.
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
        problem = "its query has '\(pair)', with escapes that are no text"
        continue
      }
      if value.hasPrefix("{"), value.hasSuffix("}"), value.count > 2,
        !value.dropFirst().dropLast().contains("{")
      {
        query.append(.parameter(name: name, placeholder: String(value.dropFirst().dropLast())))
      } else if value.contains("{") || name.contains("{") {
        problem = "its query has '\(pair)', which is a parameter among other text"
      } else {
        query.append(.fixed(name: name, value: text))
      }
    }
    if server?.contains("{") == true { problem = "a part of its server is a parameter" }
  }

  /// Names of what the query fixes and is likely to let somebody in: what it is stays behind.
  var credentials: [String] {
    query.compactMap { pair in
      if case .fixed(let name, _) = pair, CredentialName.names(name) { name } else { nil }
    }
  }

  /// Without escapes; nil where they are no text.
  private static func text(_ text: Substring) -> String? {
    String(validating: CredentialMask.decodedBytes(text), as: UTF8.self)
  }

  /// What two paths have in common that are one to a document: names in braces make no difference there.
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

  /// The same with other names in braces, in the order of those there are.
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
