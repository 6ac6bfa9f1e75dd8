import CLullBridge
import LullCore
import LullTransport

/// A table with `key`, `read`, `write`, `update_timestamp`, `remove` as a cache. All but `key` may
/// wait; what raises counts as a miss, or as not written, and is reported. (CACHE-22 to CACHE-28)
final class LuaCache: ScriptCache {
  unowned let host: LuaHost
  let assigned: KeptValue
  let operations: CacheOperations
  private let updatesTimestamps: Bool

  init(
    host: LuaHost, assigned: KeptValue, operations: CacheOperations, updatesTimestamps: Bool
  ) {
    self.host = host
    self.assigned = assigned
    self.operations = operations
    self.updatesTimestamps = updatesTimestamps
  }

  /// A key as the script made it, held until the operations on it are over.
  final class Key {
    let value: LuaValue
    /// The request whose cache this is the key of.
    let facts: RequestFacts
    private let release: () -> Void

    init(_ value: LuaValue, _ facts: RequestFacts, release: @escaping () -> Void) {
      self.value = value
      self.facts = facts
      self.release = release
    }

    deinit { release() }
  }

  func key(for resource: Resource, at stage: PipelineStageKey) -> Key? {
    let facts = RequestFacts(cacheOf: resource, stage)
    let answer = host.coroutines.ask(
      Callable(id: assigned.id, method: "key"),
      [host.values.of(resource), .string(stage.description)], kind: "cache's key function"
    ) { [host] in host.cacheKey($0, facts) }
    switch answer {
    case .success(let key): return key
    case .failure(.gone): return nil
    case .failure(.failed(let failure)):
      host.reporter.report(failure, in: "key function of a cache", request: facts)
      return nil
    }
  }

  func readEntity(forKey key: Key, completion: @escaping (Entity?) -> Void) {
    let id = assigned.id
    perform("read", key, []) { host, results in
      guard let results, results[0].kind != Int32(LULL_NIL) else { return completion(nil) }
      guard let box = host.handles.object(results[0], .entity, as: EntityBox.self) else {
        host.reporter.report(
          ScriptFailure(
            "a cache's 'read' must return an Entity or nil, got "
              + results[0].typeName,
            definedAt: host.kept.definition(of: id, method: "read")),
          in: "read function of a cache",
          request: key.facts)
        return completion(nil)
      }
      completion(box.entity)
    }
  }

  func writeEntity(_ entity: Entity, forKey key: Key, completion: @escaping () -> Void) {
    perform("write", key, [host.values.of(entity, service: nil)]) { _, _ in completion() }
  }

  func updateEntityTimestamp(
    _ timestamp: Double, forKey key: Key, completion: @escaping () -> Void
  ) {
    if updatesTimestamps {
      perform("update_timestamp", key, [.number(timestamp)]) { _, _ in completion() }
    } else {
      rewriteEntity(withTimestamp: timestamp, forKey: key, completion: completion)
    }
  }

  func removeEntity(forKey key: Key, completion: @escaping () -> Void) {
    perform("remove", key, []) { _, _ in completion() }
  }

  private func perform(
    _ method: StaticString, _ key: Key, _ arguments: [LuaValue],
    _ completion: @escaping (LuaHost, RunResults?) -> Void
  ) {
    let context = RunContext(purpose: "\(method) function of a cache", queue: operations) {
      [unowned host] outcome in
      // The key lives until here.
      let facts = key.facts
      switch outcome {
      case .finished(let results): completion(host, results)
      case .failed(let failure):
        host.reporter.report(failure, in: "\(method) function of a cache", request: facts)
        completion(host, nil)
      case .gone, .cancelled: completion(host, nil)
      }
    }
    host.coroutines.start(
      Callable(id: assigned.id, method: method), [key.value] + arguments, context)
  }
}

extension LuaHost {
  /// `lull.cache.memory()`: its userdata holds what scripts made of its entities.
  func makeMemoryCache(_ call: Call) throws(Misuse) {
    let cache = MemoryEntityCache()
    let handle = handles.insert(CacheBox(.memory(cache)), kind: .cache)
    var ids: [MemoryEntityCache.Key: Int64] = [:]
    cache.onChange = { [unowned self] key, entity in
      guard !bridge.isClosed else { return }
      if let content = entity?.content.foreignID {
        let id = ids[key] ?? kept.makeID()
        ids[key] = id
        kept.anchor(content, from: handle, key: id)
      } else if let id = ids.removeValue(forKey: key) {
        lull_value_release_from_object(bridge.pointer, handle, id)
      }
    }
    call.return(.object(handle: handle, kind: HandleKind.cache.rawValue, service: 0, anchor: 0))
  }

  private static let cacheFunctions: [StaticString] = ["key", "read", "write", "remove"]

  /// What `cache = …` of a stage names; nil for nil.
  func cache(_ call: Call, _ value: lull_value, _ index: Int32, service: Service) throws(Misuse)
    -> (any EntityCache)?
  {
    switch Int(value.kind) {
    case Int(LULL_NIL): return nil
    case Int(LULL_TABLE):
      for name in LuaHost.cacheFunctions {
        guard try LuaTable(index, in: call.state).hasFunction(name) else {
          throw .message(
            "a cache needs the function '\(name)'; see lull.cache.memory() for a ready one")
        }
      }
      return try tableCache(call.state, index, service: service)
    default:
      if let box = handles.object(value, .cache, as: CacheBox.self) {
        let assigned = try kept.kept(call.state, index, for: service)
        switch box.cache {
        case .memory(let memory): return ReadyCache(memory, assigned: assigned)
        case .file(let file): return ReadyCache(file, assigned: assigned)
        }
      }
      throw .message(
        "'cache' must be lull.cache.memory(), lull.cache.file(), a table of functions or nil, got "
          + value.typeName)
    }
  }

  /// One table is one cache, wherever it is assigned: its operations stay in order (CACHE-22). A
  /// service keeps it once, however many configurations name it.
  private func tableCache(_ state: OpaquePointer?, _ index: Int32, service: Service) throws(Misuse)
    -> LuaCache
  {
    let address = lull_table_address(state, index)
    var known = tableCaches[address]
    // Another table may have been there before.
    if let found = known, lull_value_is(bridge.pointer, found.id, state, index) == 0 { known = nil }
    let operations = known?.operations ?? CacheOperations()
    let assigned: KeptValue
    if let shared = known?.assigned, shared.handle == handles.handle(of: service) {
      assigned = shared
    } else {
      assigned = try kept.kept(state, index, for: service)
      forgetTableCachesIfDoubled()
      tableCaches[address] = KnownTableCache(assigned, operations)
    }
    return LuaCache(
      host: self, assigned: assigned, operations: operations,
      updatesTimestamps: try LuaTable(index, in: state).hasFunction("update_timestamp"))
  }

  private func forgetTableCachesIfDoubled() {
    guard tableCaches.count >= tableCacheLimit else { return }
    tableCaches = tableCaches.filter { $0.value.operations != nil }
    tableCacheLimit = max(64, 2 * tableCaches.count)
  }

  /// A table that some configuration may have as its cache.
  struct KnownTableCache {
    let id: Int64
    private(set) weak var assigned: KeptValue?
    private(set) weak var operations: CacheOperations?

    init(_ assigned: KeptValue, _ operations: CacheOperations) {
      id = assigned.id
      self.assigned = assigned
      self.operations = operations
    }
  }

  /// The first result of a key function; nil if the resource is not to be cached (CACHE-24).
  fileprivate func cacheKey(_ results: RunResults, _ facts: RequestFacts) -> LuaCache.Key? {
    let value = results[0]
    switch Int(value.kind) {
    case Int(LULL_NIL): return nil
    case Int(LULL_STRING): return LuaCache.Key(.bytes(value.bytes ?? []), facts) {}
    case Int(LULL_INTEGER): return LuaCache.Key(.int(value.integer), facts) {}
    case Int(LULL_NUMBER): return LuaCache.Key(.number(value.number), facts) {}
    case Int(LULL_BOOLEAN): return LuaCache.Key(.bool(value.integer != 0), facts) {}
    default:
      guard let id = try? kept.keep(results.state, results.index(0)), kept.pin(id) else {
        kept.noteLackOfMemory()
        return nil
      }
      return LuaCache.Key(.ref(id), facts) { [released = kept.released] in released.addPin(id) }
    }
  }
}
