import CLullBridge
import LullCore
import LullTransport

/// A cache made of a script's table with the functions `key`, `read`, `write`, `remove` and,
/// optionally, `update_timestamp`. All functions except `key` may wait. An error in a function
/// counts as a miss or a failed write, and is reported. (CACHE-22 to CACHE-28)
final class LuaCache: CoordinatedEntityCache {
  static let needed: [StaticString] = ["key", "read", "write", "remove"]
  static let functions: [StaticString] = needed + ["update_timestamp"]

  private unowned let callbacks: Callbacks
  private let assigned: StoredValue
  let operations: CacheOperations
  private let updatesTimestamps: Bool

  init(
    callbacks: Callbacks, assigned: StoredValue, operations: CacheOperations,
    updatesTimestamps: Bool
  ) {
    self.callbacks = callbacks
    self.assigned = assigned
    self.operations = operations
    self.updatesTimestamps = updatesTimestamps
  }

  /// A key created by the script, held until the operations on it have ended.
  final class Key {
    let value: LuaValue
    /// Describes, for error reports, the cache operation for which the key was created.
    let facts: RequestFacts
    /// Returns whether a string can only mean bytes if a script stores it at the cache's stage as
    /// the content of the given entity.
    let keepsBytes: (Entity) -> Bool
    private let release: () -> Void

    init(
      _ value: LuaValue, _ facts: RequestFacts, keepsBytes: @escaping (Entity) -> Bool,
      release: @escaping () -> Void
    ) {
      self.value = value
      self.facts = facts
      self.keepsBytes = keepsBytes
      self.release = release
    }

    deinit { release() }
  }

  func key(for resource: Resource, at stage: PipelineStageKey) -> Key? {
    let facts = RequestFacts(cacheOf: resource, stage)
    let answer = callbacks.coroutines.ask(
      Callable(id: assigned.id, method: "key"),
      [callbacks.values.of(resource), .string(stage.description)],
      kind: "cache's key function"
    ) { [callbacks] in
      // The key must not keep the resource alive, so the closure captures only the pipeline.
      // (CACHE-36)
      let pipeline = resource.resolvedConfiguration.settings.pipeline
      return LuaCache.key(
        $0, facts, callbacks.stored, of: resource.query, in: resource.service.environment?.name
      ) {
        pipeline.keepsBytes(of: $0, through: stage)
      }
    }
    switch answer {
    case .success(.success(let key)): return key
    case .success(.failure(let problem)):
      callbacks.reporter.report(
        callbacks.failure(problem.text, of: assigned.id, method: "key"),
        in: "key function of a cache", request: facts)
      return nil
    case .failure(.gone): return nil
    case .failure(.failed(let failure)):
      callbacks.reporter.report(failure, in: "key function of a cache", request: facts)
      return nil
    }
  }

  var distinguishesQueries: Bool { true }

  func readEntity(forKey key: Key, completion: @escaping (Entity?) -> Void) {
    let id = assigned.id
    perform("read", key, []) { callbacks, results in
      guard let results, results[0].kind != Int32(LULL_NIL) else { return completion(nil) }
      guard let box = callbacks.handles.object(results[0], .entity, as: EntityBox.self)
      else {
        callbacks.reporter.report(
          callbacks.failure(
            "a cache's 'read' must return an Entity or nil, got " + results[0].typeName, of: id,
            method: "read"),
          in: "read function of a cache", request: key.facts)
        return completion(nil)
      }
      var entity = box.settled
      // The script has stored the content as a string and created a new entity from it. (CACHE-101)
      if box.isOwn, case .text(let text) = entity.content, key.keepsBytes(entity) {
        entity.content = .bytes(Array(text.utf8))
      }
      completion(entity)
    }
  }

  func writeEntity(_ entity: Entity, forKey key: Key, completion: @escaping () -> Void) {
    perform("write", key, [callbacks.values.of(entity, service: nil)]) { _, _ in completion()
    }
  }

  func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    if updatesTimestamps {
      perform("update_timestamp", key, [.number(timestamp)]) { _, _ in completion() }
    } else {
      updateEntity(forKey: key, { $0.timestamp = timestamp }, completion: completion)
    }
  }

  /// Applies a confirmation, such as a 304, to the stored entity. If only the timestamp changes and
  /// the table has `update_timestamp`, that function is called. Otherwise the entity is read,
  /// changed and written.
  func confirmEntity(
    _ confirmation: EntityConfirmation, forKey key: Key, completion: @escaping () -> Void
  ) {
    if updatesTimestamps, !confirmation.changesHeaders {
      return updateEntityTimestamp(confirmation.timestamp, forKey: key, completion: completion)
    }
    readEntity(forKey: key) { [self] entity in
      guard var entity, confirmation.confirm(&entity) else { return completion() }
      writeEntity(entity, forKey: key, completion: completion)
    }
  }

  func removeEntity(forKey key: Key, completion: @escaping () -> Void) {
    perform("remove", key, []) { _, _ in completion() }
  }

  private func perform(
    _ method: StaticString, _ key: Key, _ arguments: [LuaValue],
    _ completion: @escaping (Callbacks, RunResults?) -> Void
  ) {
    let context = RunContext(purpose: "\(method) function of a cache", queue: operations) {
      [unowned callbacks] outcome in
      // This use of `key` keeps the key alive until the function has ended.
      let facts = key.facts
      switch outcome {
      case .finished(let results): completion(callbacks, results)
      case .failed(let failure):
        callbacks.reporter.report(
          failure, in: "\(method) function of a cache", request: facts)
        completion(callbacks, nil)
      case .gone, .cancelled: completion(callbacks, nil)
      }
    }
    callbacks.coroutines.start(
      Callable(id: assigned.id, method: method), [key.value] + arguments, context)
  }

  private struct WrongKey: Error { let text: String }

  /// Returns the cache key from the results of a key function, or nil if the resource is not to be
  /// cached (CACHE-24). For an environment of an API file, the name of the environment is appended
  /// to the key. For a query, the digest of the query is appended. In both cases, the key must be a
  /// string. (ENV-07, QUERY-16)
  private static func key(
    _ results: RunResults, _ facts: RequestFacts, _ stored: StoredValues,
    of query: ResourceQuery?, in environment: String?,
    keepsBytes: @escaping (Entity) -> Bool
  ) -> Result<Key?, WrongKey> {
    func key(_ value: LuaValue, release: @escaping () -> Void = {}) -> Result<Key?, WrongKey> {
      .success(Key(value, facts, keepsBytes: keepsBytes, release: release))
    }
    let value = results[0]
    if Int(value.kind) == Int(LULL_NIL) { return .success(nil) }
    if Int(value.kind) == Int(LULL_STRING) {
      var bytes = value.bytes ?? []
      if let query {
        guard let mark = query.identity.mark else { return .success(nil) }
        bytes += Array("\n\(mark)".utf8)
      }
      return key(.bytes(EnvironmentMark.marked(bytes, in: environment)))
    }
    if query != nil {
      return .failure(
        WrongKey(
          text:
            "for a query, a cache's 'key' must return a string, to which Lull appends a digest of "
            + "the query, got \(value.typeName)"))
    }
    if let environment {
      return .failure(
        WrongKey(
          text:
            "in an environment ('\(environment)') a cache's 'key' must return a string, because "
            + "environments share the cache, got \(value.typeName)"))
    }
    switch Int(value.kind) {
    case Int(LULL_INTEGER): return key(.int(value.integer))
    case Int(LULL_NUMBER): return key(.number(value.number))
    case Int(LULL_BOOLEAN): return key(.bool(value.integer != 0))
    default:
      guard let id = try? stored.keep(results.state, results.index(0)), stored.pin(id) else {
        stored.noteLackOfMemory()
        return .success(nil)
      }
      return key(.ref(id)) { [released = stored.released] in released.addPin(id) }
    }
  }
}

extension LuaCache: FunctionHolder {
  var heldFunctions: [AnyObject] { [assigned] }
  var functionUse: String { "cache" }
}
