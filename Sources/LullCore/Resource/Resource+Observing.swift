extension Resource {
  /// Adds an observer that owns itself: held weakly, gone when nobody else holds it. (OBS-18)
  ///
  /// It gets observerAdded during this call (OBS-01); adding it again does nothing (OBS-14). Values cannot own
  /// themselves: add them with an owner.
  @discardableResult
  public func addObserver(_ observer: any (ResourceObserver & AnyObject)) -> Resource {
    add(observer, owner: nil, identity: ownIdentity(of: observer))
  }

  /// Adds an observer held for as long as `owner` lives. (OBS-19 to OBS-22)
  ///
  /// It gets observerAdded during this call (OBS-01). A value is copied; if one of an equal
  /// `observerIdentity` is there already, only the owner is added to that one (OBS-16), and the value given
  /// is not used.
  @discardableResult
  public func addObserver(_ observer: any ResourceObserver, owner: AnyObject) -> Resource {
    // Not by a cast alone: on some platforms a value casts to a box that is an object.
    guard type(of: observer) is AnyClass, let object = observer as? any ObserverObject else {
      return add(
        ValueObserver(observer), owner: owner, identity: observer.observerIdentity)
    }
    return add(object, owner: owner, identity: ownIdentity(of: object))
  }

  /// The observer of that identity: its `observerIdentity`, or the `identity:` of a function. nil if none is
  /// there, or if its last owner has gone. A value comes as the copy that was added. (OBS-160)
  ///
  /// Observers of scripts have no identity. Home thread only. Lua: none; a script has its function.
  public func observer(identity: AnyHashable) -> (any ResourceObserver)? {
    pump.checkThread()
    let observer = record.observers.observer(identifiedBy: identity)
    return (observer as? ValueObserver)?.value ?? observer
  }

  /// Removes the observers of that identity, whoever owns them; each gets `stoppedObserving` during this call and
  /// nothing afterwards. Without such an observer it does nothing. (OBS-160)
  ///
  /// Cancels nothing; `cancelLoadIfUnobserved()` does. Home thread only. Lua: `resource:remove_observers(f)`.
  public func removeObserver(identity: AnyHashable) {
    pump.checkThread()
    record.observers.remove(identifiedBy: identity, resource: self)
  }

  /// nil of an object that is itself, by which the list looks it up.
  private func ownIdentity(of observer: any ObserverObject) -> AnyHashable? {
    let identity = observer.observerIdentity
    return identity == AnyHashable(ObjectIdentifier(observer)) ? nil : identity
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
    _ observer: any ObserverObject, owner: AnyObject?, identity: AnyHashable? = nil
  ) -> Resource {
    pump.checkThread()
    record.observers.add(observer, owner: owner, identity: identity, to: self)
    heard(ofAdding: observer)
    return self
  }

  /// Adds an observer that says itself how long it is alive; a script's host knows. (OBS-19)
  /// `isToldByHost`: it hears events of the service's host, together with its neighbours.
  package func hold(_ observer: any ObserverObject, isToldByHost: Bool = false) {
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
