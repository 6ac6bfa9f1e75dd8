import LullCore
import LullTransport

/// A cache that came from the script: a table of functions, or one that Lull brings.
protocol ScriptCache: EntityCache {
  /// What the script assigned.
  var assigned: KeptValue { get }
}

/// `lull.cache.memory()`, `lull.cache.file()` or `lull.cache.shared()` on a stage of some configuration.
final class ReadyCache<Cache: EntityCache>: ScriptCache, ComparedCache {
  private let cache: Cache
  let assigned: KeptValue

  init(_ cache: Cache, assigned: KeptValue) {
    self.cache = cache
    self.assigned = assigned
  }

  var fingerprint: Int { (cache as? any ComparedCache)?.fingerprint ?? 0 }
  var operations: CacheOperations { cache.operations }
  var outlivesProcess: Bool { cache.outlivesProcess }

  func key(for resource: Resource, at stage: PipelineStageKey) -> Cache.Key? {
    cache.key(for: resource, at: stage)
  }

  func unsharedKey(of key: Cache.Key) -> Cache.Key { cache.unsharedKey(of: key) }

  func follow(_ key: Cache.Key, _ news: () -> EntityNews) { cache.follow(key, news) }

  func readEntity(forKey key: Cache.Key, completion: @escaping (Entity?) -> Void) {
    cache.readEntity(forKey: key, completion: completion)
  }

  func accepts(_ entity: Entity) -> Bool { cache.accepts(entity) }

  func writeEntity(_ entity: Entity, forKey key: Cache.Key, completion: @escaping () -> Void) {
    cache.writeEntity(entity, forKey: key, completion: completion)
  }

  func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Cache.Key, completion: @escaping () -> Void
  ) {
    cache.updateEntityTimestamp(timestamp, forKey: key, completion: completion)
  }

  func updateEntity(
    forKey key: Cache.Key, _ change: @escaping @Sendable (inout Entity) -> Void,
    completion: @escaping () -> Void
  ) {
    cache.updateEntity(forKey: key, change, completion: completion)
  }

  func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Cache.Key, completion: @escaping () -> Void
  ) {
    cache.confirmEntity(confirmation, forKey: key, completion: completion)
  }

  func expireEntity(
    asOf timestamp: Double, forKey key: Cache.Key, completion: @escaping () -> Void
  ) {
    cache.expireEntity(asOf: timestamp, forKey: key, completion: completion)
  }

  func removeEntity(forKey key: Cache.Key, completion: @escaping () -> Void) {
    cache.removeEntity(forKey: key, completion: completion)
  }
}

extension ReadyCache: FetchSharing {
  var takesTurns: Bool { (cache as? any FetchSharing)?.takesTurns ?? false }

  func makeTurn(forKey key: Cache.Key) -> (any FetchTurn)? {
    guard let sharing = cache as? any FetchSharing else { return nil }
    func open<Sharing: FetchSharing>(_ sharing: Sharing) -> (any FetchTurn)? {
      (key as? Sharing.Key).flatMap { sharing.makeTurn(forKey: $0) }
    }
    return open(sharing)
  }
}

extension ReadyCache: CustomStringConvertible {
  /// As logs name it.
  var description: String { "\(Cache.self)" }
}

/// One of the caches that Lull brings, as a value of the script.
final class CacheBox {
  enum Cache {
    case memory(MemoryEntityCache)
    case file(FileEntityCache)
    case shared(SharedEntityCache)
  }

  let cache: Cache

  init(_ cache: Cache) {
    self.cache = cache
  }

  /// As `tostring` shows it.
  var text: String {
    switch cache {
    case .memory: "Cache(in memory)"
    case .file(let file): "Cache(\(file.path ?? "in no file"))"
    case .shared(let shared): "Cache(shared, \(shared.path ?? "in no file"))"
    }
  }
}
