import CLullBridge
import LullCore

/// Adds and removes the observers of scripts, and removes observers whose owners have died.
///
/// Order of events: an observer is added to its resource's list. When its owner dies, the observer
/// is put on the list of orphans, which pins the observer until it is notified in the next turn.
extension Callbacks {
  /// The observers that have owners.
  var ownedObservers: [LuaObserver] { observersByID.values.compactMap(\.observer) }

  // MARK: Adding and removing

  /// Creates an observer for the function or table that is argument 1 of the call. If `anchored`,
  /// the service's userdata keeps the closure alive until the observer is removed.
  func makeObserver(_ call: Call, of resource: Resource, anchored: Bool) throws(Misuse)
    -> LuaObserver
  {
    let isTable = call.raw(1).kind == Int32(LULL_TABLE)
    if isTable { try checkObserverMethods(of: LuaTable(call.index(1), in: call.state)) }
    let id: Int64
    if anchored {
      id = try stored.keep(call.state, call.index(1), anchoredTo: resource.service)
    } else {
      id = try stored.keep(call.state, call.index(1))
    }
    var wantsProgress = false
    if isTable {
      wantsProgress = try LuaTable(call.index(1), in: call.state).hasFunction(
        "resource_request_progress")
    }
    return LuaObserver(
      callbacks: self, id: id, identity: lull_value_identity(call.state, call.index(1)),
      isTable: isTable, wantsProgress: wantsProgress, resource: resource,
      anchoredToService: anchored, ownsItself: isTable && !anchored)
  }

  /// The functions that an observer table may have. It must have at least one of them. (OBS-39)
  private static let observerMethods: [StaticString] = [
    "resource_changed", "resource_request_progress", "stopped_observing",
  ]

  private func checkObserverMethods(of table: LuaTable) throws(Misuse) {
    try table.forEachField { key, field throws(Misuse) in
      guard let name = key.string, field.kind != Int32(LULL_FUNCTION),
        Callbacks.observerMethods.contains(where: { $0.description == name })
      else { return }
      throw .argument(
        1, "'\(name)' of an observer table must be a function, got \(field.described)")
    }
    for method in Callbacks.observerMethods {
      if try table.hasFunction(method) { return }
    }
    let names = Callbacks.observerMethods.map { "'\($0)'" }.joined(separator: ", ")
    throw .argument(1, "an observer table needs a function among \(names)")
  }

  /// Implements `resource:add_observer(observer)`. A function is kept alive as long as the service,
  /// unless the observer is removed. A table owns itself and is referenced weakly. Adding the same
  /// table twice results in one observer (OBS-14).
  func addObserver(_ call: Call, to resource: Resource) throws(Misuse) {
    let isTable = call.raw(1).kind == Int32(LULL_TABLE)
    if isTable, let known = knownObserver(call, on: resource) {
      known.ownsItself = true
      return
    }
    let observer = try makeObserver(call, of: resource, anchored: !isTable)
    // A finaliser that ran in the meantime may have added the same table.
    if isTable, let known = knownObserver(call, on: resource) {
      known.ownsItself = true
      return
    }
    resource.hold(observer, isToldByHost: observer.isToldInTurn)
  }

  /// Implements `resource:add_observer(observer, owner)`. The observer is kept alive as long as the
  /// owner lives.
  func addOwnedObserver(_ call: Call, to resource: Resource) throws(Misuse) {
    switch Int(call.raw(2).kind) {
    case Int(LULL_TABLE), Int(LULL_FUNCTION), Int(LULL_OBJECT), Int(LULL_OTHER): break
    default:
      throw .argument(
        2, "an owner must be a table, function or object, got \(call.raw(2).typeName)")
    }
    let isTable = call.raw(1).kind == Int32(LULL_TABLE)
    let observer: LuaObserver
    let isNew: Bool
    if isTable, let known = knownObserver(call, on: resource) {
      observer = known
      isNew = false
    } else {
      let made = try makeObserver(call, of: resource, anchored: false)
      made.ownsItself = false
      // A finaliser that ran in the meantime may have added the same table.
      let known = isTable ? knownObserver(call, on: resource) : nil
      observer = known ?? made
      isNew = known == nil
    }
    if isTable, lull_value_is(bridge.pointer, observer.id, call.state, call.index(2)) != 0 {
      observer.ownsItself = true
    } else if !observer.owners.contains(where: {
      lull_value_is(bridge.pointer, $0.id, call.state, call.index(2)) != 0
    }) {
      let identity = lull_value_identity(call.state, call.index(2))
      observer.add(
        owner: .init(id: try stored.keep(call.state, call.index(2)), identity: identity))
    }
    if isNew { resource.hold(observer) }
  }

  /// Returns the observers to which argument 1 of the call may refer. The argument is either the
  /// observer itself, or an owner of observers.
  private func observers(of resource: Resource, called call: Call) -> [LuaObserver] {
    let identity = lull_value_identity(call.state, call.index(1))
    return resource.record.observers.keyed(identity).compactMap { $0 as? LuaObserver }
  }

  private func knownObserver(_ call: Call, on resource: Resource) -> LuaObserver? {
    observers(of: resource, called: call).first { observer in
      observer.isTable && !observer.isStopped
        && lull_value_is(bridge.pointer, observer.id, call.state, call.index(1)) != 0
    }
  }

  /// Implements `resource:remove_observers(owner_or_function)`. If the argument is the owner of
  /// observers, it is removed from their owners. If the argument is itself an observer (a function
  /// without an owner, or a table that owns itself), that observer is removed.
  func removeObservers(_ call: Call, from resource: Resource) {
    var unwanted: [LuaObserver] = []
    for observer in observers(of: resource, called: call) {
      if lull_value_is(bridge.pointer, observer.id, call.state, call.index(1)) != 0 {
        if observer.isTable, !observer.owners.isEmpty {
          observer.ownsItself = false
        } else {
          unwanted.append(observer)
        }
        continue
      }
      for owner in observer.owners
      where lull_value_is(bridge.pointer, owner.id, call.state, call.index(1)) != 0 {
        observer.remove(owner: owner.id)
        if observer.owners.isEmpty, !observer.ownsItself, !observer.isAnchoredToService {
          unwanted.append(observer)
        }
      }
    }
    resource.stopObserving(unwanted)
  }

  // MARK: Owners

  /// Registers an observer that now has an owner.
  func note(_ observer: LuaObserver) {
    observersByID[observer.id] = WeakObserver(observer: observer)
  }

  /// Unregisters an observer that has stopped.
  func forget(_ observer: LuaObserver) { observersByID[observer.id] = nil }

  /// Notifies observers whose owners have been garbage-collected (OBS-27, OBS-28).
  func tellOrphanedObservers() {
    var id: Int64 = 0
    while lull_runtime_take_orphan(bridge.pointer, &id) != 0 {
      // An observer that has another owner remains registered.
      observersByID[id]?.observer?.ownerDied()
      if observersByID[id]?.observer?.isAlive != true { observersByID[id] = nil }
      lull_value_unpin(bridge.pointer, id)
    }
  }

  /// Releases the anchors of observers that were freed with their resources.
  func releaseObservers(_ gone: [ReleasedObserver]) {
    for observer in gone {
      observersByID[observer.id] = nil
      for owner in observer.owners {
        lull_value_release_from_owner(bridge.pointer, owner, observer.id)
      }
      if observer.service != 0 { stored.release(observer.id, from: observer.service) }
    }
  }
}

struct WeakObserver {
  weak var observer: LuaObserver?
}
