import CLullBridge
package import LullCore

/// Converts objects and values of the model to Lua values.
///
/// Home thread only.
package final class ScriptValues {
  private let bridge: BridgeRuntime
  private let handles: ObjectHandles
  private let stored: StoredValues
  /// Detects changes that scripts have made to shared content.
  let shared: SharedContent

  /// The bit that marks the IDs of document views. Together with `SharedContent.tableIDs`, it marks
  /// the IDs of tables that omit nulls.
  static let viewIDs: Int64 = 1 << 61

  init(_ stored: StoredValues, _ pump: Pump) {
    bridge = stored.bridge
    handles = stored.handles
    self.stored = stored
    shared = SharedContent(stored, pump)
  }

  // MARK: Objects

  package func of(_ service: Service) -> LuaValue {
    .object(
      handle: handles.handle(of: service), kind: HandleKind.service.rawValue, service: 0,
      anchor: 0)
  }

  package func of(_ resource: Resource) -> LuaValue {
    .object(
      handle: handles.handle(of: resource), kind: HandleKind.resource.rawValue,
      service: handles.handle(of: resource.service), anchor: 0)
  }

  package func of(_ request: Request) -> LuaValue {
    request.mark.isShown = true
    return decorating(request)
  }

  /// Returns a request as the argument of a decorator. Because the code that started the request
  /// receives a failure, the request does not count as passed to the script.
  func decorating(_ request: Request) -> LuaValue {
    .object(
      handle: handles.handle(of: request), kind: HandleKind.request.rawValue,
      service: request.resource.map { handles.handle(of: $0.service) } ?? 0, anchor: 0)
  }

  /// Returns a load as a Lua value. The script has requested the load of `resource`.
  func of(_ request: Request, loading resource: Resource) -> LuaValue {
    request.mark.loaded = resource
    return of(request)
  }

  /// Creates a new userdata for an object that only Lua code holds.
  package func of(
    _ object: AnyObject, _ kind: HandleKind, service: Service? = nil, anchor: Int64 = 0
  ) -> LuaValue {
    .object(
      handle: handles.insert(object, kind: kind), kind: kind.rawValue,
      service: service.map { handles.handle(of: $0) } ?? 0, anchor: anchor)
  }

  func of(_ entity: Entity, service: Service?, tables: OwnTables? = nil) -> LuaValue {
    of(
      EntityBox(entity, service: service, tables: tables), .entity, service: service,
      anchor: entity.content.foreignID ?? 0)
  }

  func of(_ error: RequestError, service: Service?, tables: OwnTables? = nil) -> LuaValue {
    of(
      ErrorBox(error, service: service, tables: tables), .error, service: service,
      anchor: stored.anchor(for: error.foreignIDs))
  }

  func of(_ response: Response, service: Service?, tables: OwnTables? = nil) -> LuaValue {
    of(
      ResponseBox(response, service: service, tables: tables), .response, service: service,
      anchor: stored.anchor(for: response.foreignIDs))
  }

  // MARK: Content

  /// Returns content as a Lua value. Tables for JSON are built at first use. The userdata with the
  /// handle `holder` keeps the tables alive, under `key`. As long as the tables exist, later reads
  /// return the same tables.
  ///
  /// - Parameters:
  ///   - omitsNulls: whether nulls in tables are omitted, which is a setting of services. (JSN-32)
  ///   - url: the name of the content in reports.
  package func content(
    _ content: Content, holder: UInt64, key: Int64? = nil, omitsNulls: Bool = false,
    from url: @autoclosure () -> String?
  ) -> LuaValue {
    self.content(
      content, holder: holder, key: key, omitsNulls: omitsNulls, own: nil, from: url())
  }

  /// Returns content as a Lua value.
  ///
  /// - Parameter tables: the tables that only one reader uses; nil to use the tables that all
  ///   readers share.
  func content(
    _ content: Content, holder: UInt64, key: Int64? = nil, omitsNulls: Bool = false,
    own tables: OwnTables?, from url: @autoclosure () -> String?
  ) -> LuaValue {
    switch content {
    case .bytes(let bytes): return .bytes(bytes)
    case .text(let text): return .string(text)
    case .value(let value): return .string(String(describing: value))
    case .foreign(let foreign): return .ref(foreign.id)
    case .json(let document):
      if let atom = ScriptValues.atom(document.root) {
        if omitsNulls, case .null = atom { return .nil }
        return atom
      }
      let id = tables?.id ?? SharedContent.id(of: document, omitsNulls: omitsNulls)
      if lull_value_is_alive(bridge.pointer, id) != 0,
        tables != nil || shared.mayHandOut(document, from: url())
      {
        return .ref(id)
      }
      let status = lull_document_build(
        bridge.pointer, UnsafeRawPointer(document.pointer), id, holder, key ?? id)
      // The tables are built again when the value is pushed. If there still is not enough memory at
      // that time, an error is raised.
      guard status == 0 else { return .tables(document, id: id) }
      if let tables {
        if let request = tables.request { stored.hold(id, for: request) }
      } else {
        shared.note(document, from: url())
      }
      return .ref(id)
    }
  }

  /// Returns the content of a resource as a Lua value. The tables of the content stay alive as long
  /// as the service stores the content (SVC-28).
  func content(of resource: Resource) -> LuaValue {
    guard let content = resource.latestData?.content else { return .nil }
    return self.content(
      content, holder: handles.handle(of: resource.service), key: stored.key(of: resource.record),
      omitsNulls: resource.service.omitsNulls, from: resource.url.text)
  }

  /// Returns content as the value for the first variable of a loop. A null becomes `lull.null` even
  /// if the service omits nulls, because nil would end the loop. (JSN-32)
  func looped(_ content: LuaValue) -> LuaValue {
    if case .nil = content { .null } else { content }
  }

  /// Returns content as a Lua value for a function in the pipeline. The tables of the content are
  /// used only by that function. So a transformer may change the tables in place, although the
  /// document may also be in a cache or used elsewhere. (STA-80)
  func content(_ content: Content, for request: Request, own tables: OwnTables) -> LuaValue {
    self.content(
      content, holder: request.mark.handle, omitsNulls: OwnTables.omitsNulls(for: request),
      own: tables, from: request.url)
  }

  /// Returns an entity that a transformer may change. If the content is a table that a cache also
  /// has, the table is copied, unless the script has set a metatable for it. (STA-81)
  func unshared(_ entity: Entity, in run: PipelineRun) -> Entity {
    guard case .foreign(let foreign) = entity.content, foreign.typeName == "table",
      run.isCached(foreign.id), !bridge.isClosed
    else { return entity }
    let id = stored.makeID()
    guard lull_value_copy(bridge.pointer, foreign.id, id) != 0 else { return entity }
    stored.hold(id, for: run.request)
    var entity = entity
    entity.content = .foreign(ForeignContent(id: id, typeName: foreign.typeName))
    return entity
  }

  /// Returns JSON content as a view, for which no tables are built. Returns nil for other content.
  func document(_ content: Content?) -> LuaValue {
    if case .json(let document) = content { .view(document) } else { .nil }
  }

  private static func atom(_ element: JSONElement) -> LuaValue? {
    switch element.kind {
    case .null: .null
    case .bool: .bool(element.bool ?? false)
    case .int: .int(Int64(element.int ?? 0))
    case .double: element.digits.map { .digits($0) } ?? .number(element.double ?? 0)
    case .string: .string(element.string ?? "")
    case .array, .object: nil
    }
  }

  // MARK: Outcomes

  /// Returns the results of `request:await()` for a request that has ended.
  func awaited(_ request: Request) -> [LuaValue] {
    let service = request.resource?.service
    switch request.response?.outcome {
    case .success(let entity):
      guard entity.isPartial, let error = entity.partialError else {
        return [of(entity, service: service)]
      }
      return [of(entity, service: service), of(error, service: service)]
    case .failure(let error): return [.nil, of(error, service: service)]
    case nil: return [.nil]
    }
  }

  /// Returns the value that a script function raised, so that the caller of the function can raise
  /// it again.
  func raised(_ failure: ScriptFailure) -> LuaValue {
    if let error = failure.requestError { return of(error, service: nil) }
    return failure.value.map { LuaValue($0) } ?? .string(failure.message)
  }

  /// Returns the value that an awaited script function raised, together with the original failure.
  /// If the error is not caught, its report shows where it was first raised.
  package func reraised(_ failure: ScriptFailure) -> LuaValue {
    .reraised(raised(failure), failure)
  }
}

// The IDs of the Lua values to which values of the model refer.

extension Content {
  var foreignID: Int64? {
    if case .foreign(let foreign) = self { return foreign.id }
    return nil
  }
}

extension Response {
  var foreignIDs: [Int64] {
    switch outcome {
    case .success(let entity): entity.content.foreignID.map { [$0] } ?? []
    case .failure(let error): error.foreignIDs
    }
  }
}

extension RequestError {
  /// The IDs of the Lua values to which the error refers: the content of its entity, and the raised
  /// value.
  var foreignIDs: [Int64] {
    var ids: [Int64] = []
    if let id = entity?.content.foreignID { ids.append(id) }
    if let id = cause?.raisedValue?.foreign?.id { ids.append(id) }
    if case .custom(let custom as ScriptCause) = cause { ids.append(custom.value.id) }
    if case .custom(let other as RequestError) = cause { ids += other.foreignIDs }
    return ids
  }
}

/// The tables of a document that are built for a single reader: one run of a transformer, or one
/// copy. The reader may change the tables in place. The changes take effect when the content is
/// passed on.
final class OwnTables {
  let id: Int64
  /// The request that keeps the tables alive until the request settles. It is nil if the receiver
  /// of the tables keeps them alive.
  private(set) weak var request: Request?
  private let bridge: BridgeRuntime

  /// Returns whether the tables for a request omit nulls. (JSN-32)
  static func omitsNulls(for request: Request) -> Bool {
    request.resource?.service.omitsNulls ?? false
  }

  init(_ stored: StoredValues, for request: Request? = nil, omitsNulls: Bool = false) {
    id = SharedContent.ownID(
      stored.makeID(), omitsNulls: request.map { OwnTables.omitsNulls(for: $0) } ?? omitsNulls)
    bridge = stored.bridge
    self.request = request
  }

  /// Returns the content with the changes that were made to these tables.
  func settled(_ content: Content) -> Content {
    var left = Int64.max
    guard case .json(let document) = content, !bridge.isClosed,
      lull_value_is_alive(bridge.pointer, id) != 0,
      bridge.difference(of: id, from: document, within: &left) != nil
    else { return content }
    return .foreign(ForeignContent(id: id, typeName: "table"))
  }

  func settled(_ response: Response) -> Response {
    switch response.outcome {
    case .success(var entity):
      entity.content = settled(entity.content)
      return .success(entity, isNew: response.isNew)
    case .failure(let error): return .failure(settled(error))
    }
  }

  func settled(_ error: RequestError) -> RequestError {
    var error = error
    if let entity = error.entity { error.entity?.content = settled(entity.content) }
    return error
  }
}
