import CLullBridge

/// The sort order of a key in a table. Keys with a given position come first, in order of position.
/// Then numbers follow, then strings, then the remaining keys in their original order.
struct ShownKey: Comparable {
  private let place: Int
  private let order: Int
  private let number: Double
  private let bytes: [UInt8]

  /// Creates the sort order of a key.
  ///
  /// - Parameter place: the given position of the key, or nil if it has none.
  init(_ key: lull_value, place: Int? = nil) {
    self.place = place ?? Int.max
    order = key.kind == Int32(LULL_STRING) ? 1 : key.double != nil ? 0 : 2
    number = key.double ?? 0
    // Only the beginning of a long key is compared.
    bytes =
      order == 1
      ? Array(UnsafeRawBufferPointer(start: key.pointer, count: min(Int(key.extra), 64))) : []
  }

  static func < (one: ShownKey, other: ShownKey) -> Bool {
    if one.place != other.place { return one.place < other.place }
    if one.order != other.order { return one.order < other.order }
    if one.order != 1 { return one.number < other.number }
    return one.bytes.lexicographicallyPrecedes(other.bytes)
  }
}

/// Finds the keys that come first in sort order among many keys, without storing all keys.
struct FirstKeys {
  private let limit: Int
  private var found: [(key: ShownKey, position: Int)] = []
  private(set) var count = 0

  init(limit: Int) {
    self.limit = limit
  }

  mutating func add(_ key: @autoclosure () -> ShownKey) {
    defer { count += 1 }
    guard limit > 0 else { return }
    found.append((key(), count))
    if found.count > 10_000 { keepFirst() }
  }

  private mutating func keepFirst() {
    found.sort { ($0.key, $0.position) < ($1.key, $1.position) }
    found.removeLast(max(0, found.count - limit))
  }

  /// For each of the keys that come first, its index in sort order. The dictionary key is the
  /// position at which the table key was added.
  var ranks: [Int: Int] {
    var first = self
    first.keepFirst()
    return Dictionary(
      uniqueKeysWithValues: first.found.enumerated().map { ($0.element.position, $0.offset) })
  }
}
