/// The records of resources whose URL is none: no table remembers them, and the service that made
/// them still has to end what they hold when it goes.
struct UnparsableRecords {
  private struct Entry {
    weak var record: ResourceRecord?
  }

  private var entries: [Entry] = []
  private var capacity = 16

  mutating func add(_ record: ResourceRecord) {
    if entries.count == capacity {
      entries.removeAll { $0.record == nil }
      capacity = 2 * entries.count + 16
    }
    entries.append(Entry(record: record))
  }

  func dropRequests() {
    for entry in entries { entry.record?.dropRequests() }
  }
}
