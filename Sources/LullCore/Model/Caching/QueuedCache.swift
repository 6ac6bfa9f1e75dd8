import Synchronization

extension EntityCache {
  /// This cache if it is a `CoordinatedEntityCache`, otherwise an adapter that makes it one.
  var coordinated: any CoordinatedEntityCache {
    (self as? any CoordinatedEntityCache) ?? QueuedCache.of(self)
  }
}

/// The adapter for a cache that is only an `EntityCache`. It adds a queue of operations.
///
/// Each cache object has only one adapter while a configuration or an operation uses the cache.
/// Operations therefore stay in order, even if the cache object is used for several stages,
/// resources and services (CACHE-22).
private final class QueuedCache<Base: EntityCache>: CoordinatedEntityCache {
  let operations = CacheOperations()
  private let base: Base

  private init(_ base: Base) {
    self.base = base
  }

  deinit { QueuedCaches.remove(of: base) }

  static func of(_ base: Base) -> QueuedCache {
    if let known = QueuedCaches.find(of: base) as? QueuedCache { return known }
    let made = QueuedCache(base)
    QueuedCaches.add(made, of: base)
    return made
  }

  func key(for resource: Resource, at stage: PipelineStageKey) -> Base.Key? {
    base.key(for: resource, at: stage)
  }

  var distinguishesQueries: Bool { base.distinguishesQueries }

  func readEntity(forKey key: Base.Key, completion: @escaping (Entity?) -> Void) {
    base.readEntity(forKey: key, completion: completion)
  }

  func writeEntity(_ entity: Entity, forKey key: Base.Key, completion: @escaping () -> Void) {
    base.writeEntity(entity, forKey: key, completion: completion)
  }

  func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Base.Key, completion: @escaping () -> Void
  ) {
    base.updateEntityTimestamp(timestamp, forKey: key, completion: completion)
  }

  func removeEntity(forKey key: Base.Key, completion: @escaping () -> Void) {
    base.removeEntity(forKey: key, completion: completion)
  }
}

/// The `QueuedCache` objects in use, keyed by the cache object that they wrap. Any thread.
private enum QueuedCaches {
  // Unchecked, because an entry is used only on the home thread of its cache.
  private struct Entry: @unchecked Sendable {
    weak var cache: AnyObject?
  }

  private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  static func find(of base: AnyObject) -> AnyObject? {
    let identity = ObjectIdentifier(base)
    return entries.withLock { $0[identity] }?.cache
  }

  static func add(_ cache: AnyObject, of base: AnyObject) {
    let (identity, entry) = (ObjectIdentifier(base), Entry(cache: cache))
    entries.withLock { $0[identity] = entry }
  }

  /// Removes the entry of a cache object, unless a new `QueuedCache` for the same object was added
  /// while the previous one was released.
  static func remove(of base: AnyObject) {
    let identity = ObjectIdentifier(base)
    entries.withLock { if $0[identity]?.cache == nil { $0[identity] = nil } }
  }
}
