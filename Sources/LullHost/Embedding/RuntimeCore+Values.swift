import CLullBridge
import LullCore

// Converts values between Swift and Lua.
extension RuntimeCore {
  /// The maximum nesting depth of tables converted to Lua.
  private static let deepest = 200

  // MARK: From Lua

  /// Converts the Lua value at a stack index to Swift.
  func read(at index: Int32, in state: OpaquePointer?) throws(LuaError) -> Lua.Value {
    var raw = lull_value()
    lull_read(state, index, &raw)
    switch Int(raw.kind) {
    case Int(LULL_NIL): return .nil
    case Int(LULL_NULL): return .null
    case Int(LULL_BOOLEAN): return .bool(raw.integer != 0)
    case Int(LULL_INTEGER): return .int(Int(raw.integer))
    case Int(LULL_NUMBER): return .number(raw.number)
    case Int(LULL_STRING):
      guard let bytes = raw.bytes else { throw .lacksMemory }
      return raw.isValidUTF8 ? .string(String(decoding: bytes, as: UTF8.self)) : .bytes(bytes)
    case Int(LULL_TABLE): return .table(Lua.Table(try refer(raw, index, state)))
    case Int(LULL_FUNCTION): return .function(Lua.Function(try refer(raw, index, state)))
    case Int(LULL_OBJECT):
      if let object = try object(raw) { return object }
      return .other(try refer(raw, index, state))
    default: return .other(try refer(raw, index, state))
    }
  }

  private func refer(
    _ raw: lull_value, _ index: Int32, _ state: OpaquePointer?
  ) throws(LuaError) -> Lua.Reference {
    do throws(Misuse) {
      let id = try host.stored.keep(state, index)
      guard host.stored.pin(id) else { throw .message("not enough memory") }
      return Lua.Reference(self, id, typeName: raw.typeName)
    } catch {
      throw .lacksMemory
    }
  }

  private func object(_ raw: lull_value) throws(LuaError) -> Lua.Value? {
    let handles = host.handles
    switch HandleKind(rawValue: raw.aux) {
    case .service:
      guard let service = handles.object(raw, .service, as: Service.self) else { return nil }
      try share(service)
      return .service(service)
    case .resource:
      guard let resource = handles.object(raw, .resource, as: Resource.self) else { return nil }
      try share(resource.service)
      return .resource(resource)
    case .request:
      guard let request = handles.object(raw, .request, as: Request.self) else { return nil }
      try share(request)
      return .request(request)
    case .entity:
      guard let box = handles.object(raw, .entity, as: EntityBox.self) else { return nil }
      return .entity(readable(box.settled))
    case .error:
      guard var error = handles.object(raw, .error, as: ErrorBox.self)?.error else { return nil }
      error.entity = error.entity.map { readable($0) }
      return .error(error)
    case .swiftError:
      return handles.object(raw, .swiftError, as: SwiftErrorBox.self).map { .swiftError($0.error) }
    default: return nil
    }
  }

  /// Returns an entity for Swift. If the content of the entity is a table of the script, the
  /// content is converted to JSON if possible, because the table would be freed together with the
  /// entity's userdata.
  private func readable(_ entity: Entity) -> Entity {
    guard case .foreign(let foreign) = entity.content,
      let document = document(ofKept: foreign.id)
    else { return entity }
    var entity = entity
    entity.content = .json(document)
    return entity
  }

  // MARK: To Lua

  func encode(_ values: [Lua.Value]) throws(LuaError) -> [LuaValue] {
    var encoded: [LuaValue] = []
    encoded.reserveCapacity(values.count)
    do throws(LuaError) {
      for value in values { encoded.append(try encode(value)) }
    } catch {
      host.handles.releaseUnclaimed(encoded)
      throw error
    }
    return encoded
  }

  func encode(_ value: Lua.Value, depth: Int = 0) throws(LuaError) -> LuaValue {
    switch value {
    case .nil: return .nil
    case .null: return .null
    case .bool(let bool): return .bool(bool)
    case .int(let int): return .int(Int64(int))
    case .number(let number): return .number(number)
    case .string(let string): return .string(string)
    case .bytes(let bytes): return .bytes(bytes)
    case .list(let elements):
      try refuse(depth)
      var encoded: [LuaValue] = []
      encoded.reserveCapacity(elements.count)
      for element in elements { encoded.append(try encode(element, depth: depth + 1)) }
      return .list(encoded)
    case .map(let pairs):
      try refuse(depth)
      var encoded: [(LuaValue, LuaValue)] = []
      encoded.reserveCapacity(pairs.count)
      for (key, value) in pairs {
        try checkKey(key)
        encoded.append(
          (try encode(key, depth: depth + 1), try encode(value, depth: depth + 1)))
      }
      return .table(encoded)
    case .table(let table): return try encode(table.reference)
    case .function(let function): return try encode(function.reference)
    case .other(let reference): return try encode(reference)
    case .service(let service):
      try share(service)
      return host.values.of(service)
    case .resource(let resource):
      try share(resource.service)
      return host.values.of(resource)
    case .request(let request):
      try share(request)
      return host.values.of(request)
    case .entity(let entity): return host.values.of(entity, service: nil)
    case .error(let error): return host.values.of(error, service: nil)
    case .swiftError(let error as RequestError): return host.values.of(error, service: nil)
    case .swiftError(let error):
      return host.values.of(SwiftErrorBox(error, place: ""), .swiftError)
    }
  }

  private func encode(_ reference: Lua.Reference) throws(LuaError) -> LuaValue {
    guard reference.core === self else {
      throw LuaError(
        .misuse, "a \(reference.typeName) of another Lua runtime: pass its content instead")
    }
    return .ref(reference.id)
  }

  private func refuse(_ depth: Int) throws(LuaError) {
    guard depth < RuntimeCore.deepest else {
      throw LuaError(
        .mismatch, "more than \(RuntimeCore.deepest) nested tables cannot be passed to Lua")
    }
  }

  private func checkKey(_ key: Lua.Value) throws(LuaError) {
    switch key {
    case .nil: throw LuaError(.mismatch, "the key of a table cannot be nil")
    case .number(let number) where number.isNaN:
      throw LuaError(.mismatch, "the key of a table cannot be NaN")
    default: return
    }
  }

  // MARK: Shared objects

  /// Keeps a service that Lua and Swift share alive in Lua until the runtime closes. The
  /// configuration that scripts gave to the service is kept alive with it.
  private func share(_ service: Service) throws(LuaError) {
    let name = service.name ?? service.baseURL?.text ?? "without a base URL"
    guard service.pump === pump else {
      throw LuaError(
        .misuse, "the service \(name) belongs to another home: make one on this runtime's home")
    }
    guard service.hostHandle == 0 || host.handles.isObject(service, service.hostHandle) else {
      throw LuaError(
        .misuse, "the service \(name) is shared with another Lua runtime: make one for each")
    }
    guard environment.share(service) else { return }
    let handle = host.handles.handle(of: service)
    guard host.stored.pin(object: handle, .service) else { throw .lacksMemory }
    service.hostOwners.append(self)
  }

  private func share(_ request: Request) throws(LuaError) {
    if let service = request.resource?.service { try share(service) }
    let mark = request.mark
    guard mark.handle == 0 || host.handles.isObject(request, mark.handle) else {
      throw LuaError(.misuse, "a request of another Lua runtime")
    }
    mark.owner = self
    // Only the request's userdata refers to the request's script functions, and before the request
    // starts nothing else keeps the userdata alive. So the userdata is pinned.
    if request.state == .notStarted, !mark.isHeldForProgram, host.stored.pin(request) {
      mark.isHeldForProgram = true
    }
  }
}
