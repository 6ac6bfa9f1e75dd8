import CSimdjson
import LullCore

extension SchemaRun {
  /// Returns whether a value satisfies a keyword. If the keyword does not apply to values of this
  /// type, returns true.
  mutating func check(
    _ keyword: SchemaKeyword, _ index: Int, _ chain: Int, _ evaluated: inout Evaluated
  ) throws(SchemaProblem) -> Bool {
    let type = csj_type_at(view, index)
    switch keyword {
    case .never: return violation("false", index, "must not be present")
    case .type(let types):
      return !types.isDisjoint(with: self.type(of: index))
        || violation("type", index, "must be \(types.words)", got: true)
    case .constant(let value):
      return isSame(index, value)
        || violation("const", index, "must be \(ViolationText.value(value))", got: true)
    case .enumeration(let values):
      try spend(values.count / 8)
      return values.contains { isSame(index, $0) }
        || violation("enum", index, "must be \(ViolationText.list(values))", got: true)
    case .multipleOf, .bound: return checkNumber(keyword, index)
    case .minLength, .maxLength, .pattern:
      return type != CSJ_STRING ? true : try checkString(keyword, index)
    case .minItems, .maxItems, .uniqueItems:
      return type != CSJ_ARRAY ? true : try checkArray(keyword, index)
    case .items, .contains, .unevaluatedItems:
      return type != CSJ_ARRAY ? true : try checkElements(keyword, index, &evaluated)
    case .minProperties, .maxProperties, .required, .dependentRequired:
      return type != CSJ_OBJECT || checkObject(keyword, index)
    case .properties, .propertyNames, .unevaluatedProperties:
      return type != CSJ_OBJECT ? true : try checkMembers(keyword, index, &evaluated)
    case .dependentSchemas(let schemas):
      guard type == CSJ_OBJECT else { return true }
      var fits = true
      for (name, node) in schemas where member(name, of: index) != 0 {
        if try !evaluate(node, index, chain + 1, &evaluated) { fits = false }
        if !fits, isSilent || isFull { break }
      }
      return fits
    default: return try combine(keyword, index, chain, &evaluated)
    }
  }

  func type(of index: Int) -> SchemaKeyword.TypeSet {
    switch csj_type_at(view, index) {
    case CSJ_NULL: .null
    case CSJ_FALSE, CSJ_TRUE: .boolean
    case CSJ_INT: [.integer, .number]
    case CSJ_DOUBLE: SchemaNumber(view, index)?.isWhole ?? false ? [.integer, .number] : .number
    case CSJ_STRING: .string
    case CSJ_ARRAY: .array
    default: .object
    }
  }

  func member(_ name: String, of object: Int) -> Int {
    var name = name
    // The C function reads the bytes only during the call.
    return name.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        csj_member(document.pointer, object, $0.baseAddress, $0.count)
      }
    }
  }

  private func isSame(_ index: Int, _ value: JSONElement) -> Bool {
    csj_same_value(document.pointer, index, value.document.pointer, value.index) != 0
  }

  // MARK: Numbers and strings

  private mutating func checkNumber(_ keyword: SchemaKeyword, _ index: Int) -> Bool {
    guard let number = SchemaNumber(view, index) else { return true }
    switch keyword {
    case .multipleOf(let divisor, let text):
      return number.isMultiple(of: divisor)
        || violation("multipleOf", index, "must be a multiple of \(text)", got: true)
    case .bound(let bound, let value, let text):
      let order = number.compared(to: value)
      switch bound {
      case .minimum:
        return order >= 0
          || violation("minimum", index, "must be at least \(text)", got: true)
      case .maximum:
        return order <= 0
          || violation("maximum", index, "must be at most \(text)", got: true)
      case .exclusiveMinimum:
        return order > 0
          || violation("exclusiveMinimum", index, "must be above \(text)", got: true)
      case .exclusiveMaximum:
        return order < 0
          || violation("exclusiveMaximum", index, "must be below \(text)", got: true)
      }
    default: return true
    }
  }

  private mutating func checkString(_ keyword: SchemaKeyword, _ index: Int) throws(SchemaProblem)
    -> Bool
  {
    let text = SchemaRun.bytes(of: index, in: view)
    switch keyword {
    case .minLength(let least):
      return SchemaRun.characters(text) >= least
        || violation(
          "minLength", index,
          "must have at least \(ViolationText.count(least, "character"))", got: true)
    case .maxLength(let most):
      return SchemaRun.characters(text) <= most
        || violation(
          "maxLength", index,
          "must have at most \(ViolationText.count(most, "character"))", got: true)
    case .pattern(let pattern):
      guard let isFound = pattern.isFound(in: text) else {
        throw SchemaProblem(
          "matching the pattern '\(pattern.text)' takes too long",
          pointer: pointer)
      }
      return isFound
        || violation("pattern", index, "must match '\(pattern.text)'", got: true)
    default: return true
    }
  }

  /// Returns the number of code points in a text, which is the number of bytes except the
  /// continuation bytes of UTF-8.
  private static func characters(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    text.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
  }

  // MARK: Arrays

  private mutating func checkArray(_ keyword: SchemaKeyword, _ index: Int) throws(SchemaProblem)
    -> Bool
  {
    let count = csj_count(view, index)
    switch keyword {
    case .minItems(let least):
      return count >= least
        || violation(
          "minItems", index,
          "must have at least \(ViolationText.count(least, "element")), has \(count)")
    case .maxItems(let most):
      return count <= most
        || violation(
          "maxItems", index,
          "must have at most \(ViolationText.count(most, "element")), has \(count)")
    default:
      guard let (one, other) = try repetition(in: index) else { return true }
      return violation(
        "uniqueItems", index, "must not have duplicate elements: \(one) and \(other) are equal")
    }
  }

  /// Returns the indices of two equal elements of an array, starting at 0; nil if all elements are
  /// different.
  private mutating func repetition(in array: Int) throws(SchemaProblem) -> (Int, Int)? {
    var seen: [UInt64: [(position: Int, index: Int)]] = [:]
    var place = csj_first(view, array)
    let end = csj_end(view, array)
    var position = 0
    while place < end {
      let after = csj_after(view, place)
      try spend((after - place) / 8 + 1)
      let hash = ValueHash.of(place, in: view)
      for earlier in seen[hash] ?? []
      where csj_same_value(document.pointer, earlier.index, document.pointer, place) != 0 {
        return (earlier.position, position)
      }
      seen[hash, default: []].append((position, place))
      position += 1
      place = after
    }
    return nil
  }

  private mutating func checkElements(
    _ keyword: SchemaKeyword, _ index: Int, _ evaluated: inout Evaluated
  ) throws(SchemaProblem) -> Bool {
    var place = csj_first(view, index)
    let end = csj_end(view, index)
    var position = 0
    var fits = true
    var contained = 0
    while place < end {
      switch keyword {
      case .items(let prefix, let rest):
        guard let node = position < prefix.count ? prefix[position] : rest else {
          // The schema does not specify the remaining elements.
          return fits
        }
        if try !descend(.element(position), node, place) { fits = false }
        evaluated.note(place)
      case .contains(let node, _, _):
        var inside = Evaluated(isWanted: false)
        if try silently(node, place, -1, &inside) {
          contained += 1
          evaluated.note(place)
        }
      case .unevaluatedItems(let node):
        if !evaluated.contains(place), try !descend(.element(position), node, place) {
          fits = false
        }
      default: break
      }
      if !fits, isSilent || isFull { return false }
      place = csj_after(view, place)
      position += 1
    }
    switch keyword {
    case .items, .unevaluatedItems: evaluated.noteAll()
    case .contains(_, let least, let most):
      if contained < least {
        return violation(
          least == 1 ? "contains" : "minContains", index,
          "must have at least \(ViolationText.count(least, "element")) matching 'contains', "
            + "has \(contained)")
      }
      if let most, contained > most {
        return violation(
          "maxContains", index,
          "must have at most \(ViolationText.count(most, "element")) matching 'contains', "
            + "has \(contained)")
      }
    default: break
    }
    return fits
  }
}
