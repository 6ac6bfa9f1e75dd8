/// Delivers what waits for the home thread: results from the inbox, then deferred callbacks.
///
/// One `turn` takes the inbox and then runs one phase of deferred callbacks: those that were there
/// when the phase began. What is deferred during the phase waits for the next turn, so that hooks
/// never run inside the call that registers them. (HOOK-06, HOOK-07, THR-04)
///
/// Used on the home thread only. It drives no sockets and no timers: that is the event loop's part.
public final class Pump {
  package let inbox = Inbox()
  public let clock: any HostClock
  public let log: Log
  /// What remembered answers of this pump's resources depend on.
  package let changes = ChangeCount()
  /// Who is told of what happens in the model; nil if nobody is, and after it has closed.
  final var hostSlot: HostSlot?
  /// Where slow work on values goes; without one it is done at once, on the home thread.
  package var workers: (any WorkPool)?
  /// At least 0, below 1; what policies leave to chance.
  package var random: () -> Double = { .random(in: 0..<1) }

  private var deferred: [() -> Void] = []
  private var afterPhase: [() -> Void] = []
  private var receivers: [UInt64: Receiver] = [:]
  private var nextToken: UInt64 = 1
  private var isClosed = false

  /// What takes an item out of the inbox.
  private enum Receiver {
    case ofNetwork((NetworkResult) -> Void)
    case ofWork((any Sendable) -> Void)
  }

  public init(clock: any HostClock) {
    self.clock = clock
    log = Log(changes: changes)
  }

  /// Whether a turn would do something now, so that a loop must not sleep.
  package var hasWork: Bool {
    !deferred.isEmpty || !afterPhase.isEmpty || !inbox.isEmpty
  }

  /// Runs `action` in the next phase of deferred callbacks; after `close`, never.
  package func enqueue(_ action: @escaping () -> Void) {
    guard !isClosed else { return }
    deferred.append(action)
  }

  /// Runs `action` right after the phase of deferred callbacks that runs now, when those have let go
  /// of what they held; a coroutine that awaited goes on here.
  package func enqueueAfterPhase(_ action: @escaping () -> Void) {
    guard !isClosed else { return }
    afterPhase.append(action)
  }

  /// Opens a channel for one network result; `receive` runs at most once, on the home thread.
  package func completion(_ receive: @escaping (NetworkResult) -> Void) -> NetworkCompletion {
    NetworkCompletion(inbox: inbox, token: expect(.ofNetwork(receive)))
  }

  private func expect(_ receiver: Receiver) -> UInt64 {
    let token = nextToken
    nextToken += 1
    if !isClosed { receivers[token] = receiver }
    return token
  }

  /// Does `work` in the pool, then calls `finish` on the home thread, on a later turn; without a pool
  /// both happen at once. After `close`, `finish` is not called.
  package func offload<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result, then finish: @escaping (Result) -> Void
  ) {
    guard !isClosed else { return }
    guard let workers else { return finish(work()) }
    let token = expect(.ofWork { if let result = $0 as? Result { finish(result) } })
    workers.run { [inbox] in inbox.post(token, .work(work())) }
  }

  /// Opens a channel for the result of slow work that is done elsewhere. What this returns may be called
  /// on any thread, once; `finish` then runs on the home thread, on a later turn, or never after
  /// `close`.
  package func receiver<Result: Sendable>(
    _ finish: @escaping (Result) -> Void
  ) -> @Sendable (Result) -> Void {
    let token = expect(.ofWork { if let result = $0 as? Result { finish(result) } })
    return { [inbox] result in inbox.post(token, .work(result)) }
  }

  /// Closes a channel: what still arrives for it is dropped.
  package func discard(_ completion: NetworkCompletion) {
    receivers[completion.token] = nil
  }

  /// Delivers the inbox, then one phase of deferred callbacks.
  public func turn() {
    for (token, item) in inbox.take() {
      switch (receivers.removeValue(forKey: token), item) {
      case (.ofNetwork(let receive)?, .network(let result)): receive(result)
      case (.ofWork(let receive)?, .work(let result)): receive(result)
      default: break
      }
    }
    runPhase()
    runAfterPhase()
  }

  private func runPhase() {
    guard !deferred.isEmpty else { return }
    let phase = deferred
    deferred = []
    for action in phase {
      if isClosed { return }
      action()
    }
  }

  private func runAfterPhase() {
    guard !afterPhase.isEmpty else { return }
    let actions = afterPhase
    afterPhase = []
    for action in actions {
      if isClosed { return }
      action()
    }
  }

  /// Drops everything that waits; nothing is called any more.
  package func close() {
    isClosed = true
    inbox.close()
    deferred = []
    afterPhase = []
    receivers = [:]
    hostSlot = nil
    workers = nil
  }
}
