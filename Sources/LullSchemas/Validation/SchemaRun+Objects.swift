import CSimdjson
import LullCore

extension SchemaRun {
  mutating func checkObject(_ keyword: SchemaKeyword, _ index: Int) -> Bool {
    switch keyword {
    case .minProperties(let least):
      let count = SchemaRun.pairs(of: index, in: view).count
      return count >= least
        || violation(
          "minProperties", index,
          "must have at least \(ViolationText.count(least, "member")), has \(count)")
    case .maxProperties(let most):
      let count = SchemaRun.pairs(of: index, in: view).count
      return count <= most
        || violation(
          "maxProperties", index,
          "must have at most \(ViolationText.count(most, "member")), has \(count)")
    case .required(let names):
      var fits = true
      for name in names where member(name, of: index) == 0 {
        fits = violation("required", index, "must have '\(name)'")
        if isSilent { break }
      }
      return fits
    case .dependentRequired(let rules):
      var fits = true
      for (name, needed) in rules where member(name, of: index) != 0 {
        for other in needed where member(other, of: index) == 0 {
          fits = violation(
            "dependentRequired", index, "must have '\(other)', since it has '\(name)'")
        }
      }
      return fits
    default: return true
    }
  }

  mutating func checkMembers(
    _ keyword: SchemaKeyword, _ index: Int, _ evaluated: inout Evaluated
  ) throws(SchemaProblem) -> Bool {
    var fits = true
    for pair in SchemaRun.pairs(of: index, in: view) {
      let (key, value) = (Int(pair.key), Int(pair.value))
      switch keyword {
      case .properties(let rules):
        if try !check(rules, key, value, &evaluated) { fits = false }
      case .propertyNames(let node): if try !checkName(node, key) { fits = false }
      case .unevaluatedProperties(let node):
        if !evaluated.contains(value), try !descend(.member(key), node, value) { fits = false }
      default: break
      }
      if !fits, isSilent || isFull { return false }
    }
    if case .unevaluatedProperties = keyword { evaluated.noteAll() }
    return fits
  }

  private mutating func check(
    _ rules: SchemaKeyword.PropertyRules, _ key: Int, _ value: Int, _ evaluated: inout Evaluated
  ) throws(SchemaProblem) -> Bool {
    let name = SchemaRun.bytes(of: key, in: view)
    var fits = true
    var isKnown = false
    if let node = rules.names.value(of: name) {
      isKnown = true
      fits = try descend(.member(key), node, value)
    }
    for (pattern, node) in rules.patterns {
      guard let isFound = pattern.isFound(in: name) else {
        throw SchemaProblem(
          "matching the pattern '\(pattern.text)' against member names takes too long",
          pointer: pointer)
      }
      guard isFound else { continue }
      isKnown = true
      if try !descend(.member(key), node, value) { fits = false }
    }
    if !isKnown {
      guard let node = rules.additional else { return true }
      fits = try descend(.member(key), node, value)
    }
    evaluated.note(value)
    return fits
  }

  /// Validates the name of a member. The key of a member is stored on the tape like any other
  /// string, so it can be evaluated as a value.
  private mutating func checkName(_ node: Int, _ key: Int) throws(SchemaProblem) -> Bool {
    var evaluated = Evaluated(isWanted: false)
    guard try !silently(node, key, -1, &evaluated) else { return true }
    guard !isSilent else { return false }
    let reasons = try gathered(node, key, -1).map(\.message)
    let name = ViolationText.value(JSONElement(document: document, index: key))
    return violation(
      "propertyNames", key,
      "must not have a member named \(name)"
        + (reasons.first.map { ": a name \($0)" } ?? ""))
  }
}
