/// A cache in memory, keyed by stage, URL and query. One object may serve several stages and services
/// (CACHE-15, CACHE-37). Lua: `lull.cache.memory()`.
///
/// If the cache has more than `countLimit` entries, it evicts the entries that were written longest
/// ago.
public final class MemoryEntityCache: QueryCache {
  /// Identifies an entity by its stage, its URL, its query, and the environment of its service.
  public struct Key: Hashable {
    package let stage: PipelineStageKey
    package let url: String
    /// The name of the environment; nil if the service has no environment.
    package let environment: String?
    /// The query to which the entity is the response; nil for an entity that GET requests load.
    var query: QueryIdentity?
    /// The query's own headers and secrets that may lead to another response, such as the name of an
    /// operation. (QUERY-75)
    var credentials: [SecretText] = []

    func isQuery(of other: Key) -> Bool {
      query != nil && url == other.url && stage == other.stage && environment == other.environment
    }
  }

  public let operations = CacheOperations()
  /// The maximum number of entries, at least 1.
  public let countLimit: Int
  private var entries: [Key: Entry] = [:]
  private var nextStamp = 0
  /// Called after each write with the key and the entity, and after each removal with the key and
  /// nil. The host of a script uses it to hold the script values in the entities.
  package var onChange: ((Key, Entity?) -> Void)?

  private struct Entry {
    var entity: Entity
    var stamp: Int
    /// The time as of which the entry was marked as stale; nil if the entry is not marked. The
    /// entity is stale if its timestamp is not later than this time.
    var staleAt: Double?

    /// Removes the stale mark if the time of the mark is not later than the timestamp of the
    /// entity.
    mutating func freshen() {
      if let staleAt, staleAt <= entity.timestamp { self.staleAt = nil }
    }
  }

  /// Creates an empty cache. A limit below 1 is treated as 1.
  public init(countLimit: Int = 10_000) {
    self.countLimit = max(1, countLimit)
  }

  public func key(for resource: Resource, at stage: PipelineStageKey) -> Key? {
    Key(
      stage: stage, url: resource.url.text, environment: resource.service.environment?.name,
      query: resource.query?.identity,
      credentials: (resource.query?.credentials ?? []).map { SecretText($0.name + ":") + $0.value })
  }

  public var distinguishesQueries: Bool { true }

  public func readEntity(forKey key: Key, completion: @escaping (Entity?) -> Void) {
    guard let entry = entries[key] else { return completion(nil) }
    var entity = entry.entity
    entity.isOutdated = entry.staleAt.map { entity.timestamp <= $0 } ?? false
    completion(entity)
  }

  public func writeEntity(_ entity: Entity, forKey key: Key, completion: @escaping () -> Void) {
    nextStamp += 1
    // Keeps a stale mark that is later than the request for the entity, which may have been answered
    // before the entry was marked. (QUERY-74)
    let sent = entity.timestamp - (entity.exchange?.elapsed ?? 0)
    let staleAt = entries[key]?.staleAt.flatMap { $0 > sent ? max($0, entity.timestamp) : nil }
    entries[key] = Entry(entity: entity, stamp: nextStamp, staleAt: staleAt)
    onChange?(key, entity)
    evict()
    completion()
  }

  public func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    entries[key]?.entity.timestamp = timestamp
    entries[key]?.freshen()
    completion()
  }

  public func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Key, completion: @escaping () -> Void
  ) {
    if var entry = entries[key], confirmation.confirm(&entry.entity) {
      entry.freshen()
      entries[key] = entry
    }
    completion()
  }

  public func expireEntity(
    asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    if var entry = entries[key] {
      entry.staleAt = max(entry.staleAt ?? timestamp, timestamp)
      entries[key] = entry
    }
    completion()
  }

  package func expireQueries(
    asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    for (other, entry) in entries where other.isQuery(of: key) {
      entries[other]?.staleAt = max(entry.staleAt ?? timestamp, timestamp)
    }
    completion()
  }

  public func removeEntity(forKey key: Key, completion: @escaping () -> Void) {
    if entries.removeValue(forKey: key) != nil { onChange?(key, nil) }
    completion()
  }

  /// Evicts the oldest entries if there are too many. Evicts many at once, so that the cost of
  /// sorting is spread over many writes.
  private func evict() {
    guard entries.count > countLimit else { return }
    let spare = countLimit / 8
    let oldest = entries.sorted { $0.value.stamp < $1.value.stamp }
      .prefix(entries.count - countLimit + spare)
    for (key, _) in oldest {
      entries[key] = nil
      onChange?(key, nil)
    }
  }
}
