import CLullBridge
package import LullCore

/// What scripts are given for the objects and values of the model.
///
/// Home thread only.
package final class ScriptValues {
  private let bridge: BridgeRuntime
  private let handles: ObjectHandles
  private let stored: StoredValues
  /// Compares what scripts share with the documents it is from.
  let shared: SharedContent

  /// What marks the ids of the view of a document; with `SharedContent.tableIDs`, of tables without nulls.
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

  /// A request that is passed to a decorator. Its failure goes to its caller, so it does not count as shown.
  func decorating(_ request: Request) -> LuaValue {
    .object(
      handle: handles.handle(of: request), kind: HandleKind.request.rawValue,
      service: request.resource.map { handles.handle(of: $0.service) } ?? 0, anchor: 0)
  }

  /// A load that the script has asked for.
  func of(_ request: Request, loading resource: Resource) -> LuaValue {
    request.mark.loaded = resource
    return of(request)
  }

  /// A new userdata for an object that only Lua holds.
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

  /// Content as Lua sees it. JSON tables are built at the first use and held from the userdata of
  /// `holder` under `key`; whoever asks while they live gets the same ones. `url` names them in
  /// reports. With `omitsNulls`, a service's setting, there are no nulls in them. (JSN-32)
  package func content(
    _ content: Content, holder: UInt64, key: Int64? = nil, omitsNulls: Bool = false,
    from url: @autoclosure () -> String?
  ) -> LuaValue {
    self.content(
      content, holder: holder, key: key, omitsNulls: omitsNulls, own: nil, from: url())
  }

  /// - Parameter tables: those that nobody else gets; nil: those that all share.
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
      // Tried once more where it is pushed, where a lack of memory raises.
      guard status == 0 else { return .tables(document, id: id) }
      if let tables {
        if let request = tables.request { stored.hold(id, for: request) }
      } else {
        shared.note(document, from: url())
      }
      return .ref(id)
    }
  }

  /// A resource's content: its tables live as long as its service remembers it (SVC-28).
  func content(of resource: Resource) -> LuaValue {
    guard let content = resource.latestData?.content else { return .nil }
    return self.content(
      content, holder: handles.handle(of: resource.service), key: stored.key(of: resource.record),
      omitsNulls: resource.service.omitsNulls, from: resource.url.text)
  }

  /// Content as a loop gets it. A null is `lull.null` even for a service whose tables have no
  /// nulls, since nil would end the loop. (JSN-32)
  func looped(_ content: LuaValue) -> LuaValue {
    if case .nil = content { .null } else { content }
  }

  /// A request's content on its way through the pipeline, which a transformer may change in place: the
  /// document may be in a cache, or another's. (STA-80)
  func content(_ content: Content, for request: Request, own tables: OwnTables) -> LuaValue {
    self.content(
      content, holder: request.mark.handle, omitsNulls: OwnTables.omitsNulls(for: request),
      own: tables, from: request.url)
  }

  /// An entity as a transformer gets it: a table that a cache has, too, is copied, unless it has a
  /// metatable of the script's. (STA-81)
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

  /// JSON as a view that builds nothing; nil for other content.
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

  /// What `await` gives for a request that has ended.
  func awaited(_ request: Request) -> [LuaValue] {
    let service = request.resource?.service
    switch request.response?.outcome {
    case .success(let entity): return [of(entity, service: service)]
    case .failure(let error): return [.nil, of(error, service: service)]
    case nil: return [.nil]
    }
  }

  /// What a function of the script raised, to be raised where it was called for.
  func raised(_ failure: ScriptFailure) -> LuaValue {
    if let error = failure.requestError { return of(error, service: nil) }
    return failure.value.map { LuaValue($0) } ?? .string(failure.message)
  }

  /// The same where it is awaited: whoever does not catch it is to be told where that was.
  package func reraised(_ failure: ScriptFailure) -> LuaValue {
    .reraised(raised(failure), failure)
  }
}

// Which of Lua's values those of the model hold, by number.

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
  /// Lua values the error holds: its entity's content, and what was raised.
  var foreignIDs: [Int64] {
    var ids: [Int64] = []
    if let id = entity?.content.foreignID { ids.append(id) }
    if let id = cause?.raisedValue?.foreign?.id { ids.append(id) }
    if case .custom(let custom as ScriptCause) = cause { ids.append(custom.value.id) }
    if case .custom(let other as RequestError) = cause { ids += other.foreignIDs }
    return ids
  }
}

/// The tables of a document that are built for one run of a transformer, or for one copy: nobody else has
/// them, so that they may be changed in place. What is changed counts where they are handed on.
final class OwnTables {
  let id: Int64
  /// What holds them until it settles; nil: whoever has been given them.
  private(set) weak var request: Request?
  private let bridge: BridgeRuntime

  /// Whether the tables of a request have no nulls. (JSN-32)
  static func omitsNulls(for request: Request) -> Bool {
    request.resource?.service.omitsNulls ?? false
  }

  init(_ stored: StoredValues, for request: Request? = nil, omitsNulls: Bool = false) {
    id = SharedContent.ownID(
      stored.makeID(), omitsNulls: request.map { OwnTables.omitsNulls(for: $0) } ?? omitsNulls)
    bridge = stored.bridge
    self.request = request
  }

  /// The content with what was changed in it.
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
