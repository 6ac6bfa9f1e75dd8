import Synchronization

/// What `onExchange` has added, to be removed again. Letting go of it removes nothing.
public final class ExchangeObserver: Sendable {
  private let removed = Atomic<Bool>(false)
  fileprivate let tell: @Sendable (ExchangeEvent) -> Void

  fileprivate init(_ tell: @escaping @Sendable (ExchangeEvent) -> Void) {
    self.tell = tell
  }

  /// Ends it: no call begins afterwards on the home's thread. Called elsewhere, one that runs now may still be
  /// going on. Calling it again does nothing. Any thread.
  public func remove() { removed.store(true, ordering: .releasing) }

  fileprivate var isRemoved: Bool { removed.load(ordering: .acquiring) }
}

/// Those that hear of the exchanges of a pump. Home thread only.
struct ExchangeObservers {
  private var observers: [ExchangeObserver] = []

  /// Whether nobody would hear of an exchange.
  var isEmpty: Bool { observers.isEmpty }

  mutating func add(_ handler: @escaping @Sendable (ExchangeEvent) -> Void) -> ExchangeObserver {
    let observer = ExchangeObserver(handler)
    observers.append(observer)
    return observer
  }

  /// In their order, without those that have been removed.
  mutating func present() -> [ExchangeObserver] {
    observers.removeAll { $0.isRemoved }
    return observers
  }
}

extension Pump {
  /// Calls `handler` once for each request that has ended. (HOME-160, HOME-161) Lua: `lull.log` shows as much.
  ///
  /// Order of events: the request has ended, with all its attempts; observers, hooks and waiting tasks have been
  /// told; then handlers are called in the order in which they were added, on this pump's thread. What one of
  /// them does holds up the others, so leave slow work to another thread.
  ///
  /// Reported are requests of resources, whatever came of them: successes, errors, cancelled and refused ones, and data
  /// that a cache has brought. A stream's connection is one of them, reported when it ends. Not reported are single
  /// attempts and redirects of a request, requests for tokens, loads of an offline service, and requests of the program's own
  /// making, such as chains around others. Without a handler nothing is collected.
  ///
  ///     let observer = home.onExchange { event in print(event) }
  ///     …
  ///     observer.remove()
  @discardableResult
  public func onExchange(
    _ handler: @escaping @Sendable (_ event: ExchangeEvent) -> Void
  ) -> ExchangeObserver {
    checkThread()
    return exchangeObservers.add(handler)
  }

  func tell(_ event: ExchangeEvent) {
    for observer in exchangeObservers.present() where !observer.isRemoved { observer.tell(event) }
  }
}

extension ServiceHome {
  /// Calls `handler` on the home's thread once for each request of the home's services that has ended; see
  /// `Pump.onExchange`. (HOME-160, HOME-161)
  ///
  ///     await home.onExchange { event in logger.info("\(event)") }
  @discardableResult
  public func onExchange(
    _ handler: @escaping @Sendable (_ event: ExchangeEvent) -> Void
  ) -> ExchangeObserver {
    surroundings.context.pump.onExchange(handler)
  }
}
