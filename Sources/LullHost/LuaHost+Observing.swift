import CLullBridge
import LullCore

extension LuaHost {
  /// An observer for the function or table at position 1. `anchored`: the service's userdata keeps
  /// the closure until it is removed.
  func makeObserver(_ call: Call, of resource: Resource, anchored: Bool) throws(Misuse)
    -> LuaObserver
  {
    let isTable = call.raw(1).kind == Int32(LULL_TABLE)
    if isTable, try !hasFunction(call.state, call.index(1), "resource_changed") {
      throw .argument(1, "an observer table needs 'resource_changed', a function")
    }
    if isTable {
      try forEachField(of: call.index(1), in: call.state) { key, field throws(Misuse) in
        let optional = ["resource_request_progress", "stopped_observing"]
        guard let name = LuaHost.string(key), optional.contains(name),
          field.kind != Int32(LULL_FUNCTION)
        else { return }
        throw .argument(
          1, "'\(name)' of an observer table must be a function, got \(LuaHost.described(field))")
      }
    }
    let id: Int64
    if anchored {
      id = try keep(call.state, call.index(1), anchoredTo: resource.service)
    } else {
      id = try keep(call.state, call.index(1))
    }
    var wantsProgress = false
    if isTable {
      wantsProgress = try hasFunction(call.state, call.index(1), "resource_request_progress")
    }
    return LuaObserver(
      host: self, id: id, isTable: isTable, wantsProgress: wantsProgress,
      resource: resource, anchoredToService: anchored, ownsItself: isTable && !anchored)
  }

  /// `add_observer(observer)`: a function lives as long as its service or until removed; a table
  /// owns itself and is held weakly. The same table twice is one observer (OBS-14).
  func addObserver(_ call: Call, to resource: Resource) throws(Misuse) {
    let isTable = call.raw(1).kind == Int32(LULL_TABLE)
    if isTable, let known = known(call, on: resource) {
      known.ownsItself = true
      return
    }
    let observer = try makeObserver(call, of: resource, anchored: !isTable)
    resource.hold(observer)
  }

  /// `add_observer(observer, owner)`: kept for as long as the owner lives.
  func addOwnedObserver(_ call: Call, to resource: Resource) throws(Misuse) {
    switch Int(call.raw(2).kind) {
    case Int(LULL_TABLE), Int(LULL_FUNCTION), Int(LULL_OBJECT), Int(LULL_OTHER): break
    default:
      throw .argument(
        2, "an owner must be a table, function or object, got \(LuaHost.typeName(call.raw(2)))")
    }
    let isTable = call.raw(1).kind == Int32(LULL_TABLE)
    let observer: LuaObserver
    let isNew: Bool
    if isTable, let known = known(call, on: resource) {
      observer = known
      isNew = false
    } else {
      observer = try makeObserver(call, of: resource, anchored: false)
      observer.ownsItself = false
      isNew = true
    }
    if isTable, lull_value_is(runtime, observer.id, call.state, call.index(2)) != 0 {
      observer.ownsItself = true
    } else if !observer.owners.contains(where: {
      lull_value_is(runtime, $0, call.state, call.index(2)) != 0
    }) {
      observer.add(owner: try keep(call.state, call.index(2)))
    }
    if isNew { resource.hold(observer) }
  }

  private func known(_ call: Call, on resource: Resource) -> LuaObserver? {
    resource.record.observers.first(of: LuaObserver.self) { observer in
      observer.isTable && !observer.isStopped
        && lull_value_is(runtime, observer.id, call.state, call.index(1)) != 0
    }
  }

  /// `remove_observers(owner_or_function)`: that value stops owning; an ownerless function, or a
  /// table that owned itself, is removed by itself.
  func removeObservers(_ call: Call, from resource: Resource) {
    var unwanted: [LuaObserver] = []
    for observer in resource.record.observers.all(of: LuaObserver.self) {
      if lull_value_is(runtime, observer.id, call.state, call.index(1)) != 0 {
        if observer.isTable, !observer.owners.isEmpty {
          observer.ownsItself = false
        } else {
          unwanted.append(observer)
        }
        continue
      }
      for owner in observer.owners
      where lull_value_is(runtime, owner, call.state, call.index(1)) != 0 {
        observer.remove(owner: owner)
        if observer.owners.isEmpty, !observer.ownsItself, !observer.isAnchoredToService {
          unwanted.append(observer)
        }
      }
    }
    resource.stopObserving(unwanted)
  }
}

/// An observer that runs now, its resource and the event.
struct Notification {
  // Whoever notifies holds both until the observer has returned or waits.
  unowned(unsafe) let observer: LuaObserver
  unowned(unsafe) let resource: Resource
}

extension LuaHost {
  /// Calls an observer with an event.
  ///
  /// Most observers return at once and without an error, and a resource may have thousands of them.
  /// So what describes the run is made only when somebody asks: a wait, a failure.
  func notify(_ observer: LuaObserver, of event: ResourceEvent, _ resource: Resource) {
    guard !isClosed else { return }
    let outer = notification
    notification = Notification(observer: observer, resource: resource)
    var run = lull_run()
    withUnsafeTemporaryAllocation(of: lull_value.self, capacity: 3) { arguments in
      arguments.initializeElement(at: 0, to: encode(resource))
      arguments.initializeElement(at: 1, to: LuaHost.encode(event.constant))
      var count: Int32 = 2
      if case .newData(let source) = event {
        arguments.initializeElement(at: 2, to: LuaHost.encode(source.constant))
        count = 3
      }
      var call = lull_call(
        function: observer.id, method: observer.isTable ? LuaObserver.changed.cString : nil,
        arguments: UnsafePointer(arguments.baseAddress), count: count, is_handler: 0)
      running.append(nil)
      lull_start(runtime, &call, &run)
    }
    let context = running.removeLast()
    // What follows is not the observer's: it belongs to whoever ran before.
    notification = outer
    if run.L == nil { releaseUnclaimed([value(resource)]) }
    switch Int(run.status) {
    case Int(LULL_RUN_DONE): lull_run_end(runtime, &run)
    case Int(LULL_RUN_GONE): observer.stop()
    default: finish(&run, context ?? observer.makeContext(resource))
    }
  }

  /// The innermost coroutine that runs now.
  var innermost: RunContext? {
    guard let last = running.last else { return nil }
    if let last { return last }
    guard let notification else { return nil }
    let context = notification.observer.makeContext(notification.resource)
    running[running.count - 1] = context
    return context
  }

  private func encode(_ resource: Resource) -> lull_value {
    if resource.hostHandle == 0 { _ = value(resource) }
    var result = lull_value()
    result.kind = Int32(LULL_OBJECT)
    result.aux = HandleKind.resource.rawValue
    result.handle = resource.hostHandle
    result.extra = handle(of: resource.service)
    return result
  }

  /// The bridge's form of a text pushed often.
  static func encode(_ constant: LuaConstant) -> lull_value {
    var result = lull_value()
    result.kind = Int32(LULL_STRING)
    result.aux = constant.rawValue
    result.pointer = UnsafeRawPointer(constant.text.utf8Start)
    result.extra = UInt64(constant.text.utf8CodeUnitCount)
    return result
  }
}

extension LuaHost {
  /// Tells observers whose owners the collector has found dead (OBS-27, OBS-28).
  func tellOrphans() {
    var id: Int64 = 0
    while lull_runtime_take_orphan(runtime, &id) != 0 {
      // It may have other owners: then it stays on the list of those to tell.
      ownedObservers[id]?.observer?.ownerDied()
      if ownedObservers[id]?.observer?.isAlive != true { ownedObservers[id] = nil }
      lull_value_unpin(runtime, id)
    }
  }
}
