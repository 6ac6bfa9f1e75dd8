/// A cache that outlives the process, or to which several services, processes or hosts write.
///
/// All requirements except `operations` have a default. The defaults are also used for every
/// `EntityCache` that does not conform to this protocol.
public protocol CoordinatedEntityCache<Key>: EntityCache {
  /// The queue of operations on this cache. A cache declares `let operations = CacheOperations()`.
  /// Several cache objects for the same store may share a queue.
  var operations: CacheOperations { get }

  /// Whether entries outlive the process; false by default.
  ///
  /// If true, the cache does not store a response if that response or its request has
  /// `Cache-Control: no-store`. Instead, the resource's entry is removed. In addition, a load of a
  /// resource without data waits up to 50 ms for the entry, to make its request conditional.
  /// (CACHE-39)
  var outlivesProcess: Bool { get }

  /// Returns the key under which a response is stored if its request had credentials that are not
  /// in the configuration for GET: for example cookies, or credentials that a mutation has set. The
  /// cache can't know to which user the response belongs. The default returns `key`. (SCA-16)
  func unsharedKey(of key: Key) -> Key

  /// Starts to report when another process or host writes the entry `key`. The cache reports each
  /// write to the object that `updates` returns. Lull calls this method with each key that
  /// `key(for:at:)` has returned. The default reports nothing and does not call `updates`.
  /// (NEWS-01)
  func follow(_ key: Key, _ updates: () -> EntityUpdates)

  /// Returns whether the cache can store an entity with the content of `entity` (CACHE-28). The
  /// default returns true. An entity that the cache can't store is passed to `writeEntity` anyway,
  /// because the entity stored before is then outdated.
  func accepts(_ entity: Entity) -> Bool

  /// Applies a 304 to the stored entity (CACHE-19). If the 304 does not confirm this entity, the
  /// entity is left unchanged, because another process or host may have written it (CACHE-40). The
  /// default calls `updateEntityTimestamp` without checking the entity. If the 304 changes headers,
  /// the default reads the entity, checks it and writes it.
  func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Key, completion: @escaping () -> Void)

  /// Marks the entry as stale as of `timestamp`, in Unix seconds (AGE-07, INV-59). A stored entity
  /// that is not newer than this time is then returned as stale. This ends when a newer entity is
  /// written or a 304 confirms the stored entity. An entity that another process or host has
  /// written since stays fresh. The default removes the entry.
  func expireEntity(asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void)
}

extension CoordinatedEntityCache {
  public var outlivesProcess: Bool { false }

  public func unsharedKey(of key: Key) -> Key { key }

  public func follow(_ key: Key, _ updates: () -> EntityUpdates) {}

  public func accepts(_ entity: Entity) -> Bool { true }

  public func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Key, completion: @escaping () -> Void
  ) {
    guard confirmation.changesHeaders else {
      return updateEntityTimestamp(confirmation.timestamp, forKey: key, completion: completion)
    }
    updateEntity(forKey: key, { _ = confirmation.confirm(&$0) }, completion: completion)
  }

  public func expireEntity(
    asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    removeEntity(forKey: key, completion: completion)
  }
}

/// A cache that finds the entries of all queries of a URL. (QUERY-20)
package protocol QueryCache: CoordinatedEntityCache {
  /// Marks the entries of all queries of a URL as stale, in the same way as `expireEntity`. `key`
  /// is the key of the entry that GET requests to the URL use.
  func expireQueries(asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void)
}
