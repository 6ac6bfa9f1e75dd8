/// Checks whether the regular expressions of schemas are valid, as in ECMA-262.
package struct UsablePatterns {
  private var known: [String: Bool] = [:]
  /// Whether patterns can be checked. Without PCRE2 they can't, and all are accepted.
  private lazy var canTell = (try? SchemaPattern("a")) != nil

  package init() {}

  package mutating func contains(_ pattern: String) -> Bool {
    if let known = known[pattern] { return known }
    let isUsable = !canTell || (try? SchemaPattern(pattern)) != nil
    known[pattern] = isUsable
    return isUsable
  }
}
