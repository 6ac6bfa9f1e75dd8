/// The resources a service remembers, by absolute URL, with soft limits on the unused ones.
///
/// Those that no `Resource` stands for wait in a queue in order of last use; the others are never
/// scanned (SVC-31).
package final class ResourceTable {
  private var records: [ResourceURL: ResourceRecord] = [:]
  private var queue = EvictionQueue()
  private var nextStamp = 1
  /// What the queued records hold, by their own count.
  private var queuedBytes = 0

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

  private let changes: ChangeCount

  package init(changes: ChangeCount) {
    self.changes = changes
  }

  package var count: Int { records.count }

  package func contains(_ record: ResourceRecord) -> Bool { records[record.url] === record }

  package func contains(_ url: ResourceURL) -> Bool { records[url] != nil }

  /// In order of last use, the latest last.
  package var all: [ResourceRecord] { records.values.sorted { $0.useStamp < $1.useStamp } }

  /// Visits all of them, in no order.
  package func forEach(_ body: (ResourceRecord) -> Void) {
    for record in records.values { body(record) }
  }

  package func record(for url: ResourceURL) -> ResourceRecord {
    if let record = records[url] {
      touch(record)
      return record
    }
    let record = ResourceRecord(url: url, changes: changes)
    records[url] = record
    touch(record)
    if isOverLimit { evict() }
    return record
  }

  /// Called by a `Resource` that goes away: its record may now be unused. Being let go is no use: the
  /// last lookup was (SVC-31).
  func resourceReleased(_ record: ResourceRecord) {
    guard record.resource == nil, records[record.url] === record else { return }
    queuedBytes -= record.queuedBytes
    record.queuedBytes = record.state.contentSize
    queuedBytes += record.queuedBytes
    queue.insert(.init(stamp: record.useStamp, record: record))
    if isOverLimit { evict() }
    if queue.count > 2 * records.count + 64 { queue.removeStale() }
  }

  /// Forgets every resource nobody uses. (SVC-30, WC-04)
  package func flushUnused() {
    for record in records.values where !record.isInUse { forget(record) }
    queue.removeStale()
  }

  package func removeAll() {
    for record in records.values { record.dropRequests() }
    records = [:]
    queue.removeAll()
    queuedBytes = 0
  }

  private var isOverLimit: Bool { records.count > countLimit || queuedBytes > byteLimit }

  private func touch(_ record: ResourceRecord) {
    record.useStamp = nextStamp
    nextStamp += 1
    queuedBytes -= record.queuedBytes
    record.queuedBytes = 0
  }

  private func resourceUsed(_ record: ResourceRecord) {
    let bytes = record.queuedBytes
    touch(record)
    record.queuedBytes = bytes
    queuedBytes += bytes
    queue.insert(.init(stamp: record.useStamp, record: record))
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
    var passedOver: [EvictionQueue.Entry] = []
    while isOverLimit, passedOver.count < 16, let entry = queue.popFirst() {
      guard !entry.isStale, entry.record.resource == nil else { continue }
      if entry.record.observers.isEmpty {
        forget(entry.record)
      } else {
        passedOver.append(entry)
      }
    }
    for entry in passedOver {
      if entry.record.observers.hasDead { onDeadObservers?(entry.record) }
      // Behind the others, or they would be in the way of the next eviction too.
      resourceUsed(entry.record)
    }
  }
}

extension ResourceTable {
  /// What is wrong with its limits first; nil: nothing. (SWF-56)
  var settingProblem: SettingProblem? {
    guard countLimit < 0 || byteLimit < 0 else { return nil }
    var check = SettingCheck()
    check.check("cachedResourceCountLimit", countLimit, .count(from: 0))
    check.check("cachedResourceByteLimit", byteLimit, .count(from: 0))
    return check.problem
  }
}
