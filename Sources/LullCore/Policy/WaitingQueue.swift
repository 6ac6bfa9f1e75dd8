/// A queue, first come, first served. Its elements may be removed at any time, even before they are
/// the first.
///
/// All operations take constant time.
struct WaitingQueue<Element> {
  private var elements: [Int: Element] = [:]
  private var head = 0
  private var tail = 0

  init() {}

  var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }

  /// Appends an element and returns the number by which `remove` finds it.
  mutating func append(_ element: Element) -> Int {
    elements[tail] = element
    tail += 1
    return tail - 1
  }

  /// Removes the element that `append` gave the number `place`. Returns false if this element had
  /// already been removed.
  mutating func remove(_ place: Int) -> Bool {
    elements.removeValue(forKey: place) != nil
  }

  /// Returns the first element. Positions of removed elements are skipped, each only once.
  mutating func first() -> Element? {
    while head < tail {
      if let element = elements[head] { return element }
      head += 1
    }
    return nil
  }

  mutating func removeFirst() {
    guard first() != nil else { return }
    elements[head] = nil
    head += 1
  }
}
