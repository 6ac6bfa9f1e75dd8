/// One resource's place in the cache of one stage: cache and key, without their types.
struct CacheEntry {
  let stage: Pipeline.StageCache
  let read: (_ found: @escaping (Entity?) -> Void) -> Void
  let write: (Entity) -> Void
  /// Makes it young, if it is what a 304 is about.
  let confirm: (EntityConfirmation) -> Void
  /// Makes what is there stale, if it is not newer than that.
  let expire: (_ timestamp: Double) -> Void
  let remove: () -> Void
  /// Of a load that is to fetch what is kept there; nil where everybody fetches alone.
  let makeTurn: (() -> (any FetchTurn)?)?
  /// Whether the cache tells of what others write there.
  let isFollowed: Bool

  /// nil if the cache gives the resource no key. (CACHE-24)
  ///
  /// - Parameter isUnshared: whether it is of a request with credentials that are not configured.
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

  /// Why what a run has made must not be kept here; nil: it may. What a transformer has made by itself does
  /// not say what the answer said. (RFC 9111, sections 4.1 and 5.2.2.5)
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
      // It may wait for its turn longer than anybody else holds what is in it.
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
      // It is the same object.
      guard let key = key as? Sharing.Key else { return nil }
      return { sharing.makeTurn(forKey: key) }
    }
    return open(sharing)
  }
}
