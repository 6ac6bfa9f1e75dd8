/// A cache in memory, by stage and URL; one object may serve several stages and services (CACHE-15,
/// CACHE-37). Lua: `lull.cache.memory()`.
///
/// Beyond `countLimit` entries the ones written longest ago go.
public final class MemoryEntityCache: CoordinatedEntityCache {
  /// A stage and a URL, in one environment of an API file.
  public struct Key: Hashable {
    package let stage: PipelineStageKey
    package let url: String
    /// nil: none.
    package let environment: String?
  }

  public let operations = CacheOperations()
  /// How many entries it keeps; at least 1.
  public let countLimit: Int
  private var entries: [Key: Entry] = [:]
  private var nextStamp = 0
  /// Told which keys were written or have gone; for a script's host, which keeps the values.
  package var onChange: ((Key, Entity?) -> Void)?

  private struct Entry {
    var entity: Entity
    var stamp: Int
    /// What is not newer is stale; nil: nothing is.
    var staleAt: Double?

    /// A mark of the same time, or an earlier one, was made before this.
    mutating func freshen() {
      if let staleAt, staleAt <= entity.timestamp { self.staleAt = nil }
    }
  }

  /// Empty; a limit below 1 counts as 1.
  public init(countLimit: Int = 10_000) {
    self.countLimit = max(1, countLimit)
  }

  public func key(for resource: Resource, at stage: PipelineStageKey) -> Key? {
    Key(
      stage: stage, url: resource.url.text, environment: resource.service.environment?.name)
  }

  public func readEntity(forKey key: Key, completion: @escaping (Entity?) -> Void) {
    guard let entry = entries[key] else { return completion(nil) }
    var entity = entry.entity
    entity.isOutdated = entry.staleAt.map { entity.timestamp <= $0 } ?? false
    completion(entity)
  }

  public func writeEntity(_ entity: Entity, forKey key: Key, completion: @escaping () -> Void) {
    nextStamp += 1
    // It may have been loaded before others made it stale.
    let staleAt = entries[key]?.staleAt.flatMap { $0 > entity.timestamp ? $0 : nil }
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

  public func removeEntity(forKey key: Key, completion: @escaping () -> Void) {
    if entries.removeValue(forKey: key) != nil { onChange?(key, nil) }
    completion()
  }

  /// Many at a time, so that looking for the oldest costs each write little.
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
