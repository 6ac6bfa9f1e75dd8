extension Content {
  /// Whether both hold the same, models of a program's own if they are `Equatable`; of a script's values
  /// only `isSame` can tell, asked where they are not one value.
  package func holdsSame(
    as other: Content, isSame: (ForeignContent, ForeignContent) -> Bool
  ) -> Bool {
    switch (self, other) {
    case (.bytes(let a), .bytes(let b)): a == b
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.json(let a), .json(let b)): a === b || a.root == b.root
    case (.foreign(let a), .foreign(let b)): a == b || isSame(a, b)
    case (.value(let a as any Equatable), .value(let b)): a.isSame(as: b)
    default: false
    }
  }

  /// Whether both are the same text.
  func isSameText(as other: Content) -> Bool {
    guard case .text(let a) = self, case .text(let b) = other else { return false }
    return a.utf8.elementsEqual(b.utf8)
  }
}

extension Equatable {
  fileprivate func isSame(as other: any Sendable) -> Bool { (other as? Self) == self }
}
