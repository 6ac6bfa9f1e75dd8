import CLullBridge
package import LullCore

/// Who keeps a script's values alive on Swift's behalf, and until when.
extension LuaHost: RequestHost {
  package func requestStarted(_ request: Request) { track(request) }

  package func hold(_ response: Response, for request: Request) {
    for id in response.foreignIDs { hold(id, for: request) }
  }

  package func hold(_ entity: Entity) -> (() -> Void)? {
    guard let id = entity.content.foreignID, pin(id) else { return nil }
    return { [weak self] in self?.unpin(id) }
  }

  package func hold(_ response: Response) -> (() -> Void)? {
    let ids = response.foreignIDs.filter { pin($0) }
    guard !ids.isEmpty else { return nil }
    return { [weak self] in for id in ids { self?.unpin(id) } }
  }

  /// One value that holds those of all ids, for what can hold only one; 0 for none.
  func anchor(for ids: [Int64]) -> Int64 {
    guard let first = ids.first, ids.count > 1 else { return ids.first ?? 0 }
    let id = makeID()
    guard !isClosed, lull_value_bundle(runtime, ids, Int32(ids.count), id) == 0 else {
      lacksMemory = !isClosed
      return first
    }
    // Until whoever is to hold it has had the time to.
    valuePins[id] = 1
    pump.enqueue { [unowned self] in unpin(id) }
    return id
  }

  /// Holds a script's value for a request until it settles; of one that has settled, its userdata
  /// holds it.
  func hold(_ id: Int64, for request: Request) {
    guard !request.scriptValues.contains(id) else { return }
    guard isTracked(request) else {
      anchor(id, from: request.hostHandle)
      return
    }
    if pin(id) { request.scriptValues.append(id) } else { lacksMemory = true }
  }

  /// Holds a kept value from an object's userdata, under its own number or that of `key`. Without
  /// memory for that it is lost, and whoever calls is told.
  func anchor(_ id: Int64, from handle: UInt64, key: Int64? = nil) {
    guard lull_value_anchor_to_object(runtime, handle, key ?? id, id) != 0 else { return }
    lacksMemory = true
  }

  /// What could not be held, and no call of the script's could be told of.
  func reportLackOfMemory() {
    guard lacksMemory else { return }
    lacksMemory = false
    report(
      ScriptFailure(message: "not enough memory"), in: "the keeping of a value")
  }

  // MARK: Pins

  /// Holds a kept value until as many unpins; false without memory.
  func pin(_ id: Int64) -> Bool {
    if let count = valuePins[id] {
      valuePins[id] = count + 1
      return true
    }
    guard !isClosed, lull_value_pin(runtime, id) == 0 else { return false }
    valuePins[id] = 1
    return true
  }

  func unpin(_ id: Int64) {
    guard let count = valuePins[id] else { return }
    valuePins[id] = count > 1 ? count - 1 : nil
    if count == 1, !isClosed { lull_value_unpin(runtime, id) }
  }

  /// Makes sure that a request has a userdata, and holds it until as many unpins.
  func pin(_ request: Request) -> Bool {
    guard !isClosed else { return false }
    // First of all: a request with functions of the script is pinned as it gets its handle.
    var object = encode(value(request))
    guard request.hostPins == 0 else {
      request.hostPins += 1
      return true
    }
    guard lull_object_pin(runtime, &object) == 0 else {
      releaseUnclaimed(object.handle)
      return false
    }
    request.hostPins = 1
    return true
  }

  func unpin(_ request: Request) {
    guard request.hostPins > 0 else { return }
    request.hostPins -= 1
    if request.hostPins == 0, !isClosed { lull_object_unpin(runtime, request.hostHandle) }
  }

  /// Holds a task's userdata until as many unpins; the handle, nil if it has none any more.
  func pin(_ task: LuaTask) -> UInt64? {
    guard !isClosed, task.hostHandle != 0 else { return nil }
    let handle = task.hostHandle
    if let count = taskPins[handle] {
      taskPins[handle] = count + 1
      return handle
    }
    var object = encode(
      .object(handle: handle, kind: HandleKind.task.rawValue, service: 0, anchor: 0))
    guard lull_object_pin(runtime, &object) == 0 else {
      releaseUnclaimed(object.handle)
      return nil
    }
    taskPins[task.hostHandle] = 1
    return task.hostHandle
  }

  func unpin(object handle: UInt64) {
    if handles.kind(handle) == HandleKind.request.rawValue {
      guard let object = handles.object(handle, kind: HandleKind.request.rawValue) else { return }
      // The table holds requests only under this kind. While it was pinned its handle stayed the same.
      return unpin(unsafeDowncast(object, to: Request.self))
    }
    guard let count = taskPins[handle] else { return }
    taskPins[handle] = count > 1 ? count - 1 : nil
    if count == 1, !isClosed { lull_object_unpin(runtime, handle) }
  }

  // MARK: What requests may yet call

  /// Gives a request its userdata, which holds the functions it may yet call; until the next turn
  /// nothing else may hold that.
  func holdScripts(of request: Request) {
    guard pin(request) else {
      lacksMemory = true
      return
    }
    anchorScripts(of: request)
    pump.enqueue { [unowned self] in unpin(request) }
  }

  /// Of a chain's parts too, as far as the script has never seen them: those it has, it gave to the
  /// chain itself, whose anchors they are.
  func anchorScripts(of request: Request) {
    var part: Request? = request
    while let current = part {
      for id in current.scriptAnchors {
        anchor(id, from: request.hostHandle)
      }
      part = current.wrappedRequest
      if part?.hostHandle != 0 { return }
    }
  }

  /// Holds fresh values until the next turn, by when whoever needs them has anchored them.
  func holdForNow(_ ids: [Int64]) {
    let pinned = ids.filter { pin($0) }
    if pinned.count < ids.count { lacksMemory = true }
    pump.enqueue { [unowned self] in for id in pinned { unpin(id) } }
  }

  // MARK: What configurations and caches call

  /// Keeps a value from the service's userdata for as long as the result lives.
  func kept(_ state: OpaquePointer?, _ index: Int32, for service: Service) throws(Misuse)
    -> KeptValue
  {
    KeptValue(
      id: try keep(state, index, anchoredTo: service), handle: handle(of: service), released)
  }

  /// Lets go of what nobody in Swift refers to any more.
  func releaseKept() {
    for value in released.take() {
      lull_value_release_from_object(runtime, value.handle, value.id)
    }
    for id in released.takePins() { unpin(id) }
    for observer in released.takeObservers() {
      ownedObservers[observer.id] = nil
      for owner in observer.owners {
        lull_value_release_from_owner(runtime, owner, observer.id)
      }
      if observer.service != 0 {
        lull_value_release_from_object(runtime, observer.service, observer.id)
      }
    }
  }
}
