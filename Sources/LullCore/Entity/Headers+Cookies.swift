/// Cookies that requests have, in the one header that they share. (RFC 6265, section 5.4)
extension Headers {
  /// Adds cookies to those there are.
  package mutating func add(cookies: [(name: String, value: SecretText)]) {
    join(cookies.map { SecretText($0.name + "=") + $0.value })
  }

  /// Adds what another header of cookies has, but for those of names that are there. Where a name is not seen, all of
  /// them count as there.
  mutating func add(cookieHeader value: SecretText) {
    let known = texts.filter { $0.name == "cookie" }.map(\.text)
    guard !known.isEmpty else { return add("cookie", value) }
    let names = known.flatMap(\.cookies).map(\.name)
    let added = value.cookies
    guard !names.isEmpty, !names.contains(nil), !added.contains(where: { $0.name == nil }) else {
      return
    }
    let missing = added.filter { !names.contains($0.name) }
    if !missing.isEmpty { join(missing.map(\.text)) }
  }

  private mutating func join(_ added: [SecretText]) {
    let all = texts.filter { $0.name == "cookie" }.map(\.text) + added
    remove("cookie")
    var line = SecretText([])
    for (position, text) in all.enumerated() {
      line = position == 0 ? text : line + SecretText("; ") + text
    }
    if line.secrets.isEmpty { add("cookie", line.masked) } else { add("cookie", line) }
  }
}
