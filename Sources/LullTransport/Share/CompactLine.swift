/// A first-in, first-out queue. Its memory is bounded by the current number of elements, even if
/// the queue never becomes empty.
struct CompactLine<Element> {
  /// The elements and unused places. A removed element is replaced by nil, so that the element is
  /// released.
  private var places: [Element?] = []
  private var start = 0

  /// The minimum number of unused places that are reclaimed together.
  private static var leastMoved: Int { 32 }
  private static var mostKept: Int { 4096 }

  var count: Int { places.count - start }
  var isEmpty: Bool { count == 0 }
  var first: Element? { isEmpty ? nil : places[start] }
  /// All elements, the first one first.
  var all: [Element] { places[start...].compactMap { $0 } }
  /// The number of places in memory, including the places of removed elements.
  var placeCount: Int { places.count }

  mutating func append(_ element: Element) { places.append(element) }

  mutating func popFirst() -> Element? {
    guard start < places.count else { return nil }
    let element = places[start]
    places[start] = nil
    start += 1
    if start == places.count {
      places.removeAll(keepingCapacity: start <= CompactLine.mostKept)
      start = 0
    } else if start >= CompactLine.leastMoved, start > places.count / 2 {
      places.removeFirst(start)
      start = 0
    }
    return element
  }

  /// Changes the last element. `change` receives the element, and whether this element is also the
  /// first element. Returns the result of `change`, or false for an empty queue.
  mutating func changeLast(_ change: (inout Element, _ isFirst: Bool) -> Bool) -> Bool {
    guard !isEmpty, var element = places[places.count - 1].take() else { return false }
    let result = change(&element, count == 1)
    places[places.count - 1] = element
    return result
  }

  mutating func removeAll() {
    places = []
    start = 0
  }

  /// Changes each element, the first one first.
  mutating func change(_ change: (inout Element) -> Void) {
    for index in start..<places.count {
      guard var element = places[index] else { continue }
      change(&element)
      places[index] = element
    }
  }
}
