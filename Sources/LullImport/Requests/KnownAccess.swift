import LullHost

/// What a file says of who asks, as far as it shows without being run.
struct KnownAccess {
  /// Whether something holds for all of its calls.
  private(set) var isGeneral = false
  /// Of entries for some of them.
  private(set) var patterns: [String] = []

  init(_ file: DeclaredFile) {
    let tokens = file.tokens[..<file.calls.tokens.lowerBound]
    for place in tokens.indices.dropLast()
    where tokens[place].kind == .name && ["configure", "service"].contains(tokens[place].text) {
      var next = place + 1
      var pattern: String?
      if tokens[next].isSymbol("(") { next += 1 }
      if next + 1 < tokens.endIndex, tokens[next].kind == .string, tokens[next + 1].isSymbol(",") {
        pattern = tokens[next].text
        next += 2
      }
      guard let table = DeclaredTable(at: next, in: file.tokens) else {
        // A function may do anything; `service` by itself is a name.
        guard tokens[place].text == "configure" else { continue }
        if let pattern { patterns.append(pattern) } else { isGeneral = true }
        continue
      }
      guard let auth = table["auth"] else { continue }
      if let pattern {
        patterns.append(pattern)
      } else if file.tokens[auth.value.lowerBound].text != "false" {
        isGeneral = true
      }
    }
  }

  /// Whether an entry may be about the requests of a path.
  func covers(_ path: String) -> Bool {
    let own = AccessExceptions.pattern(of: path)
    return patterns.contains { $0.contains("**") || AccessExceptions.overlap($0, own) }
  }
}
