/// What a 304 to a load says of what caches keep: that one entity, which is known by its validators, holds still.
/// (CACHE-19, CACHE-40)
public struct EntityConfirmation: Sendable {
  /// From when on it is as young as that, in seconds since 1970.
  public let timestamp: Double
  /// Of the request, as it was sent; nil: it had none.
  private let condition: ResourceState.Condition?
  /// What the resource had when the answer came, which it says is current still.
  private let known: Known?
  /// What it says anew of the entity, if that is to be known.
  private let refreshment: Refreshment?

  /// What an entity is known by beside its content.
  private struct Known {
    let timestamp: Double
    let condition: ResourceState.Condition?
  }

  /// - Parameter data: of the resource, before the 304 made it young.
  init(
    timestamp: Double, condition: ResourceState.Condition?, data: Entity?,
    refreshment: Refreshment?
  ) {
    self.timestamp = timestamp
    self.condition = condition
    known = data.map { Known(timestamp: $0.timestamp, condition: $0.condition) }
    self.refreshment = refreshment
  }

  /// Whether it says more than the age. (AGE-04)
  public var changesHeaders: Bool { refreshment != nil }

  /// Whether the condition that the 304 has answered is that of this entity, or the entity is what the resource had:
  /// of the same moment, and without another validator. Another one at the same place, which another process or
  /// host has put there, stays as it is.
  public func isAbout(_ entity: Entity) -> Bool {
    if let condition, entity.condition == condition { return true }
    guard let known, entity.timestamp == known.timestamp else { return false }
    return isKnown(entity.condition)
  }

  private func isKnown(_ condition: ResourceState.Condition?) -> Bool {
    guard let known, let condition, let other = known.condition else { return known != nil }
    return condition == other
  }

  /// Makes the entity young, and says anew what is known of it; nothing if it is about another one.
  ///
  /// - Returns: whether it is about this one.
  public func confirm(_ entity: inout Entity) -> Bool {
    guard isAbout(entity) else { return false }
    apply(to: &entity)
    return true
  }

  func apply(to entity: inout Entity) {
    if let refreshment { entity.refresh(by: refreshment) }
    entity.timestamp = timestamp
  }

  /// Whether the entity is one that this has confirmed already, maybe with the validators that the 304 had.
  package func hasConfirmed(_ entity: Entity) -> Bool {
    guard entity.timestamp == timestamp else { return false }
    let found = entity.condition
    if let condition, found == condition { return true }
    if isKnown(found) { return true }
    guard let found, let headers = refreshment?.headers else { return false }
    return found == Entity(content: .bytes([]), headers: headers, timestamp: timestamp).condition
  }
}
