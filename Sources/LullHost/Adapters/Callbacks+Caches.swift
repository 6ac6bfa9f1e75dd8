import CLullBridge
import LullCore
import LullTransport

/// A cache that a script has assigned to a stage: a table of functions, or one of Lull's caches.
struct AssignedCache {
  let cache: any EntityCache
  /// The script's value for the cache, which the stage keeps alive.
  let value: StoredValue
}

extension PipelineStage {
  mutating func setCache(_ assigned: AssignedCache?) {
    if let assigned { cacheUsing(assigned.cache, mark: assigned.value) } else { doNotCache() }
  }

  /// The script value that was assigned as the stage's cache, or nil.
  var assignedCache: LuaValue { (cacheMark as? StoredValue).map { .ref($0.id) } ?? .nil }
}

/// The object behind a Lua value that represents one of Lull's caches.
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

  var entityCache: any EntityCache {
    switch cache {
    case .memory(let memory): memory
    case .file(let file): file
    case .shared(let shared): shared
    }
  }

  /// The text that Lua's `tostring` returns for the cache.
  var text: String {
    switch cache {
    case .memory: "Cache(in memory)"
    case .file(let file): "Cache(\(file.path ?? "in no file"))"
    case .shared(let shared): "Cache(shared, \(shared.path ?? "in no file"))"
    }
  }
}

/// Creates the caches of scripts: memory caches, and caches made of a table of functions. Every
/// assignment of the same table refers to the same cache.
extension Callbacks {
  /// Implements `lull.cache.memory()`. The entities in the cache may contain script values, which
  /// the cache's userdata keeps alive.
  func makeMemoryCache() -> LuaValue {
    let cache = MemoryEntityCache()
    let handle = handles.insert(CacheBox(.memory(cache)), kind: .cache)
    var held: [MemoryEntityCache.Key: (id: Int64, content: Int64)] = [:]
    cache.onChange = { [unowned self] key, entity in
      guard !bridge.isClosed else { return }
      guard let content = entity?.content.foreignID else {
        if let entry = held.removeValue(forKey: key) {
          stored.release(entry.id, from: handle)
        }
        return
      }
      let id = held[key]?.id ?? stored.makeID()
      held[key] = (id, content)
      // A finaliser that runs during the anchoring may replace or remove the entry.
      while let entry = held[key], entry.id == id {
        stored.anchor(entry.content, from: handle, key: id)
        if let now = held[key], now == entry { return }
      }
      stored.release(id, from: handle)
    }
    return .object(handle: handle, kind: HandleKind.cache.rawValue, service: 0, anchor: 0)
  }

  /// Returns the cache for the value that a script assigned to the `cache` of a stage. Returns nil
  /// if the value is nil.
  func cache(_ value: lull_value, _ index: Int32, _ state: OpaquePointer?, service: Service)
    throws(Misuse)
    -> AssignedCache?
  {
    switch Int(value.kind) {
    case Int(LULL_NIL): return nil
    case Int(LULL_TABLE):
      for name in LuaCache.needed {
        guard try LuaTable(index, in: state).hasFunction(name) else {
          throw .message(
            "a cache needs the function '\(name)'; see lull.cache.memory() for a ready one")
        }
      }
      return try tableCache(state, index, service: service)
    default:
      if let box = handles.object(value, .cache, as: CacheBox.self) {
        return AssignedCache(
          cache: box.entityCache, value: try stored.storedValue(state, index, for: service))
      }
      throw .message(
        "'cache' must be lull.cache.memory(), lull.cache.file(), lull.cache.shared(), a table of functions or nil, got "
          + value.typeName)
    }
  }

  /// Returns the cache for a table of functions. All caches for the same table share one queue of
  /// operations, so that the operations stay in order (CACHE-22). A service stores the table once,
  /// however many of its configurations use it.
  private func tableCache(_ state: OpaquePointer?, _ index: Int32, service: Service) throws(Misuse)
    -> AssignedCache
  {
    let address = lull_table_address(state, index)
    var known = cacheTables[address]
    // A table that has been freed may have had the same address as this table.
    if let found = known, lull_value_is(bridge.pointer, found.id, state, index) == 0 { known = nil }
    let operations = known?.operations ?? CacheOperations()
    let assigned: StoredValue
    if let shared = known?.assigned, shared.handle == handles.handle(of: service) {
      assigned = shared
    } else {
      assigned = try stored.storedValue(state, index, for: service)
      cacheTables.add(CacheTables.KnownTable(assigned, operations), at: address)
    }
    let cache = LuaCache(
      callbacks: self, assigned: assigned, operations: operations,
      updatesTimestamps: try LuaTable(index, in: state).hasFunction("update_timestamp"))
    return AssignedCache(cache: cache, value: assigned)
  }
}

/// The tables that scripts use as caches, keyed by the address of the table. They are stored so
/// that a table which is assigned again refers to the same cache.
struct CacheTables {
  private var tables: [UnsafeRawPointer?: KnownTable] = [:]
  /// The number of entries at which the entries of freed tables are removed.
  private var limit = 64

  var count: Int { tables.count }

  subscript(address: UnsafeRawPointer?) -> KnownTable? { tables[address] }

  mutating func add(_ table: KnownTable, at address: UnsafeRawPointer?) {
    if tables.count >= limit {
      tables = tables.filter { $0.value.operations != nil }
      limit = max(64, 2 * tables.count)
    }
    tables[address] = table
  }

  /// A table that configurations use as their cache.
  struct KnownTable {
    let id: Int64
    private(set) weak var assigned: StoredValue?
    private(set) weak var operations: CacheOperations?

    init(_ assigned: StoredValue, _ operations: CacheOperations) {
      id = assigned.id
      self.assigned = assigned
      self.operations = operations
    }
  }
}
