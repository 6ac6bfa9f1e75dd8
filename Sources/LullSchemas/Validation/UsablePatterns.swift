/// Which patterns of schemas can be used: regular expressions of ECMA-262.
package struct UsablePatterns {
  private var known: [String: Bool] = [:]
  /// Without PCRE2 nobody can tell, and nothing is wrong with a pattern.
  private lazy var canTell = (try? SchemaPattern("a")) != nil

  package init() {}

  package mutating func contains(_ pattern: String) -> Bool {
    if let known = known[pattern] { return known }
    let isUsable = !canTell || (try? SchemaPattern(pattern)) != nil
    known[pattern] = isUsable
    return isUsable
  }
}
