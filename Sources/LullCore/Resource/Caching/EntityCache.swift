/// Keeps what a pipeline stage made of a response, beyond the life of the resource. (CACHE-01 to
/// CACHE-37)
///
/// Set on a stage with `pipeline[.model].cacheUsing(cache)`. Order of events: when somebody first
/// looks at a resource without data, the caches of its GET pipeline are read, the last stage's first;
/// a hit passes the later stages and becomes the resource's data with its stored timestamp. Each
/// successful GET load writes the output of every cached stage; a 304 updates the timestamp; an invalidation
/// and a successful write mark the entry as stale; a local override removes the entry. Wiping a resource removes nothing (CACHE-32).
///
/// Called on the home thread; slow work goes elsewhere and calls `completion` on the home thread, once.
/// `operations` serialises everything that is asked of this object, in the order issued (CACHE-22), so
/// no two operations ever overlap. Failure is a miss, or not being written: it is never reported
/// through here.
public protocol EntityCache<Key>: AnyObject {
  /// Where the cache keeps an entity.
  associatedtype Key

  /// The queue of this cache: `let operations = CacheOperations()`.
  var operations: CacheOperations { get }

  /// Whether what it keeps is there when the process has ended; by default not. What came with
  /// `Cache-Control: no-store`, or was asked for with it, is not given to such a one, and what it has of
  /// that resource is removed. A load of a resource without data waits for such a one, for 50 ms at most,
  /// to ask on the condition of what it has. (CACHE-39)
  var outlivesProcess: Bool { get }

  /// Where this resource's entity of that stage is kept; nil: not here (CACHE-24). Asked for reads and
  /// writes alike, at once, while the resource may be empty (CACHE-23).
  func key(for resource: Resource, at stage: PipelineStageKey) -> Key?

  /// The key of what a request has brought with credentials that GET requests of the resource are not configured to
  /// carry, such as a mutation's or cookies: whose it is the cache does not know. By default the same. (SCA-16)
  func unsharedKey(of key: Key) -> Key

  /// Has what `news` makes told whenever another process or host has written what is kept there. Called with each
  /// key that is made; by default, without others, nothing is made or told. (NEWS-01)
  func follow(_ key: Key, _ news: () -> EntityNews)

  /// The entity, with the timestamp it was written with (CACHE-31), or nil.
  func readEntity(forKey key: Key, completion: @escaping (Entity?) -> Void)

  /// Whether it could keep an entity with such content (CACHE-28); by default any. One that it could not
  /// is given to `writeEntity` all the same, since what was kept before it is of the past.
  func accepts(_ entity: Entity) -> Bool

  /// Keeps the entity; may decline (CACHE-28).
  func writeEntity(_ entity: Entity, forKey key: Key, completion: @escaping () -> Void)

  /// Changes only the timestamp; nothing if there is no entry. By default reads and writes (CACHE-26).
  func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Key, completion: @escaping () -> Void)

  /// Changes what is known of the entity, and not its content, as the headers of a 304 have it (AGE-04);
  /// nothing if there is no entry. By default reads and writes.
  func updateEntity(
    forKey key: Key, _ change: @escaping @Sendable (inout Entity) -> Void,
    completion: @escaping () -> Void)

  /// Makes the entity young that a 304 is about (CACHE-19), and leaves any other one that is kept there alone: another
  /// process or host may have put it there (CACHE-40). By default by `updateEntityTimestamp`, which does not see what
  /// is kept, or by `updateEntity` where headers change.
  func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Key, completion: @escaping () -> Void)

  /// Marks what is kept there as stale as of that time, seconds since 1970 (AGE-07, INV-59): an entity that is not
  /// newer is read with the mark from now on, until something newer is written or a 304 confirms it. What another
  /// process or host has written since stays as it is. By default the entity is removed.
  func expireEntity(asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void)

  /// From now on reads find nothing until the next write. (CACHE-27)
  func removeEntity(forKey key: Key, completion: @escaping () -> Void)
}

extension EntityCache {
  public var outlivesProcess: Bool { false }

  public func unsharedKey(of key: Key) -> Key { key }

  public func follow(_ key: Key, _ news: () -> EntityNews) {}

  public func accepts(_ entity: Entity) -> Bool { true }

  public func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    updateEntity(forKey: key, { $0.timestamp = timestamp }, completion: completion)
  }

  public func updateEntity(
    forKey key: Key, _ change: @escaping @Sendable (inout Entity) -> Void,
    completion: @escaping () -> Void
  ) {
    readEntity(forKey: key) { [self] entity in
      guard var entity else { return completion() }
      change(&entity)
      writeEntity(entity, forKey: key, completion: completion)
    }
  }

  public func expireEntity(
    asOf timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    removeEntity(forKey: key, completion: completion)
  }

  public func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Key, completion: @escaping () -> Void
  ) {
    guard confirmation.changesHeaders else {
      return updateEntityTimestamp(
        confirmation.timestamp, forKey: key, completion: completion)
    }
    updateEntity(forKey: key, { _ = confirmation.confirm(&$0) }, completion: completion)
  }
}
