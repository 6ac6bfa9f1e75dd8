import CLullBridge
package import LullCore
import Synchronization

/// The Lua values that Swift refers to by ID. Each value is kept alive by a pin or by a userdata.
///
/// A stored value is referenced weakly. The code that stores the value anchors it to an object with
/// the right lifetime, or pins it temporarily. If there is not enough memory to anchor or pin a
/// value, the value is lost. The loss is recorded. The current script call then raises an error or,
/// without a script call, the next turn reports the loss. Home thread only.
package final class StoredValues {
  let bridge: BridgeRuntime
  let handles: ObjectHandles
  private let pump: Pump
  /// The stored values to release, because the Swift objects that needed them no longer exist.
  let released = ReleasedValues()
  /// The last ID assigned.
  private(set) var lastID: Int64
  /// The range of IDs that this host assigns. No other host of the process uses them.
  private let ownIDs: Range<Int64>
  /// The number of pins on each stored value, keyed by ID, and on each task or other object, keyed
  /// by handle. The number of pins on a request is stored in the request's `RequestMark`.
  private var valuePins: [Int64: Int] = [:]
  private var objectPins: [UInt64: Int] = [:]
  /// The number of objects pinned until the process ends.
  private(set) var lastingPinCount = 0
  /// Whether a value was lost for lack of memory, and the loss has not been reported yet.
  private(set) var lacksMemory = false

  init(_ handles: ObjectHandles, _ pump: Pump) {
    bridge = handles.bridge
    self.handles = handles
    self.pump = pump
    ownIDs = HostNumber.next().ids
    lastID = ownIDs.lowerBound
    handles.onScriptedRequest = { [unowned self] request, isFirst in
      if isFirst {
        holdScripts(of: request)
      } else {
        pump.enqueue { [unowned self] in anchorScripts(of: request) }
      }
    }
  }

  // MARK: Storing

  /// Returns a new ID for a Lua value. IDs of documents are in a separate range.
  package func makeID() -> Int64 {
    lastID += 1
    return lastID
  }

  /// Returns whether this host has assigned the ID.
  func isOwn(_ id: Int64) -> Bool { ownIDs.contains(id) }

  /// Stores the value at a stack index under a new ID. The reference to the value is weak, so the
  /// caller must anchor or pin the value.
  package func keep(_ state: OpaquePointer?, _ index: Int32) throws(Misuse) -> Int64 {
    let id = makeID()
    guard lull_value_keep(bridge.pointer, state, index, id) == 0 else {
      throw .message("not enough memory")
    }
    return id
  }

  /// Stores the value at a stack index and anchors it to the service's userdata. The value is kept
  /// alive as long as that userdata, or until the value is released.
  func keep(_ state: OpaquePointer?, _ index: Int32, anchoredTo service: Service) throws(Misuse)
    -> Int64
  {
    let id = try keep(state, index)
    let handle = handles.handle(of: service)
    guard lull_value_anchor_to_object(bridge.pointer, handle, id, id) == 0 else {
      throw .message("not enough memory")
    }
    return id
  }

  /// Stores the value at a stack index and anchors it to the service's userdata. The value is kept
  /// alive as long as the returned object.
  package func storedValue(_ state: OpaquePointer?, _ index: Int32, for service: Service)
    throws(Misuse)
    -> StoredValue
  {
    StoredValue(
      id: try keep(state, index, anchoredTo: service), handle: handles.handle(of: service), self)
  }

  /// Returns the place where a stored function is defined, as text.
  func place(of id: Int64) -> String {
    bridge.withArena { String(escapingCString: lull_value_place(bridge.pointer, id)) }
  }

  /// Returns the place where a function is defined. The function is the stored value itself or, if
  /// that is a table, the field `method` of the table.
  package func definition(of id: Int64, method: StaticString? = nil) -> TraceFrame? {
    guard !bridge.isClosed else { return nil }
    return bridge.withArena {
      var frame = lull_trace_frame()
      guard lull_value_frame(bridge.pointer, id, method?.cString, &frame) == 0 else { return nil }
      return TraceFrame(frame)
    }
  }

  /// Returns the place where a stored function is defined, or the places where the functions of a
  /// stored cache table are defined.
  fileprivate func definitions(of id: Int64) -> [TraceFrame] {
    if let own = definition(of: id) { return [own] }
    return LuaCache.functions.compactMap { definition(of: id, method: $0) }
  }

  /// Returns a text with a kind of function, followed by the place where the function with that ID
  /// is defined.
  func named(_ kind: String, _ id: Int64) -> String {
    let place = place(of: id)
    return place.isEmpty ? kind : "\(kind) (\(place))"
  }

  // MARK: Anchors

  /// Anchors a stored value to an object's userdata, under its own ID or under `key`.
  package func anchor(_ id: Int64, from handle: UInt64, key: Int64? = nil) {
    guard lull_value_anchor_to_object(bridge.pointer, handle, key ?? id, id) != 0 else { return }
    lacksMemory = true
  }

  /// Replaces the value that is anchored to an object's userdata under `key`. If the ID is nil, the
  /// value under `key` is only released.
  private func anchor(_ id: Int64?, from handle: UInt64, only key: Int64) {
    if let id {
      anchor(id, from: handle, key: key)
    } else {
      release(key, from: handle)
    }
  }

  func release(_ key: Int64, from handle: UInt64) {
    lull_value_release_from_object(bridge.pointer, handle, key)
  }

  /// Returns the ID of a single value that keeps the values with all these IDs alive. It is for
  /// objects that can anchor only one value. Returns 0 if there are no IDs.
  func anchor(for ids: [Int64]) -> Int64 {
    guard let first = ids.first, ids.count > 1 else { return ids.first ?? 0 }
    let id = makeID()
    guard !bridge.isClosed, lull_value_bundle(bridge.pointer, ids, Int32(ids.count), id) == 0
    else {
      lacksMemory = !bridge.isClosed
      return first
    }
    // The value is held temporarily, until the receiver can anchor it.
    adoptForNow(id)
    return id
  }

  // MARK: Values of resources

  /// Returns the ID under which a service keeps the Lua data of a resource's record alive. The ID
  /// plus 1 is for the Lua values in the resource's error. The ID plus 2 is for a copy of the data
  /// (`SharedContent`).
  func key(of record: ResourceRecord) -> Int64 {
    if record.hostKey == 0 {
      record.hostKey = makeID()
      for _ in 1...2 { _ = makeID() }
    }
    return record.hostKey
  }

  /// Makes the service keep the script values in the current state of a resource alive, and release
  /// the script values in its previous state.
  ///
  /// Meanwhile a finaliser may change the resource's data and call this function again. So the
  /// check is repeated until the values that the service keeps alive are the current values.
  func stateChanged(of resource: Resource) {
    let record = resource.record
    var data: Int64?
    var ids: [Int64]
    repeat {
      data = record.foreignID
      ids = StoredValues.errorIDs(of: record)
      let error = ids.isEmpty ? 0 : anchor(for: ids)
      guard record.hostKey != 0 || data != nil || error != 0 else { return }
      let key = key(of: record)
      let service = handles.handle(of: resource.service)
      anchor(data, from: service, only: key)
      anchor(error == 0 ? nil : error, from: service, only: key + 1)
    } while data != record.foreignID || ids != StoredValues.errorIDs(of: record)
  }

  /// Returns the IDs of the script values in the current error of a resource.
  private static func errorIDs(of record: ResourceRecord) -> [Int64] {
    record.hasError ? record.state.latestError?.foreignIDs ?? [] : []
  }

  func forget(_ record: ResourceRecord, of service: Service) {
    guard record.hostKey != 0, service.hostHandle != 0, bridge.isStarted else { return }
    for number: Int64 in 0...2 { release(record.hostKey + number, from: service.hostHandle) }
  }

  // MARK: Values of requests

  /// Keeps a script value alive for a request. Until the request settles, the value is pinned. If
  /// the request has already settled, the value is anchored to the request's userdata.
  func hold(_ id: Int64, for request: Request) {
    guard !request.mark.values.contains(id) else { return }
    guard request.mark.place != nil else {
      anchor(id, from: request.mark.handle)
      return
    }
    if pin(id) { request.mark.values.append(id) } else { lacksMemory = true }
  }

  func hold(_ response: Response, for request: Request) {
    for id in response.foreignIDs { hold(id, for: request) }
  }

  /// Pins values until the returned function is called. Returns nil if there are no values to pin.
  func hold(_ ids: [Int64]) -> (() -> Void)? {
    let held = ids.filter { pin($0) }
    guard !held.isEmpty else { return nil }
    return { [weak self] in for id in held { self?.unpin(id) } }
  }

  /// Replaces the pins on the script values of a settled request with anchors to the request's
  /// userdata.
  func settle(_ request: Request) {
    let mark = request.mark
    // The values are moved one at a time, because a finaliser that runs meanwhile may add more.
    while let id = mark.values.popLast() {
      anchor(id, from: mark.handle)
      unpin(id)
    }
  }

  /// Creates the userdata of a request, and anchors to it the functions that the request may still
  /// call. The userdata is pinned until the next turn, because until then nothing else may refer to
  /// it.
  private func holdScripts(of request: Request) {
    guard pin(request) else {
      lacksMemory = true
      return
    }
    anchorScripts(of: request)
    pump.enqueue { [unowned self] in unpin(request) }
  }

  /// Anchors the functions that a request may call to the userdata of the request. A chain also
  /// needs the functions of the requests that it wraps. These are anchored too, up to the first
  /// wrapped request that has its own userdata. The chain anchors that userdata, because the script
  /// passed the request to the chain.
  private func anchorScripts(of request: Request) {
    var part: Request? = request
    while let current = part {
      for id in current.mark.anchors { anchor(id, from: request.mark.handle) }
      part = current.wrappedRequest
      if part?.mark.handle != 0 { return }
    }
  }

  // MARK: Pins

  // A pin is counted before the bridge creates it, because a finaliser that runs meanwhile may pin
  // and unpin the same value.

  /// Pins a stored value until an equal number of unpins. Returns false if there is not enough
  /// memory.
  package func pin(_ id: Int64) -> Bool {
    let count = valuePins[id] ?? 0
    guard count > 0 || !bridge.isClosed else { return false }
    valuePins[id] = count + 1
    guard count == 0, lull_value_pin(bridge.pointer, id) != 0 else { return true }
    dropFailedPin(&valuePins[id])
    return false
  }

  /// Subtracts a pin that could not be created from the number of pins. If other pins were counted
  /// meanwhile, they remain counted, and the loss of the value is reported.
  private func dropFailedPin(_ count: inout Int?) {
    guard let counted = count, counted > 1 else { return count = nil }
    count = counted - 1
    lacksMemory = true
  }

  func unpin(_ id: Int64) {
    guard let count = valuePins[id] else { return }
    valuePins[id] = count > 1 ? count - 1 : nil
    if count == 1, !bridge.isClosed { lull_value_unpin(bridge.pointer, id) }
  }

  /// Records the pin that the bridge created together with a value. The caller must unpin the
  /// value.
  func adopt(_ id: Int64) { valuePins[id] = 1 }

  /// Records the pin that the bridge created together with a value, and unpins the value in the
  /// next turn. By then, the receiver of the value keeps it alive.
  func adoptForNow(_ id: Int64) {
    adopt(id)
    pump.enqueue { [unowned self] in unpin(id) }
  }

  /// Pins new values until the next turn. By then, the receivers of the values have anchored them.
  func holdForNow(_ ids: [Int64]) {
    let pinned = ids.filter { pin($0) }
    if pinned.count < ids.count { lacksMemory = true }
    pump.enqueue { [unowned self] in for id in pinned { unpin(id) } }
  }

  /// Unpins values two turns from now. By then the results of the current call have been pushed.
  func unpinSoon(_ ids: [Int64]) {
    pump.enqueue { [unowned self] in
      pump.enqueue { [unowned self] in for id in ids { unpin(id) } }
    }
  }

  /// Pins the userdata of a request until an equal number of unpins. The userdata is created if
  /// needed. Returns false if there is not enough memory.
  func pin(_ request: Request) -> Bool {
    guard !bridge.isClosed else { return false }
    // This call must come first, because a request with script functions is pinned when it gets its
    // handle.
    var object = handles.bridged(request)
    let mark = request.mark
    mark.pins += 1
    guard mark.pins == 1, lull_object_pin(bridge.pointer, &object) != 0 else { return true }
    mark.pins -= 1
    if mark.pins > 0 { lacksMemory = true }
    handles.releaseUnclaimed(object.handle)
    return false
  }

  func unpin(_ request: Request) {
    let mark = request.mark
    guard mark.pins > 0 else { return }
    mark.pins -= 1
    if mark.pins == 0, !bridge.isClosed { lull_object_unpin(bridge.pointer, mark.handle) }
  }

  /// Pins a task's userdata until an equal number of unpins. Returns its handle, or nil if the
  /// userdata no longer exists or there is not enough memory.
  func pin(_ task: LuaTask) -> UInt64? {
    guard pin(object: task.hostHandle, .task) else { return nil }
    return task.hostHandle
  }

  /// Pins the userdata of an object until an equal number of unpins. Returns false if there is no
  /// userdata or not enough memory.
  func pin(object handle: UInt64, _ kind: HandleKind, service: UInt64 = 0) -> Bool {
    guard !bridge.isClosed, handle != 0 else { return false }
    let count = objectPins[handle] ?? 0
    objectPins[handle] = count + 1
    guard count == 0 else { return true }
    var object = lull_value(object: handle, kind: kind.rawValue, service: service)
    guard lull_object_pin(bridge.pointer, &object) != 0 else { return true }
    dropFailedPin(&objectPins[handle])
    handles.releaseUnclaimed(object.handle)
    return false
  }

  func unpin(object handle: UInt64) {
    if handles.kind(handle) == .request {
      // The request's handle has not changed while it was pinned.
      guard let request = handles.object(handle, .request, as: Request.self) else { return }
      return unpin(request)
    }
    guard let count = objectPins[handle] else { return }
    objectPins[handle] = count > 1 ? count - 1 : nil
    if count == 1, !bridge.isClosed { lull_object_unpin(bridge.pointer, handle) }
  }

  /// Pins the userdata of a new object until the process ends. Returns its handle, or nil if there
  /// is not enough memory.
  package func pinForGood(_ object: AnyObject, _ kind: HandleKind, service: Service) -> UInt64? {
    var value = lull_value(
      object: handles.insert(object, kind: kind), kind: kind.rawValue,
      service: handles.handle(of: service))
    guard !bridge.isClosed, lull_object_pin(bridge.pointer, &value) == 0 else {
      handles.releaseUnclaimed(value.handle)
      return nil
    }
    lastingPinCount += 1
    return value.handle
  }

  // MARK: Maintenance

  /// Releases values that Swift no longer refers to.
  func release(_ batch: ReleasedValues.Batch) {
    for value in batch.values { release(value.id, from: value.handle) }
    for id in batch.pins { unpin(id) }
  }

  func noteLackOfMemory() { lacksMemory = true }

  /// Returns whether a value was lost for lack of memory since the last call. Resets `lacksMemory`.
  ///
  /// - Parameter before: the value of `lacksMemory` when the reporting call began. If it was true,
  ///   the loss belongs to an outer call, which a finaliser has interrupted.
  func takeLackOfMemory(since before: Bool = false) -> Bool {
    guard lacksMemory, !before else { return false }
    lacksMemory = false
    return true
  }
}

/// Keeps a script value anchored to a service's userdata for as long as this object lives.
///
/// The `deinit` only queues the ID, because a `deinit` must not call into Lua. The value is
/// released in the next turn.
package final class StoredValue {
  package let id: Int64
  let handle: UInt64
  private let released: ReleasedValues
  private weak var values: StoredValues?

  init(id: Int64, handle: UInt64, _ values: StoredValues) {
    self.id = id
    self.handle = handle
    self.values = values
    released = values.released
  }

  /// The places where the value is defined. For a function, this is one place. For a table that is
  /// used as a cache, these are the places of the functions in the table.
  package var definitions: [TraceFrame] { values?.definitions(of: id) ?? [] }

  deinit { released.add(id: id, handle: handle) }
}

/// The number of a host in the process. It determines the range of IDs that the host assigns, so
/// that different hosts assign different IDs.
struct HostNumber {
  private static let count = Atomic<Int64>(0)
  /// The number of bits for the IDs of one host. The IDs of documents and views begin at 1 << 61.
  private static let bits: Int64 = 36
  private static let most: Int64 = 1 << (60 - bits)

  private let number: Int64

  /// Returns the number of a new host. The first number is 0, so the IDs of the first host are
  /// small.
  static func next() -> HostNumber {
    HostNumber(number: count.wrappingAdd(1, ordering: .relaxed).oldValue % most)
  }

  /// The IDs that the host with this number may assign to values.
  var ids: Range<Int64> { number << HostNumber.bits + 1..<(number + 1) << HostNumber.bits }
}
