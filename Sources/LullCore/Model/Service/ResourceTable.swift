/// The resources that a service has in memory, keyed by absolute URL and query. There are soft
/// limits for unused resources.
///
/// Records without a `Resource` object are in a queue, in the order of their last use. Records with
/// a `Resource` object are never scanned (SVC-31).
package final class ResourceTable {
  private var records: [ResourceURL: ResourceRecord] = [:]
  /// The records of query resources, keyed by URL and query. No inner dictionary is empty.
  private var queries: [ResourceURL: [QueryKey: ResourceRecord]] = [:]
  private var queryCount = 0
  private var recentQueries = RecentQueries()
  private var queue = EvictionQueue()
  private var nextStamp = 1
  /// The number of content bytes in the queued records: the sum of their `queuedBytes`.
  private var queuedBytes = 0

  /// The maximum number of resources in memory. Resources in use may exceed this number. (SVC-32)
  package var countLimit = 2048 {
    didSet { evict() }
  }

  /// The maximum number of content bytes in unused resources. (SVC-31)
  package var byteLimit = 256 * 1024 * 1024 {
    didSet { evict() }
  }

  /// Called with each record that was removed from the table.
  var onForget: ((ResourceRecord) -> Void)?
  /// Called when eviction finds a record with observers whose owners have been released.
  var onDeadObservers: ((ResourceRecord) -> Void)?

  private let changes: ChangeCount

  /// A query as a key: its identity. The query is one pointer, its identity several, and there may
  /// be many queries.
  private struct QueryKey: Hashable {
    let query: ResourceQuery

    static func == (left: QueryKey, right: QueryKey) -> Bool {
      left.query === right.query || left.query.identity == right.query.identity
    }

    func hash(into hasher: inout Hasher) { query.identity.hash(into: &hasher) }
  }

  package init(changes: ChangeCount) {
    self.changes = changes
  }

  package var count: Int { records.count + queryCount }

  package func contains(_ record: ResourceRecord) -> Bool {
    guard let query = record.query else { return records[record.url] === record }
    return queries[record.url]?[QueryKey(query: query)] === record
  }

  /// Returns whether there is a record of the URL or of one of its queries.
  package func contains(_ url: ResourceURL) -> Bool {
    records[url] != nil || !queries.isEmpty && queries[url] != nil
  }

  /// All records, the least recently used first.
  package var all: [ResourceRecord] {
    var all = Array(records.values)
    for queries in queries.values { all += queries.values }
    return all.sorted { $0.useStamp < $1.useStamp }
  }

  /// Visits all records, in no particular order.
  package func forEach(_ body: (ResourceRecord) -> Void) {
    for record in records.values { body(record) }
    for queries in queries.values {
      for record in queries.values { body(record) }
    }
  }

  /// The records of the queries of a URL, in no particular order.
  func queries(of url: ResourceURL) -> [ResourceRecord] {
    queries.isEmpty ? [] : queries[url].map { Array($0.values) } ?? []
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

  /// Returns the record of a query. If there is already a record for the same content, this record
  /// keeps its own `ResourceQuery`.
  func record(for url: ResourceURL, _ query: ResourceQuery) -> ResourceRecord {
    let key = QueryKey(query: query)
    if let record = queries[url]?[key] {
      touch(record)
      return record
    }
    let record = ResourceRecord(url: url, query: query, changes: changes)
    queries[url, default: [:]][key] = record
    queryCount += 1
    touch(record)
    if isOverLimit { evict() }
    return record
  }

  /// Returns the record of a query that was recently made with exactly these values; nil if there is
  /// none. Then the record, if any, has to be found by the identity of the query. (QUERY-02)
  func recentRecord(for question: RecentQueries.Question) -> ResourceRecord? {
    guard let record = recentQueries.record(for: question) else { return nil }
    touch(record)
    return record
  }

  /// Notes that this is the record of the query that a caller has made with these values.
  func note(_ record: ResourceRecord, for question: RecentQueries.Question) {
    recentQueries.add(record, for: question)
  }

  /// Called when a `Resource` is released: its record may now be unused. The release does not count
  /// as a use of the record; only lookups count (SVC-31).
  func resourceReleased(_ record: ResourceRecord) {
    guard record.resource == nil, contains(record) else { return }
    queuedBytes -= record.queuedBytes
    record.queuedBytes = record.state.contentSize + (record.query?.size ?? 0)
    queuedBytes += record.queuedBytes
    queue.insert(.init(stamp: record.useStamp, record: record))
    if isOverLimit { evict() }
    if queue.count > 2 * count + 64 { queue.removeStale() }
  }

  /// Removes every resource that is not in use. (SVC-30, WC-04)
  package func flushUnused() {
    forEach { if !$0.isInUse { forget($0) } }
    queue.removeStale()
  }

  /// Removes one resource that is not in use.
  func forgetUnused(_ record: ResourceRecord) {
    if contains(record), !record.isInUse { forget(record) }
  }

  package func removeAll() {
    forEach { $0.dropRequests() }
    records = [:]
    queries = [:]
    queryCount = 0
    recentQueries.removeAll()
    queue.removeAll()
    queuedBytes = 0
  }

  private var isOverLimit: Bool { count > countLimit || queuedBytes > byteLimit }

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
    if let query = record.query {
      queries[record.url]?[QueryKey(query: query)] = nil
      if queries[record.url]?.isEmpty ?? false { queries[record.url] = nil }
      queryCount -= 1
      recentQueries.remove(record)
    } else {
      records[record.url] = nil
    }
    // A new stamp makes the record's entries in the queue stale.
    touch(record)
    onForget?(record)
  }

  /// Removes unused records, the least recently used first, until the table is within its limits.
  private func evict() {
    // The queue contains records with observers too, because the table is not notified when the
    // owner of an observer is released. Such records are skipped, but at most 16 in one eviction,
    // which bounds the cost.
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
      // Moved to the end of the queue, so that the next eviction does not have to skip them again.
      resourceUsed(entry.record)
    }
  }
}

extension ResourceTable {
  /// The problem of the first invalid limit; nil if both limits are valid. (SWF-56)
  var settingProblem: SettingProblem? {
    guard countLimit < 0 || byteLimit < 0 else { return nil }
    var check = SettingCheck()
    check.check("cachedResourceCountLimit", countLimit, .count(from: 0))
    check.check("cachedResourceByteLimit", byteLimit, .count(from: 0))
    return check.problem
  }
}

extension Service {
  /// Flushes unused resources. Then wipes those resources in memory that satisfy a predicate, by
  /// default all. (WIPE-09 to WIPE-14) Lua: `service:wipe_resources(pattern)`.
  public func wipeResources(matching predicate: (Resource) -> Bool = { _ in true }) {
    flushUnusedResources()
    for resource in resources() where predicate(resource) { resource.wipe() }
  }

  /// Flushes unused resources. Then wipes those resources in memory that match a pattern. If the
  /// pattern's predicate throws, the error is thrown and no resource is wiped.
  public func wipeResources(matching pattern: ConfigurationPattern) throws(RequestError) {
    flushUnusedResources()
    for resource in try resources(matching: pattern) { resource.wipe() }
  }

  /// Invalidates the resources in memory that satisfy a predicate, by default all, and also their
  /// cache entries. Then flushes unused resources. (INV-01 to INV-59) Lua:
  /// `service:invalidate_resources(pattern)`.
  public func invalidateResources(matching predicate: (Resource) -> Bool = { _ in true }) {
    for resource in resources() where predicate(resource) { resource.invalidate() }
    flushUnusedResources()
  }

  /// Invalidates the resources in memory that match a pattern, then flushes unused resources. If
  /// the pattern's predicate throws, the error is thrown and no resource is invalidated.
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

  /// All resources in memory, the least recently used first. After a flush, these are only the
  /// resources in use. (WIPE-14)
  private func resources() -> [Resource] { table.all.map { resource(of: $0) } }
}

extension Service {
  /// The maximum number of resources in memory. Setting a lower value evicts unused resources at
  /// once. With a negative value, requests fail without being sent. (SVC-31, SVC-32, SWF-56)
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

  /// The maximum number of content bytes in all unused resources together. With a negative value,
  /// requests fail without being sent. (SVC-31, SWF-56)
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

/// The records of resources with invalid URLs. These records are not in the service's table, but
/// the service has to drop their requests when the service ends.
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

/// A queue of unused records, the least recently used first. It is a binary heap, ordered by the
/// stamps of the records.
///
/// A record is added when it is no longer held. A garbage collector may release records in any
/// order, so the records are ordered by a stamp, which increases with each use. If a record has
/// been used again, its stamp is newer than the stamp of its entry. Such an entry is stale, and
/// callers have to skip it.
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

  /// Removes and returns the entry with the smallest stamp: the entry of the least recently used
  /// record.
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
