/// Checks whether the regular expressions in schemas are valid according to ECMA-262.
package struct UsablePatterns {
  private var known: [String: Bool] = [:]
  /// Whether patterns can be checked. Without PCRE2, they can't be checked, and all patterns are
  /// accepted.
  private lazy var canTell = (try? SchemaPattern("a")) != nil

  package init() {}

  package mutating func contains(_ pattern: String) -> Bool {
    if let known = known[pattern] { return known }
    let isUsable = !canTell || (try? SchemaPattern(pattern)) != nil
    known[pattern] = isUsable
    return isUsable
  }
}
