/// A cache that takes over what a 304 says of an entity in one step, so that nobody who asks meanwhile sees
/// the entity as it was.
package protocol RefreshingCache: EntityCache {
  /// Nothing if there is no entry.
  func refreshEntity(
    _ refreshment: Refreshment, timestamp: Double, forKey key: Key,
    completion: @escaping () -> Void)
}

extension EntityCache {
  /// In one step where the cache knows how to, else by reading and writing. (AGE-04)
  func refresh(
    _ refreshment: Refreshment, timestamp: Double, forKey key: Key,
    completion: @escaping () -> Void
  ) {
    func refresh<Cache: RefreshingCache>(_ cache: Cache) -> Bool {
      guard let key = key as? Cache.Key else { return false }
      cache.refreshEntity(refreshment, timestamp: timestamp, forKey: key, completion: completion)
      return true
    }
    if let cache = self as? any RefreshingCache, refresh(cache) { return }
    rewriteEntity(forKey: key, completion: completion) { entity in
      entity.refresh(by: refreshment)
      entity.timestamp = timestamp
    }
  }
}
