extension Resource {
  /// Adds an observer that owns itself: held weakly, gone when nobody else holds it. (OBS-18)
  ///
  /// It gets observerAdded during this call (OBS-01); adding it again does nothing (OBS-14).
  @discardableResult
  public func addObserver(_ observer: any ResourceObserver) -> Resource {
    add(observer, owner: nil)
  }

  /// Adds an observer held for as long as `owner` lives. (OBS-19 to OBS-22)
  @discardableResult
  public func addObserver(_ observer: any ResourceObserver, owner: AnyObject) -> Resource {
    add(observer, owner: owner)
  }

  /// Adds a function that is called until `owner` dies or its observers are removed. Each addition
  /// counts separately (OBS-15), unless an observer of an equal `identity` is there already: then
  /// only the owner is added to that one (OBS-16). The log names it by file and line (LOG-10).
  @discardableResult
  public func addObserver(
    owner: AnyObject, identity: AnyHashable? = nil, file: StaticString = #fileID,
    line: UInt = #line, closure: @escaping ResourceObserverClosure
  ) -> Resource {
    add(
      ClosureObserver(name: "function (\(file):\(line))", closure), owner: owner,
      identity: identity)
  }

  private func add(
    _ observer: any ResourceObserver, owner: AnyObject?, identity: AnyHashable? = nil
  ) -> Resource {
    pump.checkThread()
    record.observers.add(observer, owner: owner, identity: identity, to: self)
    heard(ofAdding: observer)
    return self
  }

  /// Adds an observer that says itself how long it is alive; a script's host knows. (OBS-19)
  /// `isToldByHost`: it hears events of the service's host, together with its neighbours.
  package func hold(_ observer: any ResourceObserver, isToldByHost: Bool = false) {
    record.observers.hold(observer, isToldByHost: isToldByHost, resource: self)
    heard(ofAdding: observer)
  }

  /// It has heard of its addition already; what caches have comes later. (OBS-40)
  private func heard(ofAdding observer: any ResourceObserver) {
    if observer.wantsProgress {
      for load in record.loads { load.request.progressListenersChanged() }
    }
    checkCaches()
  }

  /// `owner` stops owning any observer here; those left without owner stop observing and hear
  /// nothing more. (OBS-23 to OBS-26, OBS-31)
  public func removeObservers(ownedBy owner: AnyObject?) {
    pump.checkThread()
    guard let owner else { return }
    record.observers.remove(ownedBy: owner, resource: self)
  }

  func notify(_ event: ResourceEvent) {
    record.observers.broadcast(event, resource: self)
  }
}
