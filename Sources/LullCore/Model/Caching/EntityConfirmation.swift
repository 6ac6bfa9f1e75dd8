/// The information in a 304 about cache entries: one entity, identified by its validators, is still
/// valid. (CACHE-19, CACHE-40)
public struct EntityConfirmation: Sendable {
  /// The timestamp that the confirmed entity gets, in Unix seconds.
  public let timestamp: Double
  /// The condition that the request was sent with; nil if it had none.
  private let condition: ResourceState.Condition?
  /// The data of the resource when the 304 arrived, which it confirms.
  private let known: Known?
  /// The headers of the 304, if they are to be used.
  private let refreshment: Refreshment?

  /// What identifies an entity without its content.
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

  /// Whether it changes more than the timestamp. (AGE-04)
  public var changesHeaders: Bool { refreshment != nil }

  /// Whether the 304 is about this entity. It is if the entity has the condition that the request
  /// was sent with, or if it is the data that the resource had: same timestamp, and no other
  /// validator. A different entity in the same entry was put there by another process or host, and
  /// stays unchanged.
  public func isAbout(_ entity: Entity) -> Bool {
    if let condition, entity.condition == condition { return true }
    guard let known, entity.timestamp == known.timestamp else { return false }
    return isKnown(entity.condition)
  }

  private func isKnown(_ condition: ResourceState.Condition?) -> Bool {
    guard let known, let condition, let other = known.condition else { return known != nil }
    return condition == other
  }

  /// Applies the confirmation: sets the timestamp and updates the headers. Does nothing if it is
  /// about another entity.
  ///
  /// - Returns: Whether it is about this entity.
  public func confirm(_ entity: inout Entity) -> Bool {
    guard isAbout(entity) else { return false }
    apply(to: &entity)
    return true
  }

  func apply(to entity: inout Entity) {
    if let refreshment { entity.refresh(by: refreshment) }
    entity.timestamp = timestamp
  }

  /// Whether the entity has been confirmed already; it may then have the validators of the 304.
  package func hasConfirmed(_ entity: Entity) -> Bool {
    guard entity.timestamp == timestamp else { return false }
    let found = entity.condition
    if let condition, found == condition { return true }
    if isKnown(found) { return true }
    guard let found, let headers = refreshment?.headers else { return false }
    return found == Entity(content: .bytes([]), headers: headers, timestamp: timestamp).condition
  }
}
