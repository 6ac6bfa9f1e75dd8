import CLullBridge
import LullCore

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

  init(_ kept: KeptValues, for request: Request? = nil, omitsNulls: Bool = false) {
    id = SharedContent.ownID(
      kept.makeID(), omitsNulls: request.map { OwnTables.omitsNulls(for: $0) } ?? omitsNulls)
    bridge = kept.bridge
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
