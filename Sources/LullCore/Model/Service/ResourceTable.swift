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

extension Service {
  /// Wipes the resources in memory that satisfy a predicate, or all of them; flushes unused ones first.
  /// (WIPE-09 to WIPE-14) Lua: `service:wipe_resources(pattern)`.
  public func wipeResources(matching predicate: (Resource) -> Bool = { _ in true }) {
    flushUnusedResources()
    for resource in resources() where predicate(resource) { resource.wipe() }
  }

  /// Wipes the matching resources in memory; throws what the pattern's predicate throws, having wiped
  /// nothing.
  public func wipeResources(matching pattern: ConfigurationPattern) throws(RequestError) {
    flushUnusedResources()
    for resource in try resources(matching: pattern) { resource.wipe() }
  }

  /// Invalidates the resources in memory that satisfy a predicate, or all of them, in caches too; then flushes
  /// unused ones. (INV-01 to INV-59) Lua: `service:invalidate_resources(pattern)`.
  public func invalidateResources(matching predicate: (Resource) -> Bool = { _ in true }) {
    for resource in resources() where predicate(resource) { resource.invalidate() }
    flushUnusedResources()
  }

  /// Invalidates the matching resources in memory; throws what the pattern's predicate throws, having
  /// invalidated nothing.
  public func invalidateResources(matching pattern: ConfigurationPattern) throws(RequestError) {
    for resource in try resources(matching: pattern) { resource.invalidate() }
    flushUnusedResources()
  }

  private func resources(matching pattern: ConfigurationPattern) throws(RequestError) -> [Resource]
  {
    var matching: [Resource] = []
    for resource in resources() where try pattern.matches(resource.url) {
      matching.append(resource)
    }
    return matching
  }

  /// Those in memory, in order of last use: after a flush, those that survived it. (WIPE-14)
  private func resources() -> [Resource] { table.all.map { resource(of: $0) } }
}

extension Service {
  /// How many resources stay in memory; lowering it evicts at once. With less than 0, requests fail unsent. (SVC-31,
  /// SVC-32, SWF-56)
  public var cachedResourceCountLimit: Int {
    get {
      checkThreadInUse()
      return table.countLimit
    }
    set {
      checkThreadInUse()
      let problem = table.settingProblem
      table.countLimit = newValue
      if table.settingProblem != problem { invalidateConfiguration() }
    }
  }

  /// How many bytes of content resources that nobody uses may hold together. With less than 0, requests fail unsent.
  /// (SVC-31, SWF-56)
  public var cachedResourceByteLimit: Int {
    get {
      checkThreadInUse()
      return table.byteLimit
    }
    set {
      checkThreadInUse()
      let problem = table.settingProblem
      table.byteLimit = newValue
      if table.settingProblem != problem { invalidateConfiguration() }
    }
  }
}

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
