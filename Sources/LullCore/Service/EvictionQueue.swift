/// Records in order of last use, the least recently used first: a binary heap by stamp.
///
/// Records enter when nobody holds them any more, which a collector may notice in any order; their
/// stamps say when they were really used last. An entry whose stamp is not its record's any more is
/// stale: the record was used again, and whoever takes it skips it.
struct EvictionQueue {
  struct Entry {
    let stamp: Int
    let record: ResourceRecord

    var isStale: Bool { record.useStamp != stamp }
  }

  private var heap: [Entry] = []

  var count: Int { heap.count }

  mutating func insert(_ entry: Entry) {
    heap.append(entry)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].stamp < heap[parent].stamp else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the entry of the least recent use.
  mutating func popFirst() -> Entry? {
    guard let last = heap.popLast() else { return nil }
    guard let first = heap.first else { return last }
    heap[0] = last
    siftDown(from: 0)
    return first
  }

  mutating func removeStale() {
    heap.removeAll { $0.isStale }
    for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
  }

  mutating func removeAll() { heap = [] }

  private mutating func siftDown(from start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].stamp < heap[least].stamp {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
