/// What a 304 to a load says of what caches keep: that one entity, which is known by its validators, holds still.
/// (CACHE-19, CACHE-40)
public struct EntityConfirmation: Sendable {
  /// From when on it is as young as that, in seconds since 1970.
  public let timestamp: Double
  /// Of the request, as it was sent; nil: it had none, and nobody knows what the answer is about.
  private let condition: ResourceState.Condition?
  /// What it says anew of the entity, if that is to be known.
  private let refreshment: Refreshment?

  init(
    timestamp: Double, condition: ResourceState.Condition?, refreshment: Refreshment?
  ) {
    self.timestamp = timestamp
    self.condition = condition
    self.refreshment = refreshment
  }

  /// Whether it says more than the age. (AGE-04)
  public var changesHeaders: Bool { refreshment != nil }

  /// Whether the condition that the 304 has answered is that of this entity. Another one at the same place, which
  /// somebody else has put there, is none of its business.
  public func isAbout(_ entity: Entity) -> Bool {
    condition != nil && entity.condition == condition
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
    guard entity.timestamp == timestamp, let known = entity.condition else { return false }
    guard !isAbout(entity), let headers = refreshment?.headers else { return isAbout(entity) }
    return known == Entity(content: .bytes([]), headers: headers, timestamp: timestamp).condition
  }
}
