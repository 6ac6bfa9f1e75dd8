import Glibc
import LullCore

/// Secrets that stand in a source text, as far as they can be told from other texts.
struct WrittenSecrets {
  private let tokens: [LineToken]
  private let places: DeclarationPlaces

  init(_ source: [UInt8]) {
    places = DeclarationPlaces(source)
    tokens = places.tokens
  }

  var findings: [(line: Int, text: String)] {
    tokens.indices.compactMap { index in
      guard tokens[index].kind == .string, let what = secret(at: index) else { return nil }
      return (
        places.line(at: tokens[index].range.lowerBound),
        "\(what) is written here: let the environment, a file or a command have it, as by "
          + "lull.secret{ env = \"NAME\" }"
      )
    }
  }

  /// What the text at an index is, in words; nil if it is no secret.
  private func secret(at index: Int) -> String? {
    let text = tokens[index].text
    if let shape = WrittenSecrets.shape(of: text) { return shape }
    if WrittenSecrets.hasPassword(text) { return "a password in a URL" }
    let value = WrittenSecrets.withoutScheme(text)
    guard !value.isEmpty, !isJoined(index) else { return nil }
    if let function = function(ofArgument: index) { return "the secret of lull.auth.\(function)" }
    guard let name = name(before: index)?.lowercased(), !APIDeclaration.types.contains(value) else {
      return nil
    }
    if ["authorization", "proxy-authorization", "cookie", "x-api-key"].contains(name) {
      return "the value of the header '\(name)'"
    }
    let isCalledLikeOne = ["token", "secret", "password", "passwd", "api_key", "apikey", "api-key"]
      .contains { name.contains($0) }
    return isCalledLikeOne && WrittenSecrets.looksRandom(value)
      ? "what looks like a secret ('\(name)')" : nil
  }

  /// `name =`, `["name"] =` and `.name =` before a text.
  private func name(before index: Int) -> String? {
    guard index >= 2, tokens[index - 1].isSymbol("=") else { return nil }
    if tokens[index - 2].kind == .name { return tokens[index - 2].text }
    guard index >= 4, tokens[index - 2].isSymbol("]"), tokens[index - 3].kind == .string else {
      return nil
    }
    return tokens[index - 3].text
  }

  /// `auth.bearer("…")`, `auth.basic(user, "…")`, `auth.header(name, "…")`: their secret comes last.
  private func function(ofArgument index: Int) -> String? {
    guard index + 1 < tokens.count, tokens[index + 1].isSymbol(")") || isBare(index) else {
      return nil
    }
    var open = index - 1
    while open > 0, !tokens[open].isSymbol("("), open > index - 4 { open -= 1 }
    let name = isBare(index) ? index - 1 : open - 1
    guard name >= 2, tokens[name].kind == .name, tokens[name - 2].text == "auth",
      ["bearer", "basic", "header"].contains(tokens[name].text)
    else { return nil }
    return tokens[name].text
  }

  /// `auth.bearer "…"`
  private func isBare(_ index: Int) -> Bool { index > 0 && tokens[index - 1].kind == .name }

  /// Whether something is joined to it that is not written here.
  private func isJoined(_ index: Int) -> Bool {
    let isBefore = index + 1 < tokens.count && tokens[index + 1].text == ".."
    return isBefore || index > 0 && tokens[index - 1].text == ".."
  }

  private static func withoutScheme(_ text: String) -> String {
    for scheme in ["Bearer", "Basic", "token", "Token"] {
      if text == scheme { return "" }
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

  private static func shape(of text: String) -> String? {
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

  /// `https://user:password@host`
  private static func hasPassword(_ text: String) -> Bool {
    guard let start = text.firstRange(of: "://")?.upperBound else { return false }
    let authority = text[start...].prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":")
    else { return false }
    return authority.index(after: colon) < at
  }

  /// Long, of one word, and with many different characters.
  private static func looksRandom(_ text: String) -> Bool {
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
