/// A 304 response, in the form that caches get: it states that one entity, identified by its
/// validators, is still valid. (CACHE-19, CACHE-40)
public struct EntityConfirmation: Sendable {
  /// The new timestamp of the confirmed entity, in Unix seconds.
  public let timestamp: Double
  /// The condition of the request that got the 304; nil if the request had no condition.
  private let condition: ResourceState.Condition?
  /// The values that identify the data that the resource had when the 304 arrived. The 304 confirms
  /// this data. nil if the resource had no data.
  private let known: Known?
  /// The headers of the 304; nil if they are not used.
  private let refreshment: Refreshment?

  /// The values that identify an entity without its content.
  private struct Known {
    let timestamp: Double
    let condition: ResourceState.Condition?
  }

  /// - Parameter data: The data of the resource before the 304 updated it.
  init(
    timestamp: Double, condition: ResourceState.Condition?, data: Entity?,
    refreshment: Refreshment?
  ) {
    self.timestamp = timestamp
    self.condition = condition
    known = data.map { Known(timestamp: $0.timestamp, condition: $0.condition) }
    self.refreshment = refreshment
  }

  /// Whether the confirmation changes headers too, not only the timestamp. (AGE-04)
  public var changesHeaders: Bool { refreshment != nil }

  /// Returns whether the 304 confirms this entity. It does in two cases:
  /// - The validator of the entity is the one that the request was sent with.
  /// - The entity is the data that the resource had: it has the same timestamp, and no other
  ///   validator.
  ///
  /// Otherwise another process or host has written the entity, and it must be left unchanged.
  public func isAbout(_ entity: Entity) -> Bool {
    if let condition, entity.condition == condition { return true }
    guard let known, entity.timestamp == known.timestamp else { return false }
    return isKnown(entity.condition)
  }

  private func isKnown(_ condition: ResourceState.Condition?) -> Bool {
    guard let known, let condition, let other = known.condition else { return known != nil }
    return condition == other
  }

  /// If the 304 confirms this entity, sets its timestamp and updates its headers. Otherwise does
  /// nothing.
  ///
  /// - Returns: Whether the 304 confirms this entity.
  public func confirm(_ entity: inout Entity) -> Bool {
    guard isAbout(entity) else { return false }
    apply(to: &entity)
    return true
  }

  func apply(to entity: inout Entity) {
    if let refreshment { entity.refresh(by: refreshment) }
    entity.timestamp = timestamp
  }

  /// Returns whether this confirmation has already been applied to the entity. The entity may then
  /// have the validators of the 304.
  package func hasConfirmed(_ entity: Entity) -> Bool {
    guard entity.timestamp == timestamp else { return false }
    let found = entity.condition
    if let condition, found == condition { return true }
    if isKnown(found) { return true }
    guard let found, let headers = refreshment?.headers else { return false }
    return found == Entity(content: .bytes([]), headers: headers, timestamp: timestamp).condition
  }
}
