/// The entry of one resource in the cache of one stage. Cache and key have no generic types here.
struct CacheEntry {
  let stage: Pipeline.StageCache
  let read: (_ found: @escaping (Entity?) -> Void) -> Void
  let write: (Entity) -> Void
  /// Applies a 304 to the entity, if the 304 is about it.
  let confirm: (EntityConfirmation) -> Void
  /// Marks the entity as stale, unless it is newer than the timestamp.
  let expire: (_ timestamp: Double) -> Void
  let remove: () -> Void
  /// Returns the turn of a load that fetches this entry; nil if the cache has no turns.
  let makeTurn: (() -> (any FetchTurn)?)?
  /// Whether the cache reports writes of other processes to this entry.
  let isFollowed: Bool

  /// nil if the cache has no key for the resource. (CACHE-24)
  ///
  /// - Parameter isUnshared: Whether the request has credentials that are not configured.
  init?(_ stage: Pipeline.StageCache, resource: Resource, isUnshared: Bool = false) {
    let pump = resource.pump
    func open<Cache: CoordinatedEntityCache>(_ cache: Cache) -> CacheEntry? {
      guard var key = cache.key(for: resource, at: stage.stage) else { return nil }
      if isUnshared { key = cache.unsharedKey(of: key) }
      var isFollowed = false
      cache.follow(key) {
        isFollowed = true
        return resource.updates(at: stage.stage)
      }
      return CacheEntry(stage, cache, key, pump, isFollowed: isFollowed)
    }
    guard let entry = open(stage.cache) else { return nil }
    self = entry
  }

  /// Why the output of a run must not be stored here; nil if it may. A new entity made by a
  /// transformer lacks the headers of the response, so the run is checked as well. (RFC 9111,
  /// sections 4.1 and 5.2.2.5)
  func refusal(of entity: Entity, from run: PipelineRun) -> String? {
    if stage.cache.outlivesProcess, run.forbidsStoring || entity.forbidsStoring {
      return StoringRule.reason
    }
    if entity.isPart { return StoringRule.part }
    if run.dependsOnRequest, entity.exchange?.variant == nil { return StoringRule.lostVariant }
    return nil
  }

  private init<Cache: CoordinatedEntityCache>(
    _ stage: Pipeline.StageCache, _ cache: Cache, _ key: Cache.Key, _ pump: Pump,
    isFollowed: Bool
  ) {
    self.stage = stage
    self.isFollowed = isFollowed
    read = { found in
      cache.operations.perform(on: pump) { done in
        cache.readEntity(forKey: key) { entity in
          found(entity)
          done()
        }
      }
    }
    write = { entity in
      // The write may wait in the queue longer than the content is held elsewhere.
      let release = pump.host?.hold(.success(entity))
      cache.operations.perform(on: pump) { done in
        cache.writeEntity(entity, forKey: key) {
          release?()
          done()
        }
      }
    }
    confirm = { confirmation in
      cache.operations.perform(on: pump) { done in
        cache.confirmEntity(confirmation, forKey: key, completion: done)
      }
    }
    expire = { timestamp in
      cache.operations.perform(on: pump) { done in
        cache.expireEntity(asOf: timestamp, forKey: key, completion: done)
      }
    }
    remove = {
      cache.operations.perform(on: pump) { cache.removeEntity(forKey: key, completion: $0) }
    }
    makeTurn = CacheEntry.turns(of: cache, key)
  }

  private static func turns<Cache: CoordinatedEntityCache>(
    of cache: Cache, _ key: Cache.Key
  ) -> (() -> (any FetchTurn)?)? {
    guard let sharing = cache as? any FetchSharing else { return nil }
    func open<Sharing: FetchSharing>(_ sharing: Sharing) -> (() -> (any FetchTurn)?)? {
      // The same object, so the keys have the same type.
      guard let key = key as? Sharing.Key else { return nil }
      return { sharing.makeTurn(forKey: key) }
    }
    return open(sharing)
  }
}
