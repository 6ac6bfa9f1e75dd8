import CLullBridge
package import LullCore
import Synchronization

/// The Lua values Swift refers to by number, and what holds each of them: a pin, or a userdata.
///
/// Kept, a value is referred to weakly; whoever keeps it has it anchored by what lives as long as it is
/// needed, or pins it meanwhile. What cannot be held for lack of memory is lost, and noted: the call of
/// the script that is under way raises, or the next turn reports it. Home thread only.
package final class StoredValues {
  let bridge: BridgeRuntime
  let handles: ObjectHandles
  private let pump: Pump
  /// What was kept for something that is no more.
  let released = ReleasedValues()
  /// The last number given out.
  private(set) var lastID: Int64
  /// The numbers of this host: no other host of the process has one of them.
  private let ownIDs: Range<Int64>
  /// How often each value, and each task or other object by its handle, is pinned; requests know it themselves.
  private var valuePins: [Int64: Int] = [:]
  private var objectPins: [UInt64: Int] = [:]
  /// How many objects are pinned until the process ends.
  private(set) var lastingPinCount = 0
  /// Whether a value could not be held, which has not been reported yet.
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

  // MARK: Keeping

  /// A new number for a Lua value; documents' numbers are in a range of their own.
  package func makeID() -> Int64 {
    lastID += 1
    return lastID
  }

  /// Whether that is a number of this host's.
  func isOwn(_ id: Int64) -> Bool { ownIDs.contains(id) }

  /// Keeps the value at `index` under a new id, weakly; the caller anchors it.
  package func keep(_ state: OpaquePointer?, _ index: Int32) throws(Misuse) -> Int64 {
    let id = makeID()
    guard lull_value_keep(bridge.pointer, state, index, id) == 0 else {
      throw .message("not enough memory")
    }
    return id
  }

  /// Keeps a closure for as long as the service's userdata lives, or until released.
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

  /// Keeps a value from the service's userdata for as long as the result lives.
  package func storedValue(_ state: OpaquePointer?, _ index: Int32, for service: Service) throws(Misuse)
    -> StoredValue
  {
    StoredValue(
      id: try keep(state, index, anchoredTo: service), handle: handles.handle(of: service), self)
  }

  /// Where a kept function was defined.
  func place(of id: Int64) -> String {
    bridge.withArena { String(escapingCString: lull_value_place(bridge.pointer, id)) }
  }

  /// Where a kept function is defined, or a function in a kept table.
  package func definition(of id: Int64, method: StaticString? = nil) -> TraceFrame? {
    guard !bridge.isClosed else { return nil }
    return bridge.withArena {
      var frame = lull_trace_frame()
      guard lull_value_frame(bridge.pointer, id, method?.cString, &frame) == 0 else { return nil }
      return TraceFrame(frame)
    }
  }

  /// Where a kept function is defined, or the functions of a kept table that is a cache.
  fileprivate func definitions(of id: Int64) -> [TraceFrame] {
    if let own = definition(of: id) { return [own] }
    return LuaCache.functions.compactMap { definition(of: id, method: $0) }
  }

  /// A kind of function, and where that one was defined.
  func named(_ kind: String, _ id: Int64) -> String {
    let place = place(of: id)
    return place.isEmpty ? kind : "\(kind) (\(place))"
  }

  // MARK: Anchors

  /// Holds a kept value from an object's userdata, under its own number or that of `key`.
  package func anchor(_ id: Int64, from handle: UInt64, key: Int64? = nil) {
    guard lull_value_anchor_to_object(bridge.pointer, handle, key ?? id, id) != 0 else { return }
    lacksMemory = true
  }

  /// Holds from the userdata what is to be under the key now; nil: nothing.
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

  /// One value that holds those of all ids, for what can hold only one; 0 for none.
  func anchor(for ids: [Int64]) -> Int64 {
    guard let first = ids.first, ids.count > 1 else { return ids.first ?? 0 }
    let id = makeID()
    guard !bridge.isClosed, lull_value_bundle(bridge.pointer, ids, Int32(ids.count), id) == 0
    else {
      lacksMemory = !bridge.isClosed
      return first
    }
    // Until whoever is to hold it has had the time to.
    adoptForNow(id)
    return id
  }

  // MARK: What resources hold

  /// The number under which a service holds what its record of a resource has of Lua's: the data; the
  /// next ones are the error's, and that of a copy of the data (`SharedContent`).
  func key(of record: ResourceRecord) -> Int64 {
    if record.hostKey == 0 {
      record.hostKey = makeID()
      for _ in 1...2 { _ = makeID() }
    }
    return record.hostKey
  }

  /// The service holds what its resource shows now, and no more what that showed before.
  ///
  /// A finaliser that runs meanwhile may give the resource other data, and then has had that held: it is
  /// looked at again until what is held is what is shown.
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

  /// The script's values in the error that a resource shows.
  private static func errorIDs(of record: ResourceRecord) -> [Int64] {
    record.hasError ? record.state.latestError?.foreignIDs ?? [] : []
  }

  func forget(_ record: ResourceRecord, of service: Service) {
    guard record.hostKey != 0, service.hostHandle != 0, bridge.isStarted else { return }
    for number: Int64 in 0...2 { release(record.hostKey + number, from: service.hostHandle) }
  }

  // MARK: What requests hold

  /// Holds a script's value for a request until it settles; of one that has settled, its userdata
  /// holds it.
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

  /// Holds what a request has until the result is called; nil if that is nothing.
  func hold(_ ids: [Int64]) -> (() -> Void)? {
    let held = ids.filter { pin($0) }
    guard !held.isEmpty else { return nil }
    return { [weak self] in for id in held { self?.unpin(id) } }
  }

  /// What the response holds of Lua's moves from the pin of the pipeline to the request's userdata.
  func settle(_ request: Request) {
    let mark = request.mark
    // One after the other: a finaliser that runs meanwhile may have more held.
    while let id = mark.values.popLast() {
      anchor(id, from: mark.handle)
      unpin(id)
    }
  }

  /// Gives a request its userdata, which holds the functions it may yet call; until the next turn
  /// nothing else may hold that.
  private func holdScripts(of request: Request) {
    guard pin(request) else {
      lacksMemory = true
      return
    }
    anchorScripts(of: request)
    pump.enqueue { [unowned self] in unpin(request) }
  }

  /// Of a chain's parts too, as far as the script has never seen them: those it has, it gave to the
  /// chain itself, whose anchors they are.
  private func anchorScripts(of request: Request) {
    var part: Request? = request
    while let current = part {
      for id in current.mark.anchors { anchor(id, from: request.mark.handle) }
      part = current.wrappedRequest
      if part?.mark.handle != 0 { return }
    }
  }

  // MARK: Pins

  // Pins are counted before the bridge is asked for the first of them: a finaliser that runs meanwhile may
  // pin and unpin the same value.

  /// Holds a kept value until as many unpins; false without memory.
  package func pin(_ id: Int64) -> Bool {
    let count = valuePins[id] ?? 0
    guard count > 0 || !bridge.isClosed else { return false }
    valuePins[id] = count + 1
    guard count == 0, lull_value_pin(bridge.pointer, id) != 0 else { return true }
    dropFailedPin(&valuePins[id])
    return false
  }

  /// One that was counted could not be made. Others that were counted on it meanwhile stay, and are
  /// reported.
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

  /// A value that the bridge has pinned as it made it is to be unpinned here.
  func adopt(_ id: Int64) { valuePins[id] = 1 }

  /// The same, by the next turn: until then whoever needs it has the time to hold it.
  func adoptForNow(_ id: Int64) {
    adopt(id)
    pump.enqueue { [unowned self] in unpin(id) }
  }

  /// Holds fresh values until the next turn, by when whoever needs them has anchored them.
  func holdForNow(_ ids: [Int64]) {
    let pinned = ids.filter { pin($0) }
    if pinned.count < ids.count { lacksMemory = true }
    pump.enqueue { [unowned self] in for id in pinned { unpin(id) } }
  }

  /// Lets go of pinned values two turns from now, when results have been pushed.
  func unpinSoon(_ ids: [Int64]) {
    pump.enqueue { [unowned self] in
      pump.enqueue { [unowned self] in for id in ids { unpin(id) } }
    }
  }

  /// Makes sure that a request has a userdata, and holds it until as many unpins.
  func pin(_ request: Request) -> Bool {
    guard !bridge.isClosed else { return false }
    // First of all: a request with functions of the script is pinned as it gets its handle.
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

  /// Holds a task's userdata until as many unpins; the handle, nil if it has none any more.
  func pin(_ task: LuaTask) -> UInt64? {
    guard pin(object: task.hostHandle, .task) else { return nil }
    return task.hostHandle
  }

  /// Holds an object's userdata until as many unpins; false if there is none, and without memory.
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
      // While it was pinned its handle stayed the same.
      guard let request = handles.object(handle, .request, as: Request.self) else { return }
      return unpin(request)
    }
    guard let count = objectPins[handle] else { return }
    objectPins[handle] = count > 1 ? count - 1 : nil
    if count == 1, !bridge.isClosed { lull_object_unpin(bridge.pointer, handle) }
  }

  /// Holds a new object's userdata until the process ends; the handle, nil without memory.
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

  // MARK: Upkeep

  /// Lets go of what nobody in Swift refers to any more.
  func release(_ batch: ReleasedValues.Batch) {
    for value in batch.values { release(value.id, from: value.handle) }
    for id in batch.pins { unpin(id) }
  }

  func noteLackOfMemory() { lacksMemory = true }

  /// Whether a value could not be held since the last time this was asked.
  ///
  /// - Parameter before: what `lacksMemory` was when the call began that is to report it; what was noted
  ///   before belongs to a call around it, which a finaliser has interrupted.
  func takeLackOfMemory(since before: Bool = false) -> Bool {
    guard lacksMemory, !before else { return false }
    lacksMemory = false
    return true
  }
}

/// A value of the script kept from a service's userdata for as long as this object lives.
///
/// Its end only notes the number: the value itself is let go at the next turn, since nothing may be
/// called across from `deinit`.
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

  /// Where it is defined, if it is a function, or where its functions are, if it is a cache.
  package var definitions: [TraceFrame] { values?.definitions(of: id) ?? [] }

  deinit { released.add(id: id, handle: handle) }
}

/// Which host of the process one is, so that what two of them keep never has the same number.
struct HostNumber {
  private static let count = Atomic<Int64>(0)
  /// Those of documents and views begin at 1 << 61.
  private static let bits: Int64 = 36
  private static let most: Int64 = 1 << (60 - bits)

  private let number: Int64

  /// Of one more host; the first one's is 0, whose ids are small.
  static func next() -> HostNumber {
    HostNumber(number: count.wrappingAdd(1, ordering: .relaxed).oldValue % most)
  }

  /// Numbers for its values.
  var ids: Range<Int64> { number << HostNumber.bits + 1..<(number + 1) << HostNumber.bits }
}
