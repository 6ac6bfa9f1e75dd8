import LullCore

extension SchemaRun {
  /// Evaluates a keyword that applies other schemas to the same value. Returns whether the value is
  /// valid according to this keyword.
  mutating func combine(
    _ keyword: SchemaKeyword, _ index: Int, _ chain: Int, _ evaluated: inout Evaluated
  ) throws(SchemaProblem) -> Bool {
    switch keyword {
    case .reference(let node): return try evaluate(node, index, chain + 1, &evaluated)
    case .dynamicReference(let name, let node):
      return try evaluate(dynamicTarget(name, node), index, chain + 1, &evaluated)
    case .allOf(let nodes):
      var fits = true
      for node in nodes {
        if try !evaluate(node, index, chain + 1, &evaluated) { fits = false }
        if !fits, isSilent || isFull { break }
      }
      return fits
    case .anyOf(let nodes): return try fitsAny(nodes, index, chain, &evaluated)
    case .oneOf(let nodes): return try fitsOne(nodes, index, chain, &evaluated)
    case .not(let node):
      var inside = Evaluated(isWanted: false)
      let isMeant = try silently(node, index, chain, &inside)
      return !isMeant
        || violation("not", index, "must not match the schema of 'not'", got: true)
    case .condition(let condition, let then, let otherwise):
      var inside = Evaluated(isWanted: evaluated.isWanted)
      let holds = try silently(condition, index, chain, &inside)
      if holds { evaluated.add(inside) }
      guard let node = holds ? then : otherwise else { return true }
      return try evaluate(node, index, chain + 1, &evaluated)
    default: return true
    }
  }

  private mutating func fitsAny(
    _ nodes: [Int], _ index: Int, _ chain: Int, _ evaluated: inout Evaluated
  ) throws(SchemaProblem) -> Bool {
    var fits = false
    for node in nodes {
      var inside = Evaluated(isWanted: evaluated.isWanted)
      guard try silently(node, index, chain, &inside) else { continue }
      fits = true
      evaluated.add(inside)
      // The value fits. The remaining schemas are evaluated only if the members that they evaluate
      // are needed.
      if !evaluated.isWanted { break }
    }
    return fits ? true : try tellNearest("anyOf", nodes, index, chain)
  }

  private mutating func fitsOne(
    _ nodes: [Int], _ index: Int, _ chain: Int, _ evaluated: inout Evaluated
  ) throws(SchemaProblem) -> Bool {
    var first: Int?
    for (place, node) in nodes.enumerated() {
      var inside = Evaluated(isWanted: evaluated.isWanted)
      guard try silently(node, index, chain, &inside) else { continue }
      if let first {
        return violation(
          "oneOf", index,
          "must match only one schema of 'oneOf', but matches the schemas at \(first) and \(place)")
      }
      first = place
      evaluated.add(inside)
    }
    return first != nil ? true : try tellNearest("oneOf", nodes, index, chain)
  }

  /// Records violations for a value that is valid according to none of several schemas. If it is
  /// clear which of the schemas is intended, records the violations of this schema.
  private mutating func tellNearest(
    _ keyword: String, _ nodes: [Int], _ index: Int, _ chain: Int
  ) throws(SchemaProblem) -> Bool {
    guard !isSilent, !isFull else { return false }
    let here = pointer
    var meant: [[SchemaViolation]] = []
    for node in nodes {
      let violations = try gathered(node, index, chain)
      let isOfOtherKind = violations.contains {
        $0.pointer == here && ["type", "const", "enum", "false"].contains($0.keyword)
      }
      let isOther = violations.contains {
        $0.keyword == "const" && $0.pointer.dropFirst(here.count + 1).contains("/") == false
      }
      if !isOfOtherKind, !isOther { meant.append(violations) }
    }
    if meant.count == 1, let violations = meant.first {
      add(violations)
      return false
    }
    let nearest = meant.min { $0.count < $1.count }?.first
    return violation(
      keyword, index,
      "must match one of the \(nodes.count) schemas of '\(keyword)'"
        + (nearest.map { "; the nearest one: \($0)" } ?? ""), got: nearest == nil)
  }
}
