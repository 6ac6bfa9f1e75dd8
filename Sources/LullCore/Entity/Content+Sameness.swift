extension Content {
  /// Whether both hold the same; of a script's values only `isSame` can tell, asked where they are
  /// not one value.
  package func holdsSame(
    as other: Content, isSame: (ForeignContent, ForeignContent) -> Bool
  ) -> Bool {
    switch (self, other) {
    case (.bytes(let a), .bytes(let b)): a == b
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.json(let a), .json(let b)): a === b || a.root.holdsSame(as: b.root)
    case (.foreign(let a), .foreign(let b)): a == b || isSame(a, b)
    default: false
    }
  }
}

extension JSONElement {
  /// Whether two values are the same JSON: the order of keys does not count, nor does `1.0` for `1`.
  package func holdsSame(as other: JSONElement) -> Bool {
    switch (kind, other.kind) {
    case (.null, .null): return true
    case (.bool, .bool): return bool == other.bool
    case (.int, .int): return int == other.int
    case (.int, .double), (.double, .int), (.double, .double): return double == other.double
    case (.string, .string): return string == other.string
    case (.array, .array):
      return count == other.count
        && zip(elements, other.elements).allSatisfy { $0.holdsSame(as: $1) }
    case (.object, .object):
      let members = pairs
      return members.count == other.count
        && members.allSatisfy { key, value in other[key].map(value.holdsSame(as:)) ?? false }
    default: return false
    }
  }
}
