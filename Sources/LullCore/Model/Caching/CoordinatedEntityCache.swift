/// A cache with more than one writer, or one that outlives the process: its entries may be those of other
/// services, processes or hosts.
///
/// Everything but `operations` has a default, which is what an `EntityCache` gets that is not one of these.
public protocol CoordinatedEntityCache<Key>: EntityCache {
  /// The queue of this cache: `let operations = CacheOperations()`. Objects that stand for the same store
  /// may have the same.
  var operations: CacheOperations { get }

  /// Whether entries outlive the process; by default not.
  ///
  /// If so, a response with `Cache-Control: no-store`, or to a request with it, is not written, and the
  /// resource's entry is removed. A load of a resource without data waits for the entry, for 50 ms at most,
  /// to make its request conditional. (CACHE-39)
  var outlivesProcess: Bool { get }

  /// Returns the key for a response to a request with credentials that GET requests of the resource are not
  /// configured to carry, such as a mutation's or cookies: the cache cannot know whose it is. By default the
  /// same. (SCA-16)
  func unsharedKey(of key: Key) -> Key

  /// Reports to what `updates` returns, from now on, whenever another process or host has written that entry.
  /// Called with each key that is made. By default nothing is reported, and `updates` is not called. (NEWS-01)
  func follow(_ key: Key, _ updates: () -> EntityUpdates)

  /// Returns whether the cache can store an entity with such content (CACHE-28); by default any. One that it
  /// cannot store is passed to `writeEntity` all the same, since the entry before it is outdated.
  func accepts(_ entity: Entity) -> Bool

  /// Makes the entity fresh that a 304 is about (CACHE-19), and leaves any other one unchanged: another
  /// process or host may have written it (CACHE-40). By default calls `updateEntityTimestamp`, which does not
  /// check the entry, or reads and writes where headers change.
  func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Key, completion: @escaping () -> Void)

  /// Marks the entry as stale as of that time, seconds since 1970 (AGE-07, INV-59). An entity that is not
  /// newer is read with the mark, until a newer one is written or a 304 confirms it. What another process or
  /// host has written since stays unchanged. By default the entry is removed.
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
