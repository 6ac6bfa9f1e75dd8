/// Stores the output of a pipeline stage for longer than the resource lives. (CACHE-01 to CACHE-37)
///
/// Set on a stage with `pipeline[.model].cacheUsing(cache)`. When the data of an empty resource is
/// first read, the caches of its GET pipeline are read, the last stage's first. A hit passes the
/// later stages and becomes the resource's data with its stored timestamp. Each successful GET load
/// writes the output of every cached stage. A 304 updates the timestamp. A local override removes
/// the entry, and so do an invalidation and a successful write. Wiping a resource removes nothing
/// (CACHE-32).
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
/// All methods are called on the home thread. Do slow work elsewhere, and call `completion` once,
/// on the home thread. Operations on one object never overlap: each begins when the one before has
/// completed, in the order issued (CACHE-22). A failed read is a miss, and a failed write is
/// ignored; neither is reported.
///
/// A cache that outlives the process, or that other processes write to, is a
/// `CoordinatedEntityCache`.
public protocol EntityCache<Key>: AnyObject {
  /// Identifies a stored entity.
  associatedtype Key

  /// Returns the key of a resource's entity at a stage, or nil if it is not cached here (CACHE-24).
  /// Called for reads and writes alike, while the resource may be empty (CACHE-23).
  func key(for resource: Resource, at stage: PipelineStageKey) -> Key?

  /// Finds the entity, with the timestamp that it was written with (CACHE-31); nil for a miss.
  func readEntity(forKey key: Key, completion: @escaping (Entity?) -> Void)

  /// Stores the entity. The cache may decline (CACHE-28).
  func writeEntity(_ entity: Entity, forKey key: Key, completion: @escaping () -> Void)

  /// Sets the timestamp of a stored entity. Does nothing if there is no entry. The default reads
  /// and writes the entity (CACHE-26).
  func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Key, completion: @escaping () -> Void)

  /// Removes the entry: reads find nothing until the next write. (CACHE-27)
  func removeEntity(forKey key: Key, completion: @escaping () -> Void)
}

extension EntityCache {
  public func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    updateEntity(forKey: key, { $0.timestamp = timestamp }, completion: completion)
  }

  /// Reads the entity, changes it and writes it; does nothing if there is no entry.
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
