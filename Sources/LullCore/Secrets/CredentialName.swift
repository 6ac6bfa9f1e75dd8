/// Decides from the name of a header, parameter or field whether its value is a credential. This is
/// the only list of credential names in Lull.
package enum CredentialName {
  /// The name is used only for credentials.
  case certain
  /// The name is used for credentials, but also for other values.
  case likely

  /// Classifies a name. Returns nil if the name does not denote a credential. Letter case and word
  /// separators are ignored.
  package init?(_ name: some StringProtocol) {
    let whole = name.lowercased()
    if CredentialName.others.contains(whole) { return nil }
    let words = CredentialName.words(of: name)
    if words.contains(where: CredentialName.neutral.contains) { return nil }
    let pairs = zip(words, words.dropFirst()).map { $0 + $1 }
    let isCertain = words.contains { word in
      CredentialName.stems.contains { CredentialName.contains($0, in: word) }
        && !word.hasPrefix("secretar")
    }
    if isCertain || pairs.contains(where: CredentialName.pairs.contains) {
      self = .certain
    } else if words.indices.contains(where: { CredentialName.isLikely(words, $0) }) {
      self = .likely
    } else {
      return nil
    }
  }

  /// Whether values with this name are credentials. Only the name is checked.
  package static func names(_ name: some StringProtocol) -> Bool { CredentialName(name) != nil }

  /// The names of headers that contain nothing but credentials.
  package static let headers: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "x-api-key",
  ]

  private static let stems = [
    "password", "passwd", "passphrase", "passcode", "secret", "credential", "cookie", "apikey",
    "authorization", "sessid", "sessionid", "accesskey", "privatekey", "accesstoken", "authtoken",
    "refreshtoken", "bearertoken", "privatetoken", "idtoken", "jwt",
  ]

  /// Pairs of consecutive words that together denote a credential, each written as one word:
  /// `apikey` for `api key`.
  private static let pairs: Set<String> = [
    "apikey", "appkey", "accesskey", "authkey", "privatekey", "sharedkey", "signingkey",
    "subscriptionkey", "accesstoken", "authtoken", "refreshtoken", "bearertoken", "privatetoken",
    "securitytoken", "sessiontoken", "idtoken", "sessionid",
  ]

  private static let words: Set<String> = [
    "key", "token", "sig", "hmac", "pwd", "pass", "sid", "otp", "totp", "bearer", "csrf", "xsrf",
    "assertion", "creds", "appkey", "authkey", "sharedkey", "signingkey", "subscriptionkey",
  ]

  /// Words that denote kinds of keys that are not credentials, when they precede the word "key".
  private static let keyKinds: Set<String> = [
    "public", "primary", "foreign", "sort", "partition", "idempotency", "cache", "surrogate",
    "websocket", "routing", "object", "group", "order", "index", "message", "translation",
  ]

  /// Words for properties of a credential. For example, `token_type` contains the word "type", so
  /// its value is not a credential.
  private static let neutral: Set<String> = [
    "type", "url", "uri", "endpoint", "count", "limit", "length", "size", "hint", "expires",
    "expiry", "expiration", "ttl", "policy", "algorithm",
  ]

  private static let others: Set<String> = [
    "www-authenticate", "proxy-authenticate", "access-control-allow-credentials",
  ]

  private static func isLikely(_ words: [String], _ place: Int) -> Bool {
    let word = words[place]
    if word == "key", place > 0, keyKinds.contains(words[place - 1]) { return false }
    if CredentialName.words.contains(word) || word.hasSuffix("token") { return true }
    // In a longer name, such as `max_tokens`, the word "tokens" is a count.
    if word == "tokens" { return words.count == 1 }
    if contains("signature", in: word) || word.hasPrefix("session") && word != "sessions" {
      return true
    }
    return contains("auth", in: word) && !isAuthor(word)
  }

  private static func isAuthor(_ word: String) -> Bool {
    word.hasPrefix("author") && !word.hasPrefix("authoriz") && !word.hasPrefix("authoris")
  }

  /// Whether `stem` occurs in `word`. This function compares bytes, because recordings have
  /// thousands of names, and the string search of the standard library would build a table for each
  /// name.
  private static func contains(_ stem: String, in word: String) -> Bool {
    var rest = word.utf8[...]
    while rest.count >= stem.utf8.count {
      if rest.starts(with: stem.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }

  /// Splits `X-Api-Key`, `api_key`, `apiKey` or `APIKey` into words, in lower case.
  private static func words(of name: some StringProtocol) -> [String] {
    var words: [String] = []
    var word = ""
    var last: Character = " "
    func end() {
      if !word.isEmpty { words.append(word.lowercased()) }
      word = ""
    }
    for character in name {
      if !character.isLetter && !character.isNumber {
        end()
      } else {
        if character.isUppercase, last.isLowercase || last.isNumber { end() }
        // The last of several capital letters begins the next word.
        if character.isLowercase, last.isUppercase, word.count > 1, let first = word.popLast() {
          end()
          word.append(first)
        }
        word.append(character)
      }
      last = character
    }
    end()
    return words
  }
}
