extension Resource {
  /// Adds an observer that owns itself: held weakly, gone when nobody else holds it. (OBS-18)
  ///
  /// It gets observerAdded during this call (OBS-01); adding it again does nothing (OBS-14).
  @discardableResult
  public func addObserver(_ observer: any ResourceObserver) -> Resource {
    record.observers.add(observer, owner: nil, to: self)
    return self
  }

  /// Adds an observer held for as long as `owner` lives. (OBS-19 to OBS-22)
  @discardableResult
  public func addObserver(_ observer: any ResourceObserver, owner: AnyObject) -> Resource {
    record.observers.add(observer, owner: owner, to: self)
    return self
  }

  /// Adds a function that is called until `owner` dies or its observers are removed. Each addition
  /// counts separately (OBS-15).
  @discardableResult
  public func addObserver(
    owner: AnyObject, _ observe: @escaping (Resource, ResourceEvent) -> Void
  ) -> Resource {
    addObserver(ClosureObserver(observe), owner: owner)
  }

  /// `owner` stops owning any observer here; those left without owner stop observing and hear
  /// nothing more. (OBS-23 to OBS-26, OBS-31)
  public func removeObservers(ownedBy owner: AnyObject?) {
    guard let owner else { return }
    record.observers.remove(ownedBy: owner, resource: self)
  }

  func notify(_ event: ResourceEvent) {
    record.observers.broadcast(event, resource: self)
  }
}
