package import CLullBridge
package import LullCore

/// The Swift objects behind userdata, and their handles. An object is held from the time it gets a
/// handle until its userdata is finalised.
///
/// Home thread only.
package final class ObjectHandles {
  let bridge: BridgeRuntime
  private var table = HandleTable()
  private var isSweeping = false
  /// Called when a request with script functions gets a handle. `isFirst` is true for its first
  /// handle, and false for each later handle.
  var onScriptedRequest: (Request, _ isFirst: Bool) -> Void = { _, _ in }

  init(_ bridge: BridgeRuntime) {
    self.bridge = bridge
  }

  // MARK: Handles of objects

  /// Returns a new handle for an object that does not store its handle. During its life, the object
  /// has only one userdata.
  ///
  /// Once the state is closed, neither this function nor `handle(of:)` assigns handles.
  func insert(_ object: AnyObject, kind: HandleKind) -> UInt64 {
    guard !bridge.isClosed else { return 0 }
    return table.insert(object, kind: kind.rawValue)
  }

  package func handle(of service: Service) -> UInt64 {
    if service.hostHandle == 0 {
      service.hostHandle = insert(service, kind: .service)
    }
    return service.hostHandle
  }

  func handle(of resource: Resource) -> UInt64 {
    if resource.hostHandle == 0 { resource.hostHandle = insert(resource, kind: .resource) }
    return resource.hostHandle
  }

  func handle(of request: Request) -> UInt64 {
    let mark = request.mark
    if mark.handle == 0 {
      mark.handle = insert(request, kind: .request)
      if !mark.anchors.isEmpty { onScriptedRequest(request, true) }
    }
    return mark.handle
  }

  /// Called before a userdata is created for an object with that handle. Returns the handle for the
  /// userdata. If an earlier userdata of the object has not been finalised yet, it is a new handle.
  /// Otherwise it is the given handle.
  func claim(_ handle: UInt64) -> UInt64 {
    if table.claim(handle) { return handle }
    guard let kind = table.kind(handle), let object = table.object(handle, kind: kind) else {
      return 0
    }
    let renewed = table.insert(object, kind: kind)
    _ = table.claim(renewed)
    setHandle(renewed, of: object)
    if let request = object as? Request, !request.mark.anchors.isEmpty {
      onScriptedRequest(request, false)
    }
    return renewed
  }

  // MARK: Objects by handle

  /// Returns the object behind a script value. Returns nil if the value is not an object of that
  /// kind, or if the object is closed.
  package func object<T: AnyObject>(_ value: lull_value, _ kind: HandleKind, as type: T.Type) -> T?
  {
    guard value.kind == Int32(LULL_OBJECT), value.aux == kind.rawValue else { return nil }
    return object(value.handle, kind, as: type)
  }

  package func object<T: AnyObject>(_ handle: UInt64, _ kind: HandleKind, as type: T.Type) -> T? {
    guard let object = table.object(handle, kind: kind.rawValue) else { return nil }
    // Each kind has objects of one class only.
    return unsafeDowncast(object, to: type)
  }

  /// Returns the objects of a kind. An object with several handles occurs once.
  func objects<T: AnyObject>(_ kind: HandleKind, as type: T.Type) -> [T] {
    // Each kind has objects of one class only.
    table.objects(of: kind.rawValue).map { unsafeDowncast($0, to: type) }
  }

  /// Returns the object behind a script value, if that object defines its own field names;
  /// otherwise nil.
  func fieldNaming(_ value: lull_value) -> (any FieldNaming)? {
    guard value.kind == Int32(LULL_OBJECT) else { return nil }
    return table.object(value.handle, kind: value.aux) as? any FieldNaming
  }

  /// Returns the object behind a script value, if that object describes itself; otherwise nil.
  func selfDescribing(_ value: lull_value) -> (any SelfDescribing)? {
    guard value.kind == Int32(LULL_OBJECT) else { return nil }
    return table.object(value.handle, kind: value.aux) as? any SelfDescribing
  }

  /// Returns whether the object has that handle.
  func isObject(_ object: AnyObject, _ handle: UInt64) -> Bool {
    guard handle != 0, let kind = table.kind(handle) else { return false }
    return table.object(handle, kind: kind) === object
  }

  func kind(_ handle: UInt64) -> HandleKind? { table.kind(handle).flatMap(HandleKind.init) }

  // MARK: The bridge's format

  func bridged(_ resource: Resource) -> lull_value {
    lull_value(
      object: handle(of: resource), kind: HandleKind.resource.rawValue,
      service: handle(of: resource.service))
  }

  func bridged(_ request: Request) -> lull_value {
    lull_value(
      object: handle(of: request), kind: HandleKind.request.rawValue,
      service: request.resource.map { handle(of: $0.service) } ?? 0)
  }

  // MARK: Counting

  /// The number of handles in use. They belong to objects that have a userdata or are about to get
  /// a userdata.
  var count: Int { table.count }

  /// The names of the kinds of all objects in use. Names of objects without a userdata are marked.
  var kindsInUse: [String] { table.kindsInUse }

  /// The approximate memory for each object with a handle, in bytes.
  private static let bytesPerHandle = 1024

  /// The approximate memory of the objects in use, in bytes.
  var heldBytes: Int { table.count * ObjectHandles.bytesPerHandle }

  /// The approximate memory of all objects that got a handle since the last `forgetInserted()`, in
  /// bytes.
  var insertedBytes: Int { table.insertedCount * ObjectHandles.bytesPerHandle }

  func forgetInserted() { table.insertedCount = 0 }

  // MARK: Releasing

  /// Releases the objects of finalised userdata.
  ///
  /// Releasing an object may run finalisers, which queue more objects. The same sweep releases
  /// those objects too.
  func sweep() {
    guard !isSweeping, bridge.isStarted else { return }
    isSweeping = true
    defer { isSweeping = false }
    var count = 0
    while let swept = lull_runtime_take_swept(bridge.pointer, &count), count > 0 {
      for index in 0..<count { release(swept[index]) }
    }
  }

  /// Releases objects whose userdata was freed although its finaliser had failed. A finaliser can
  /// fail for lack of C stack or memory, and Lua does not call it a second time.
  func releaseVanished() {
    for handle in table.claimed where lull_object_exists(bridge.pointer, handle) == 0 {
      release(handle)
    }
  }

  /// Releases the handles of values that were not pushed onto the Lua stack because of an error.
  func releaseUnpushed() {
    var count = 0
    guard let unpushed = lull_runtime_take_unpushed(bridge.pointer, &count) else { return }
    for index in 0..<count { releaseUnclaimed(unpushed[index]) }
  }

  package func releaseUnclaimed(_ handle: UInt64) {
    if !table.isClaimed(handle) { release(handle) }
  }

  /// Releases all objects and clears the handles that they store. Called when the state closes
  /// while the model continues to exist. The services in `shared` keep their data, because other
  /// code uses them too.
  func close(keeping shared: Set<ObjectIdentifier>) {
    for object in table.removeAll() {
      switch object {
      case let service as Service:
        service.hostHandle = 0
        if !shared.contains(ObjectIdentifier(service)) { service.forgetAll() }
      case let resource as Resource: resource.hostHandle = 0
      case let request as Request: request.mark.handle = 0
      default: break
      }
    }
  }

  /// Releases all objects. Called when the state is closed or about to be closed.
  func close() {
    for object in table.removeAll() { (object as? Service)?.forgetAll() }
  }

  private func release(_ handle: UInt64) {
    guard let kind = table.kind(handle), let object = table.remove(handle) else { return }
    switch HandleKind(rawValue: kind) {
    case .service:
      // Each kind has objects of one class only, here and below.
      let service = unsafeDowncast(object, to: Service.self)
      guard service.hostHandle == handle else { return }
      service.hostHandle = 0
      // Resources and requests hold the userdata of their service, so the service's userdata is
      // finalised last. This call breaks the cycle between a service and the objects that it
      // stores.
      service.forgetAll()
    case .resource:
      // Each kind has objects of one class only.
      let resource = unsafeDowncast(object, to: Resource.self)
      if resource.hostHandle == handle { resource.hostHandle = 0 }
    case .request:
      // Each kind has objects of one class only.
      let mark = unsafeDowncast(object, to: Request.self).mark
      if mark.handle == handle { mark.handle = 0 }
    case .task:
      // Each kind has objects of one class only.
      let task = unsafeDowncast(object, to: LuaTask.self)
      if task.hostHandle == handle { task.hostHandle = 0 }
    // Objects of the other kinds do not store their handle: each has only one userdata in its
    // life.
    default: break
    }
  }

  private func setHandle(_ handle: UInt64, of object: AnyObject) {
    switch object {
    case let service as Service: service.hostHandle = handle
    case let resource as Resource: resource.hostHandle = handle
    case let request as Request: request.mark.handle = handle
    case let task as LuaTask: task.hostHandle = handle
    default: break
    }
  }
}

// MARK: Values that were not passed to Lua

extension ObjectHandles {
  /// Releases the handles of values that were created for Lua but not passed to it.
  package func releaseUnclaimed(_ values: [LuaValue]) {
    for value in values {
      switch value {
      case .object(let handle, _, _, _), .method(_, let handle, _): releaseUnclaimed(handle)
      case .reraised(let value, _): releaseUnclaimed([value])
      case .list(let elements), .spread(let elements): releaseUnclaimed(elements)
      case .map(let pairs), .readOnly(let pairs): releaseUnclaimed(pairs.map(\.1))
      case .table(let pairs): releaseUnclaimed(pairs.flatMap { [$0.0, $0.1] })
      case .nil, .null, .bool, .int, .number, .digits, .string, .bytes, .constant, .ref, .tables,
        .stack,
        .view, .unpack, .element, .globalNext:
        break
      }
    }
  }

  /// Releases the handles of encoded values that were not passed to Lua. The values must still be
  /// in the arena.
  func releaseUnclaimed(_ values: UnsafePointer<lull_value>, count: Int) {
    for index in 0..<count {
      let value = values[index]
      switch Int(value.kind) {
      case Int(LULL_OBJECT), Int(LULL_METHOD): releaseUnclaimed(value.handle)
      case Int(LULL_LIST), Int(LULL_SPREAD), Int(LULL_MAP):
        guard let elements = value.pointer else { continue }
        let isMap = value.kind == Int32(LULL_MAP)
        // `BridgeRuntime.encode` wrote these values. A map has two values for each pair.
        releaseUnclaimed(
          elements.assumingMemoryBound(to: lull_value.self),
          count: Int(value.extra) * (isMap ? 2 : 1))
      default: continue
      }
    }
  }
}

/// An object that defines its own field names, which replace the field names of its kind.
package protocol FieldNaming: AnyObject {
  var fieldNames: [String] { get }
}

/// An object that describes itself, in addition to the description of its kind.
package protocol SelfDescribing: AnyObject {
  /// The help text for the object, which may have several lines.
  var helpText: String { get }
  /// If a call of the object takes a table as its argument, the keys of that table.
  var argumentNames: [String] { get }
  /// Returns the possible values for a key of the table in `argumentNames`, if they are a fixed set
  /// of strings.
  func argumentWords(for name: String) -> [String]
}
