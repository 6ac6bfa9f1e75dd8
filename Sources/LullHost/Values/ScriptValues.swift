import CLullBridge
package import LullCore

/// What scripts are given for the objects and values of the model.
///
/// Home thread only.
package final class ScriptValues {
  private let bridge: BridgeRuntime
  private let handles: ObjectHandles
  private let kept: KeptValues
  /// Compares shared content with its documents, with `LULL_STRICT=1`.
  var strict: StrictContent?

  /// What marks the ids of a document's tables, and of the view of it.
  private static let tableIDs: Int64 = 1 << 62
  static let viewIDs: Int64 = 1 << 61

  init(_ bridge: BridgeRuntime, _ handles: ObjectHandles, _ kept: KeptValues) {
    self.bridge = bridge
    self.handles = handles
    self.kept = kept
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
    .object(
      handle: handles.handle(of: request), kind: HandleKind.request.rawValue,
      service: request.resource.map { handles.handle(of: $0.service) } ?? 0, anchor: 0)
  }

  /// A new userdata for an object that only Lua holds.
  package func of(
    _ object: AnyObject, _ kind: HandleKind, service: Service? = nil, anchor: Int64 = 0
  ) -> LuaValue {
    .object(
      handle: handles.insert(object, kind: kind), kind: kind.rawValue,
      service: service.map { handles.handle(of: $0) } ?? 0, anchor: anchor)
  }

  func of(_ entity: Entity, service: Service?) -> LuaValue {
    of(
      EntityBox(entity, service: service), .entity, service: service,
      anchor: entity.content.foreignID ?? 0)
  }

  func of(_ error: RequestError, service: Service?) -> LuaValue {
    of(
      ErrorBox(error, service: service), .error, service: service,
      anchor: kept.anchor(for: error.foreignIDs))
  }

  func of(_ response: Response, service: Service?) -> LuaValue {
    of(
      ResponseBox(response, service: service), .response, service: service,
      anchor: kept.anchor(for: response.foreignIDs))
  }

  // MARK: Content

  /// Content as Lua sees it. JSON tables are built at the first use and held from the userdata of
  /// `holder` under `key`; whoever asks while they live gets the same ones. `url` names them in
  /// reports.
  package func content(
    _ content: Content, holder: UInt64, key: Int64? = nil, from url: @autoclosure () -> String?
  ) -> LuaValue {
    switch content {
    case .bytes(let bytes): return .bytes(bytes)
    case .text(let text): return .string(text)
    case .value(let value): return .string(String(describing: value))
    case .foreign(let foreign): return .ref(foreign.id)
    case .json(let document):
      if let atom = ScriptValues.atom(document.root) { return atom }
      let id = document.serial | ScriptValues.tableIDs
      let isNew = lull_value_is_alive(bridge.pointer, id) == 0
      if isNew {
        let status = lull_document_build(
          bridge.pointer, UnsafeRawPointer(document.pointer), id, holder, key ?? id)
        // Tried once more where it is pushed, where a lack of memory raises.
        guard status == 0 else { return .tables(document, id: id) }
      }
      strict?.handOut(document, id, isNew: isNew, from: url())
      return .ref(id)
    }
  }

  /// A resource's content: its tables live as long as its service remembers it (SVC-28).
  func content(of resource: Resource) -> LuaValue {
    guard let content = resource.latestData?.content else { return .nil }
    return self.content(
      content, holder: handles.handle(of: resource.service), key: kept.key(of: resource.record),
      from: resource.url.text)
  }

  /// A request's content on its way through the pipeline: held by the request's userdata.
  func content(_ content: Content, for request: Request) -> LuaValue {
    self.content(content, holder: request.mark.handle, from: request.url)
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
    case .double: .number(element.double ?? 0)
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
