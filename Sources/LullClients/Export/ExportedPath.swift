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
      let name = CredentialMask.decoded(pair.prefix { $0 != "=" })
      let value = pair[pair.prefix { $0 != "=" }.endIndex...].dropFirst()
      if value.hasPrefix("{"), value.hasSuffix("}"), value.count > 2,
        !value.dropFirst().dropLast().contains("{")
      {
        query.append(.parameter(name: name, placeholder: String(value.dropFirst().dropLast())))
      } else if value.contains("{") || name.contains("{") {
        problem = "its query has '\(pair)', which is a parameter among other text"
      } else {
        query.append(.fixed(name: name, value: CredentialMask.decoded(value)))
      }
    }
    if server?.contains("{") == true { problem = "a part of its server is a parameter" }
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
