/// A cache for the output of a pipeline stage. It can keep an entity longer than the entity's
/// resource is in memory. (CACHE-01 to CACHE-37)
///
/// A cache is set on a stage with `pipeline[.model].cacheUsing(cache)`. When the program first
/// reads the data of a resource that has no data, Lull reads the caches of the resource's GET
/// pipeline, beginning with the cache of the last stage. A hit is processed by the later stages and
/// becomes the resource's data, with its stored timestamp. Each successful GET load writes the
/// output of every stage that has a cache. A 304 updates the timestamp of the entry. A local
/// override, an invalidation, and a successful unsafe request to the URL remove the entry. Wiping a
/// resource does not remove its entries (CACHE-32).
///
/// A cache has five methods, one of which has a default:
///
///     final class NoteCache: EntityCache {
///       private var notes: [String: Entity] = [:]
///
///       func key(for resource: Resource, at stage: PipelineStageKey) -> String? {
///         "\(stage) \(resource.url.text)"
///       }
///
///       func readEntity(forKey key: String, completion: @escaping (Entity?) -> Void) {
///         completion(notes[key])
///       }
///
///       func writeEntity(_ entity: Entity, forKey key: String, completion: @escaping () -> Void) {
///         notes[key] = entity
///         completion()
///       }
///
///       func removeEntity(forKey key: String, completion: @escaping () -> Void) {
///         notes[key] = nil
///         completion()
///       }
///     }
///
/// All methods are called on the home thread. Do slow work on another thread, and call `completion`
/// once, on the home thread. Operations on one cache object never overlap: each operation begins
/// when the previous one has completed, in the order in which they were issued (CACHE-22). If a
/// read fails, report a miss. If a write fails, call `completion` as usual. There is no way to
/// report an error.
///
/// A cache that outlives the process, or that other processes write to, is a
/// `CoordinatedEntityCache`.
public protocol EntityCache<Key>: AnyObject {
  /// The type of keys, which identify stored entities.
  associatedtype Key

  /// Returns the key of a resource's entity at a stage, or nil if this cache does not store the
  /// entity (CACHE-24). Called for reads and for writes. The resource may have no data at that time
  /// (CACHE-23).
  func key(for resource: Resource, at stage: PipelineStageKey) -> Key?

  /// Whether `key(for:at:)` uses `resource.query`, so that different queries of a URL have
  /// different keys. If false, the default, responses to queries are not stored in this cache, so
  /// that no query gets the response to another query. (QUERY-16)
  var distinguishesQueries: Bool { get }

  /// Reads the entity and passes it to `completion`. For a miss, passes nil. The entity has the
  /// timestamp with which it was written (CACHE-31).
  func readEntity(forKey key: Key, completion: @escaping (Entity?) -> Void)

  /// Stores the entity. The cache may also ignore the entity (CACHE-28).
  func writeEntity(_ entity: Entity, forKey key: Key, completion: @escaping () -> Void)

  /// Sets the timestamp of a stored entity. Does nothing if there is no entry. The default reads
  /// and writes the entity (CACHE-26).
  func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Key, completion: @escaping () -> Void)

  /// Removes the entry. Reads of this key are misses until the next write. (CACHE-27)
  func removeEntity(forKey key: Key, completion: @escaping () -> Void)
}

extension EntityCache {
  public var distinguishesQueries: Bool { false }

  public func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    updateEntity(forKey: key, { $0.timestamp = timestamp }, completion: completion)
  }

  /// Reads the entity, changes it and writes it. Does nothing if there is no entry.
  package func updateEntity(
    forKey key: Key, _ change: @escaping (inout Entity) -> Void, completion: @escaping () -> Void
  ) {
    readEntity(forKey: key) { [self] entity in
      guard var entity else { return completion() }
      change(&entity)
      writeEntity(entity, forKey: key, completion: completion)
    }
  }
}
