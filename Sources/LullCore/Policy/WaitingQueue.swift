/// A line of those who wait, first come, first served, which anybody may leave.
///
/// Joining, leaving and being served take the same time whatever its length.
struct WaitingQueue<Element> {
  private var elements: [Int: Element] = [:]
  private var head = 0
  private var tail = 0

  init() {}

  var isEmpty: Bool { elements.isEmpty }
  var count: Int { elements.count }

  /// The place, for `remove`.
  mutating func append(_ element: Element) -> Int {
    elements[tail] = element
    tail += 1
    return tail - 1
  }

  /// Whether somebody stood there.
  mutating func remove(_ place: Int) -> Bool {
    elements.removeValue(forKey: place) != nil
  }

  /// Each place is passed over once.
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
