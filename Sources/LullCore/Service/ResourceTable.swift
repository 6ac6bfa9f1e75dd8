/// The resources a service remembers, by absolute URL, with soft limits on the unused ones.
///
/// Those that no `Resource` stands for wait in a queue in order of last use; the others are never
/// scanned (SVC-31). An entry of the queue whose stamp is not its record's any more is stale and
/// skipped.
package final class ResourceTable {
  private var records: [ResourceURL: ResourceRecord] = [:]
  private var queue: [Entry?] = []
  private var queueStart = 0
  private var nextStamp = 1
  /// What the queued records hold, by their own count.
  private var queuedBytes = 0

  private struct Entry {
    let stamp: Int
    let record: ResourceRecord
  }

  /// How many resources may stay in memory; those in use may exceed it. (SVC-32)
  package var countLimit = 2048 {
    didSet { evict() }
  }

  /// How many bytes of content unused resources may hold. (SVC-31)
  package var byteLimit = 256 * 1024 * 1024 {
    didSet { evict() }
  }

  /// Called for each record that is forgotten, after it has left the table.
  var onForget: ((ResourceRecord) -> Void)?
  /// Called for a record that only observers whose owners have died keep from being unused.
  var onDeadObservers: ((ResourceRecord) -> Void)?

  package init() {}

  package var count: Int { records.count }

  /// In order of last use, the latest last.
  package var all: [ResourceRecord] { records.values.sorted { $0.useStamp < $1.useStamp } }

  package func record(for url: ResourceURL) -> ResourceRecord {
    if let record = records[url] {
      touch(record)
      return record
    }
    let record = ResourceRecord(url: url)
    records[url] = record
    touch(record)
    if isOverLimit { evict() }
    return record
  }

  /// Called by a `Resource` that goes away: its record may now be unused.
  func resourceReleased(_ record: ResourceRecord) {
    guard record.resource == nil, records[record.url] === record else { return }
    touch(record)
    record.queuedBytes = record.state.contentSize
    queuedBytes += record.queuedBytes
    queue.append(Entry(stamp: record.useStamp, record: record))
    if isOverLimit { evict() }
    compact()
  }

  /// Forgets every resource nobody uses. (SVC-30, WC-04)
  package func flushUnused() {
    for record in records.values where !record.isInUse { forget(record) }
    dropStaleEntries()
  }

  package func removeAll() {
    records = [:]
    queue = []
    queueStart = 0
    queuedBytes = 0
  }

  private var isOverLimit: Bool { records.count > countLimit || queuedBytes > byteLimit }

  private func touch(_ record: ResourceRecord) {
    record.useStamp = nextStamp
    nextStamp += 1
    queuedBytes -= record.queuedBytes
    record.queuedBytes = 0
  }

  private func forget(_ record: ResourceRecord) {
    records[record.url] = nil
    // Whatever the queue still says of it is stale now.
    touch(record)
    onForget?(record)
  }

  /// Forgets the least recently used of the unused until the rest fits.
  private func evict() {
    // Observed records wait in the queue too, since nobody is told when an owner dies. They are
    // passed over, a few at a time, so that many of them cost nobody more than that.
    var patience = 16
    while isOverLimit, patience > 0, queueStart < queue.count {
      let entry = queue[queueStart]
      queue[queueStart] = nil
      queueStart += 1
      guard let entry, entry.record.useStamp == entry.stamp, entry.record.resource == nil else {
        continue
      }
      if entry.record.observers.isEmpty {
        forget(entry.record)
        continue
      }
      patience -= 1
      if entry.record.observers.hasDead, let onDeadObservers {
        onDeadObservers(entry.record)
      } else {
        queue.append(entry)
      }
    }
  }

  /// Keeps the queue in proportion to the table however often resources come and go.
  private func compact() {
    if queue.count > 2 * records.count + 64 { dropStaleEntries() }
  }

  private func dropStaleEntries() {
    queue = queue[queueStart...].filter { entry in
      entry.map { $0.record.useStamp == $0.stamp } ?? false
    }
    queueStart = 0
  }
}
