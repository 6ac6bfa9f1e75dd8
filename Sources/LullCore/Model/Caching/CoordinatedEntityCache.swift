/// A cache that several services, processes or hosts write to, or one that outlives the process.
///
/// All requirements except `operations` have a default. The defaults apply to every `EntityCache`
/// that is not a coordinated one.
public protocol CoordinatedEntityCache<Key>: EntityCache {
  /// The queue of this cache: `let operations = CacheOperations()`. Objects for the same store may
  /// share a queue.
  var operations: CacheOperations { get }

  /// Whether entries outlive the process; false by default.
  ///
  /// If true, a response is not written if it or its request has `Cache-Control: no-store`, and the
  /// resource's entry is removed. A load of a resource without data waits up to 50 ms for the
  /// entry, to make its request conditional. (CACHE-39)
  var outlivesProcess: Bool { get }

  /// Returns the key for a response to a request with credentials that GET requests of the resource
  /// are not configured to carry, such as cookies or those set by a mutation: the cache can't know
  /// whose response it is. The default returns the same key. (SCA-16)
  func unsharedKey(of key: Key) -> Key

  /// From now on, reports each write to that entry by another process or host to the object that
  /// `updates` returns. Called with each key that is made. By default nothing is reported, and
  /// `updates` is not called. (NEWS-01)
  func follow(_ key: Key, _ updates: () -> EntityUpdates)

  /// Returns whether the cache can store an entity with such content (CACHE-28); true by default.
  /// An entity that it can't store is passed to `writeEntity` anyway, because it makes the stored
  /// entity outdated.
  func accepts(_ entity: Entity) -> Bool

  /// Applies a 304 to the stored entity (CACHE-19). An entity that the 304 is not about stays
  /// unchanged, because another process or host may have written it (CACHE-40). The default calls
  /// `updateEntityTimestamp`, which does not check the entity; if headers change, it reads, checks
  /// and writes the entity.
  func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Key, completion: @escaping () -> Void)

  /// Marks the entry as stale as of that time, in Unix seconds (AGE-07, INV-59). An entity that is
  /// not newer is read with the mark, until a newer one is written or a 304 confirms it. An entity
  /// that another process or host has written since stays fresh. The default removes the entry.
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
