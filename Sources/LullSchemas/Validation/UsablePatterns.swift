/// Checks whether regular expressions of schemas can be used, as in ECMA-262.
package struct UsablePatterns {
  private var known: [String: Bool] = [:]
  /// Without PCRE2, patterns can't be checked and are accepted.
  private lazy var canTell = (try? SchemaPattern("a")) != nil

  package init() {}

  package mutating func contains(_ pattern: String) -> Bool {
    if let known = known[pattern] { return known }
    let isUsable = !canTell || (try? SchemaPattern(pattern)) != nil
    known[pattern] = isUsable
    return isUsable
  }
}
