/// The resources a service remembers, by absolute URL, with a soft limit on the unused ones.
///
/// Unused ones wait in a queue in order of last use; used ones are never scanned (SVC-31). An entry
/// of the queue whose stamp is not its record's any more is stale and skipped.
package final class ResourceTable {
  private var records: [String: ResourceRecord] = [:]
  private var unused: [(stamp: Int, record: ResourceRecord)] = []
  private var firstUnused = 0
  private var nextStamp = 1

  /// How many resources may stay in memory; those in use may exceed it. (SVC-32)
  package var countLimit = 2048 {
    didSet { evict() }
  }

  package init() {}

  package var count: Int { records.count }

  /// In no particular order.
  package var all: [ResourceRecord] { Array(records.values) }

  package func record(for url: ResourceURL) -> ResourceRecord {
    if let record = records[url.text] {
      touch(record)
      return record
    }
    let record = ResourceRecord(url: url)
    records[url.text] = record
    touch(record)
    if records.count > countLimit { evict() }
    return record
  }

  /// Called by a `Resource` that goes away: its record may now be unused.
  func resourceReleased(_ record: ResourceRecord) {
    noteIfUnused(record)
  }

  /// Puts a record that nobody uses at the end of the eviction queue.
  func noteIfUnused(_ record: ResourceRecord) {
    guard !record.isInUse, records[record.url.text] === record else { return }
    touch(record)
    unused.append((record.useStamp, record))
    if records.count > countLimit { evict() }
    compact()
  }

  /// Forgets every resource nobody uses. (SVC-30, WC-04)
  package func flushUnused() {
    for (key, record) in records where !record.isInUse { records[key] = nil }
    unused = []
    firstUnused = 0
  }

  package func removeAll() {
    records = [:]
    unused = []
    firstUnused = 0
  }

  private func touch(_ record: ResourceRecord) {
    record.useStamp = nextStamp
    nextStamp += 1
  }

  private func evict() {
    while records.count > countLimit, firstUnused < unused.count {
      let (stamp, record) = unused[firstUnused]
      firstUnused += 1
      if record.useStamp == stamp, !record.isInUse { records[record.url.text] = nil }
    }
  }

  /// Keeps the queue in proportion to the table however often resources come and go.
  private func compact() {
    guard unused.count > 2 * records.count + 64 else { return }
    unused = unused[firstUnused...].filter { $0.record.useStamp == $0.stamp }
    firstUnused = 0
  }
}
