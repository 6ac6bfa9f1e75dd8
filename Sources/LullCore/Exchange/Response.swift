/// How a request ended: an entity or an error, never both. (DYN-04)
public struct Response: Sendable {
  /// Errors are large: indirect, so that a response is small to copy and to hold, and a request that
  /// has none yet too.
  public enum Outcome: Sendable {
    case success(Entity)
    indirect case failure(RequestError)
  }

  public var outcome: Outcome
  /// False for a 304: the entity is the one that was there before (NM-01).
  public var isNew: Bool

  public init(_ outcome: Outcome, isNew: Bool = true) {
    self.outcome = outcome
    self.isNew = isNew
  }

  public static func success(_ entity: Entity, isNew: Bool = true) -> Response {
    Response(.success(entity), isNew: isNew)
  }

  public static func failure(_ error: RequestError) -> Response {
    Response(.failure(error))
  }

  public var entity: Entity? {
    if case .success(let entity) = outcome { return entity }
    return nil
  }

  public var error: RequestError? {
    if case .failure(let error) = outcome { return error }
    return nil
  }

  public var isSuccess: Bool { error == nil }
}
