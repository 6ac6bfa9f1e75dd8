/// The entry of one resource in the cache of one stage. The closures hide the generic types of
/// cache and key.
struct CacheEntry {
  let stage: Pipeline.StageCache
  let read: (_ found: @escaping (Entity?) -> Void) -> Void
  let write: (Entity) -> Void
  /// Applies a 304 to the stored entity, if the 304 confirms this entity.
  let confirm: (EntityConfirmation) -> Void
  /// Marks the stored entity as stale, unless the entity is newer than `timestamp`.
  let expire: (_ timestamp: Double) -> Void
  /// Marks the entries of all queries of the URL as stale; nil if the cache can't find these
  /// entries.
  let expireQueries: ((_ timestamp: Double) -> Void)?
  let remove: () -> Void
  /// Returns the turn of a load that fetches this entry; nil if loads do not take turns in this
  /// cache.
  let makeTurn: (() -> (any FetchTurn)?)?
  /// Whether the cache reports when another process writes this entry.
  let isFollowed: Bool

  /// Creates the entry; nil if the cache has no key for the resource. (CACHE-24)
  ///
  /// - Parameter isUnshared: Whether the entry is for a request whose credentials are not in the
  ///   configuration, so that its user is unknown.
  init?(_ stage: Pipeline.StageCache, resource: Resource, isUnshared: Bool = false) {
    let pump = resource.pump
    func open<Cache: CoordinatedEntityCache>(_ cache: Cache) -> CacheEntry? {
      guard resource.record.query == nil || cache.distinguishesQueries,
        var key = cache.key(for: resource, at: stage.stage)
      else { return nil }
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

  /// Returns the reason why the output of a pipeline run must not be stored in this cache; nil if
  /// the output may be stored. An entity that a transformer has created does not have the headers
  /// of the response, so the run is checked too. (RFC 9111, sections 4.1 and 5.2.2.5)
  func refusal(of entity: Entity, from run: PipelineRun) -> String? {
    if stage.cache.outlivesProcess, run.forbidsStoring || entity.forbidsStoring {
      return StoringRule.reason
    }
    if entity.isPart { return StoringRule.part }
    if run.isPartial { return StoringRule.partialData }
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
      // Holds the content until it is written, because the write may wait in the queue while no
      // other object holds the content.
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
    expireQueries = CacheEntry.expiry(in: cache, key, pump)
    remove = {
      cache.operations.perform(on: pump) { cache.removeEntity(forKey: key, completion: $0) }
    }
    makeTurn = CacheEntry.turns(of: cache, key)
  }

  private static func expiry<Cache: CoordinatedEntityCache>(
    in cache: Cache, _ key: Cache.Key, _ pump: Pump
  ) -> ((_ timestamp: Double) -> Void)? {
    guard let queries = cache as? any QueryCache else { return nil }
    func open<Queries: QueryCache>(_ queries: Queries) -> ((_ timestamp: Double) -> Void)? {
      // The same object, so the keys have the same type.
      guard let key = key as? Queries.Key else { return nil }
      return { timestamp in
        queries.operations.perform(on: pump) { done in
          queries.expireQueries(asOf: timestamp, forKey: key, completion: done)
        }
      }
    }
    return open(queries)
  }

  private static func turns<Cache: CoordinatedEntityCache>(
    of cache: Cache, _ key: Cache.Key
  ) -> (() -> (any FetchTurn)?)? {
    guard let sharing = cache as? any FetchSharing else { return nil }
    func open<Sharing: FetchSharing>(_ sharing: Sharing) -> (() -> (any FetchTurn)?)? {
      // `sharing` is the same object as `cache`, so its keys have the same type.
      guard let key = key as? Sharing.Key else { return nil }
      return { sharing.makeTurn(forKey: key) }
    }
    return open(sharing)
  }
}
