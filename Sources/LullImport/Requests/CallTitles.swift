/// Names calls after their resources. The name begins with the method, unless that is GET.
struct CallTitles {
  private var names = UniqueNames()
  private let known: [KnownCalls.Call]

  /// - Parameter known: The calls that already exist.
  init(_ known: [KnownCalls.Call] = []) {
    self.known = known
    for call in known { _ = names.name(for: call.name) }
  }

  mutating func name(for request: ParsedRequest, path: String) -> String {
    let written = LuaLiteral.quoted(path).dropFirst().dropLast()
    // A call that makes the same request already exists, so its name is reused.
    if let call = known.first(where: { $0.method == request.method && $0.path == written }) {
      return call.name
    }
    if let name = request.name.flatMap({ CallTitles.plain($0) }) { return names.name(for: name) }
    let title = PathTemplate(request.path).title
    guard request.method != "GET" else { return names.name(for: title) }
    return names.name(for: "\(UniqueNames.plain(request.method.lowercased(), else: "do"))_\(title)")
  }

  /// Converts the name that the author gave a request to characters that need no quotes in a shell.
  /// `nil` if no character is left.
  private static func plain(_ name: String) -> String? {
    var text = ""
    for character in Blank.shown(name).prefix(80) {
      if character.isLetter || character.isNumber || "/.".contains(character) {
        text.append(contentsOf: character.lowercased())
      } else if !text.hasSuffix("_"), !text.hasSuffix("/"), !text.isEmpty {
        text.append("_")
      }
    }
    while let last = text.last, "_/.".contains(last) { text.removeLast() }
    text = String(text.drop { "_/.-".contains($0) })
    return text.isEmpty ? nil : text
  }
}

/// Names an API after its host, for example `github` for `https://api.github.com`.
package enum HostTitle {
  package static func name(of origin: String) -> String {
    let host = origin.split(separator: "/").last?.prefix { $0 != ":" } ?? ""
    var labels = host.split(separator: ".").map(String.init)
    guard labels.count > 1, !labels.allSatisfy({ $0.allSatisfy(\.isNumber) }), !host.hasPrefix("[")
    else {
      return labels.first.map { UniqueNames.plain($0, else: "api") }.flatMap {
        $0.first?.isLetter == true ? $0 : nil
      }
        ?? "api"
    }
    labels.removeLast()
    if labels.count > 1, ["co", "com", "org", "net", "gov", "ac", "edu"].contains(labels.last) {
      labels.removeLast()
    }
    return UniqueNames.plain(labels.last ?? "api", else: "api").lowercased()
  }
}

/// Generates unique names. If a name is already taken, a number is appended.
struct UniqueNames {
  private var taken: Set<String> = []

  mutating func name(for wanted: String) -> String {
    var name = wanted
    var number = 1
    while !taken.insert(name).inserted {
      number += 1
      name = "\(wanted)_\(number)"
    }
    return name
  }

  /// Returns a unique key for Lua and the shell, derived from a parameter's name in the request.
  mutating func key(for wire: String) -> String {
    name(for: UniqueNames.plain(wire, else: "value"))
  }

  /// Converts a text to letters, digits, `_`, `-` and `.`. The result does not begin with `-` or
  /// `.`.
  static func plain(_ text: String, else other: String) -> String {
    var plain = ""
    for character in text.prefix(80) {
      if character.isASCII, character.isLetter || character.isNumber || "_-.".contains(character) {
        plain.append(character)
      } else if !plain.hasSuffix("_"), !plain.isEmpty {
        plain.append("_")
      }
    }
    plain = String(plain.drop { "-.".contains($0) })
    while plain.hasSuffix("_") && !text.hasSuffix("_") { plain.removeLast() }
    return plain.isEmpty ? other : plain
  }
}

/// Generates the names of environment variables for credentials.
struct VariableNames {
  /// The prefix of all names, in upper case, such as `GITHUB`.
  let prefix: String

  /// - Parameter name: The name of the API, which is the name of its file.
  init(api name: String) {
    prefix = SecurityReader.variableName(name)
  }

  /// Returns the variable for a header or parameter. For `X-Api-Key` of the API `github`, that is
  /// `GITHUB_API_KEY`.
  func variable(for name: String) -> String {
    var text = VariableNames.capitals(
      name.lowercased().hasPrefix("x-") ? String(name.dropFirst(2)) : name)
    for start in ["\(prefix)_"] where text.hasPrefix(start) && text.count > start.count {
      text.removeFirst(start.count)
    }
    return "\(prefix)_\(text.isEmpty ? "SECRET" : text)"
  }

  private static func capitals(_ name: String) -> String {
    var text = ""
    var last: Character = "_"
    for character in name.prefix(60) {
      if character.isASCII, character.isLetter || character.isNumber {
        if character.isUppercase, last.isLowercase || last.isNumber { text.append("_") }
        text.append(character.uppercased())
      } else if !text.hasSuffix("_"), !text.isEmpty {
        text.append("_")
      }
      last = character
    }
    while text.hasSuffix("_") { text.removeLast() }
    return text
  }
}
