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
  public let log = Log()
  /// The host that services made on this pump begin with; nil without one.
  package var serviceHost: (any ServiceHost)?

  private var deferred: [() -> Void] = []
  private var afterPhase: [() -> Void] = []
  private var receivers: [UInt64: (NetworkResult) -> Void] = [:]
  private var nextToken: UInt64 = 1
  private var isClosed = false

  public init(clock: any HostClock) {
    self.clock = clock
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
    let token = nextToken
    nextToken += 1
    if !isClosed { receivers[token] = receive }
    return NetworkCompletion(inbox: inbox, token: token)
  }

  /// Closes a channel: what still arrives for it is dropped.
  package func discard(_ completion: NetworkCompletion) {
    receivers[completion.token] = nil
  }

  /// Delivers the inbox, then one phase of deferred callbacks.
  public func turn() {
    for (token, result) in inbox.take() {
      receivers.removeValue(forKey: token)?(result)
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
    serviceHost = nil
  }
}
