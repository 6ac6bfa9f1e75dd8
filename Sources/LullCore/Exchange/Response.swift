/// How a request ended: an entity or an error, never both. (DYN-04)
public struct Response: Sendable {
  /// Errors are large: indirect, so that a response is small to copy and to hold, and a request that
  /// has none yet too.
  public enum Outcome: Sendable {
    /// The entity that transformers have made, or the one that a 304 confirmed.
    case success(Entity)
    /// Why there is none.
    indirect case failure(RequestError)
  }

  /// One of the two.
  public var outcome: Outcome
  /// False for a 304: the entity is the one that was there before (NM-01).
  public var isNew: Bool

  /// What a request of one's own ends with, or a transformer passes on.
  public init(_ outcome: Outcome, isNew: Bool = true) {
    self.outcome = outcome
    self.isNew = isNew
  }

  /// Ended well.
  public static func success(_ entity: Entity, isNew: Bool = true) -> Response {
    Response(.success(entity), isNew: isNew)
  }

  /// Ended badly.
  public static func failure(_ error: RequestError) -> Response {
    Response(.failure(error))
  }

  /// Of a success; nil of a failure.
  public var entity: Entity? {
    if case .success(let entity) = outcome { return entity }
    return nil
  }

  /// Of a failure; nil of a success.
  public var error: RequestError? {
    if case .failure(let error) = outcome { return error }
    return nil
  }

  /// Whether there is an entity.
  public var isSuccess: Bool { error == nil }
}
