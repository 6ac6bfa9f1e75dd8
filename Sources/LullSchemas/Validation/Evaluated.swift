/// The members or elements of a value that have been evaluated by keywords. Used for the keywords
/// `unevaluatedProperties` and `unevaluatedItems`.
struct Evaluated {
  /// Whether any keyword needs this information.
  let isWanted: Bool
  private var isAll = false
  // The positions of the evaluated members and elements on the document's tape.
  private var places: Set<Int> = []

  init(isWanted: Bool) {
    self.isWanted = isWanted
  }

  mutating func note(_ place: Int) {
    if isWanted, !isAll { places.insert(place) }
  }

  mutating func noteAll() {
    isAll = isWanted
  }

  mutating func add(_ other: Evaluated) {
    guard isWanted else { return }
    isAll = isAll || other.isAll
    if !isAll { places.formUnion(other.places) }
  }

  func contains(_ place: Int) -> Bool { isAll || places.contains(place) }
}
