import LullLibC
import LullCore
import LullHost
import LullLuaSource

/// Finds secrets written in source code, as far as they can be recognized.
struct WrittenSecrets {
  private let tokens: [LuaToken]
  private let places: DeclarationPlaces

  init(_ source: [UInt8]) {
    places = DeclarationPlaces(source)
    tokens = places.tokens
  }

  /// Returns at most one finding per line: literals that look like secrets, and literals that equal
  /// a credential which was used while the file ran.
  func findings(of credentials: [APIFileChecker.Credential]) -> [(line: Int, text: String)] {
    var found: [Int: String] = [:]
    for index in tokens.indices {
      switch tokens[index].kind {
      case .string: note(secret(at: index), at: index, in: &found)
      case .name:
        if let (what, literal) = secret(ofName: index) { note(what, at: literal, in: &found) }
      default: break
      }
    }
    for credential in credentials {
      for index in tokens.indices where tokens[index].kind == .string {
        let isSaid =
          WrittenSecrets.says(tokens[index].text, credential.text) && !isStandIn(index)
        note(isSaid ? credential.what : nil, at: index, in: &found)
      }
    }
    return found.map { (line: $0.key, text: $0.value) }
  }

  private func note(_ what: String?, at index: Int, in found: inout [Int: String]) {
    guard let what else { return }
    let line = places.line(at: tokens[index].range.lowerBound)
    found[line] =
      found[line]
      ?? "\(what) is written in the file: read it from the environment, a file or a command, "
      + "for example with lull.secret{ env = \"NAME\" }"
  }

  /// Returns whether a literal is the fallback for a missing secret, as in
  /// `os.getenv("TOKEN") or "none"`.
  private func isStandIn(_ index: Int) -> Bool {
    index > 0 && tokens[index - 1].isKeyword("or")
      && !WrittenSecrets.looksRandom(tokens[index].text)
  }

  /// Returns a description of the secret in the literal at a token index. nil if the literal is not
  /// a secret.
  private func secret(at index: Int) -> String? {
    let text = tokens[index].text
    if let shape = WrittenSecrets.shape(of: text) { return shape }
    if WrittenSecrets.hasPassword(text) { return "a password in a URL" }
    if let shape = WrittenSecrets.shape(ofPartOf: text) { return shape }
    if let last = WrittenSecrets.queryCredentials(in: text).last {
      // If another text is appended to this one, its end is only the beginning of a value.
      let isCut = isJoinedBehind(index) && text.hasSuffix(last.value)
      if !isCut { return "the value of the query parameter '\(last.name)'" }
    }
    let value = WrittenSecrets.withoutScheme(text)
    guard !value.isEmpty, !isJoined(index) else { return nil }
    if let function = function(ofArgument: index) { return "the secret of lull.auth.\(function)" }
    guard let name = name(before: index)?.lowercased(), !APIDeclaration.types.contains(value) else {
      return nil
    }
    if CredentialName.headers.contains(name) {
      return "the value of the header '\(name)'"
    }
    let kind = CredentialName(name)
    let isOne = kind == .certain || kind == .likely && value.contains(where: \.isNumber)
    return isOne && WrittenSecrets.looksRandom(value)
      ? "a value that looks like a secret ('\(name)')" : nil
  }

  /// Checks a variable that is assigned to a header, as in `headers["X-Api-Key"] = key`. Returns
  /// the name of the header, and the token index of the literal that the variable holds.
  private func secret(ofName index: Int) -> (what: String, literal: Int)? {
    guard index > 1, index + 1 < tokens.count,
      !["=", ".", ":", "[", "(", ".."].contains(tokens[index + 1].text)
    else {
      return nil
    }
    var start = index
    if tokens[index - 1].isSymbol(".."), tokens[index - 2].kind == .string,
      WrittenSecrets.isScheme(tokens[index - 2].text)
    {
      start = index - 2
    }
    guard let header = name(before: start)?.lowercased(), CredentialName.headers.contains(header),
      let literal = literal(named: tokens[index].text, before: start)
    else { return nil }
    return ("the value of the header '\(header)'", literal)
  }

  /// Returns the token index of the string literal that was last assigned to a name. nil if the
  /// name may hold anything else.
  private func literal(named name: String, before index: Int) -> Int? {
    for place in tokens[..<index].indices.reversed()
    where tokens[place].kind == .name && tokens[place].text == name {
      let next = tokens[place + 1]
      if next.isSymbol(","), place > 0, !tokens[place - 1].isKeyword("local") { return nil }
      if next.isSymbol(")") { return nil }
      guard next.isSymbol("="), place + 2 < index else { continue }
      guard tokens[place + 2].kind == .string, !isJoined(place + 2) else { return nil }
      return tokens[place + 2].text.isEmpty ? nil : place + 2
    }
    return nil
  }

  /// Returns the name to which the literal at a token index is assigned: `name =`, `["name"] =` or
  /// `.name =`.
  private func name(before index: Int) -> String? {
    guard index >= 2, tokens[index - 1].isSymbol("=") else { return nil }
    if tokens[index - 2].kind == .name { return tokens[index - 2].text }
    guard index >= 4, tokens[index - 2].isSymbol("]"), tokens[index - 3].kind == .string else {
      return nil
    }
    return tokens[index - 3].text
  }

  /// Returns the name of the `lull.auth` function if the literal is its secret argument, which is
  /// the last one: `auth.bearer("…")`, `auth.basic(user, "…")`, `auth.digest(user, "…")`,
  /// `auth.header(name, "…")`, `auth.query(name, "…")`.
  private func function(ofArgument index: Int) -> String? {
    guard index + 1 < tokens.count, tokens[index + 1].isSymbol(")") || isBare(index) else {
      return nil
    }
    var open = index - 1
    while open > 0, !tokens[open].isSymbol("("), open > index - 4 { open -= 1 }
    let name = isBare(index) ? index - 1 : open - 1
    guard name >= 2, tokens[name].kind == .name, tokens[name - 2].text == "auth",
      ["bearer", "basic", "digest", "header", "query"].contains(tokens[name].text)
    else { return nil }
    return tokens[name].text
  }

  /// Returns whether the literal is the argument of a call without parentheses, such as
  /// `auth.bearer "…"`.
  private func isBare(_ index: Int) -> Bool { index > 0 && tokens[index - 1].kind == .name }

  /// Returns whether the literal at a token index is concatenated with another expression.
  private func isJoined(_ index: Int) -> Bool {
    isJoinedBehind(index) || index > 0 && tokens[index - 1].isSymbol("..")
  }

  private func isJoinedBehind(_ index: Int) -> Bool {
    index + 1 < tokens.count && tokens[index + 1].isSymbol("..")
  }

  private static let schemes = ["Bearer", "Basic", "token", "Token"]

  private static func isScheme(_ text: String) -> Bool {
    schemes.contains { text == $0 + " " }
  }

  static func withoutScheme(_ text: String) -> String {
    for scheme in schemes {
      if text == scheme || text == scheme + " " { return "" }
      if text.hasPrefix(scheme + " ") { return String(text.dropFirst(scheme.count + 1)) }
    }
    return text
  }

  private static let shapes: [(prefix: String, length: Int, name: String)] = [
    ("ghp_", 30, "a GitHub token"), ("gho_", 30, "a GitHub token"), ("ghu_", 30, "a GitHub token"),
    ("ghs_", 30, "a GitHub token"), ("ghr_", 30, "a GitHub token"),
    ("github_pat_", 30, "a GitHub token"), ("glpat-", 20, "a GitLab token"),
    ("sk-", 20, "an API key"), ("sk_live_", 20, "an API key"), ("rk_live_", 20, "an API key"),
    ("AKIA", 20, "an AWS access key"), ("ASIA", 20, "an AWS access key"),
    ("xoxb-", 20, "a Slack token"), ("xoxp-", 20, "a Slack token"), ("xapp-", 20, "a Slack token"),
    ("AIza", 35, "a Google API key"), ("ya29.", 20, "a Google token"),
    ("npm_", 30, "an npm token"), ("pypi-", 30, "a PyPI token"), ("hf_", 30, "an API token"),
    ("dop_v1_", 30, "an API token"), ("SG.", 40, "an API key"), ("shpat_", 30, "an API token"),
  ]

  static func shape(of text: String) -> String? {
    if text.contains("PRIVATE KEY-----") { return "a private key" }
    let value = withoutScheme(text)
    let isWord = value.utf8.allSatisfy { byte in
      let scalar = Character(Unicode.Scalar(byte))
      return byte < 0x80 && (scalar.isLetter || scalar.isNumber || "-_.+/=".utf8.contains(byte))
    }
    guard isWord else { return nil }
    if value.hasPrefix("eyJ"), value.split(separator: ".").count == 3, value.count > 40 {
      return "a JSON Web Token"
    }
    return shapes.first { value.hasPrefix($0.prefix) && value.count >= $0.length }?.name
  }

  /// Returns whether a text has the form `https://user:password@host`.
  private static func hasPassword(_ text: String) -> Bool {
    guard let start = text.firstRange(of: "://")?.upperBound else { return false }
    let authority = text[start...].prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":")
    else { return false }
    return authority.index(after: colon) < at
  }

  /// Returns whether a text looks randomly generated: a long single word with many different
  /// characters.
  static func looksRandom(_ text: String) -> Bool {
    guard text.count >= 16, !text.contains(where: \.isWhitespace), !text.contains("://") else {
      return false
    }
    var counts: [Character: Int] = [:]
    for character in text { counts[character, default: 0] += 1 }
    let entropy = counts.values.reduce(0.0) { sum, count in
      let share = Double(count) / Double(text.count)
      return sum - share * log2(share)
    }
    return entropy >= 3
  }
}
