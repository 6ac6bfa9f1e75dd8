internal import LullLibC
import LullSystem

/// Delivers what waits for the home thread: results from the inbox, then deferred callbacks.
///
/// One `turn` takes the inbox and then runs one phase of deferred callbacks: those that were there
/// when the phase began. What is deferred during the phase waits for the next turn, so that hooks
/// never run inside the call that registers them. (HOOK-06, HOOK-07, THR-04)
///
/// Used on the home thread only. It drives no sockets and no timers: that is the event loop's part.
public final class Pump {
  package let inbox = Inbox()
  /// What tells the time, and wakes this thread when a timer is due.
  public let clock: any HostClock
  /// The messages of every service that uses this pump.
  public let log: Log
  /// Whether the host is told what each step of a pipeline makes of a response.
  package var tracesPipelines = false
  /// What remembered answers of this pump's resources depend on.
  package let changes = ChangeCount()
  /// Who is told of what happens in the model; nil if nobody is, and after it has closed.
  final var hostSlot: HostSlot?
  /// Who counts limits; nil before that is known, and after it has closed.
  final var limitSlot: LimitSlot?
  /// Where slow work on values goes; without one it is done at once, on the home thread.
  package var workers: (any WorkPool)?
  /// The latest place in the order of what is sent and answered.
  private var latestPlace: UInt64 = 0
  /// At least 0, below 1; what policies leave to chance.
  package var random: () -> Double = { .random(in: 0..<1) }

  /// What its statistics look through.
  package let countedParts = CountedParts()

  /// Who hears of requests that have ended.
  final var exchangeObservers = ExchangeObservers()

  /// Which of its tasks wait for it.
  package let waits = PumpWaits()

  /// Who is to be told that this pump is about to close.
  package let ending = PumpEnding()

  private var deferred: [Action] = []
  private var afterPhase: [Action] = []
  private var receivers = ReceiverTable()
  private var guests: [any PumpGuest] = []
  private var queues = PumpQueues()
  /// Whether it has ended: nothing is delivered any more.
  package private(set) var isClosed = false
  /// The only thread it may be used on; nil if that is whoever's business who drives it.
  private var thread: pthread_t?
  /// The one that drives it, by number.
  private var driver: UInt

  /// A closure that stands in an array by itself is wrapped in another one.
  private struct Action {
    let run: () -> Void
  }

  /// A queue of its own, turned by whoever made it, on one thread at a time. Unlike a home's it may be handed
  /// over, as by a function that goes on elsewhere after it has waited: a use on two threads is not seen. (HOME-10)
  public init(clock: any HostClock) {
    self.clock = clock
    log = Log(changes: changes)
    driver = CurrentThread.number
    ThreadPumps.add(self, driver)
  }

  deinit {
    ThreadPumps.remove(ObjectIdentifier(self), driver)
  }

  /// That of the home which runs on this thread, else the one that was made last of those that the thread
  /// drives. Without any, `caller` ends the program.
  static func ofThread(for caller: String) -> Pump {
    let known = HomeContext.current?.pump ?? ThreadPumps.latest(CurrentThread.number)
    guard let pump = known else {
      ProgramMisuse.stop(
        "\(caller) needs the event loop of this thread: call it inside Lull.run, or where a Pump has "
          + "been made")
    }
    return pump
  }

  /// Whether a turn would do something now, so that a loop must not sleep.
  package var hasWork: Bool {
    !deferred.isEmpty || !afterPhase.isEmpty || !inbox.isEmpty
  }

  /// The next place in the order of what is sent and answered, at least 1. (STA-11)
  package func nextPlace() -> UInt64 {
    latestPlace += 1
    return latestPlace
  }

  /// Runs `action` in the next phase of deferred callbacks; after `close`, never.
  package func enqueue(_ action: @escaping () -> Void) {
    checkThread()
    guard !isClosed else { return }
    deferred.append(Action(run: action))
  }

  /// Runs `action` right after the phase of deferred callbacks that runs now, when those have let go
  /// of what they held; a coroutine that awaited goes on here.
  package func enqueueAfterPhase(_ action: @escaping () -> Void) {
    guard !isClosed else { return }
    afterPhase.append(Action(run: action))
  }

  /// Opens a channel for one network result; `receive` runs at most once, on the home thread.
  package func completion(_ receive: @escaping (NetworkResult) -> Void) -> NetworkCompletion {
    NetworkCompletion(inbox: inbox, token: expect(.ofNetwork { receive($0.result) }))
  }

  /// The same for an object, which the channel holds meanwhile.
  package func completion(_ receiver: any NetworkReceiver) -> NetworkCompletion {
    NetworkCompletion(inbox: inbox, token: expect(.ofObject(receiver)))
  }

  private func expect(_ receiver: ReceiverTable.Receiver) -> UInt64 {
    isClosed ? 0 : receivers.insert(receiver)
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
    _ = receivers.take(completion.token)
  }

  /// Delivers the inbox, then one phase of deferred callbacks.
  public func turn() {
    noteThread()
    for guest in guests { guest.turnBegins() }
    for entry in inbox.take() { receivers.take(entry.token)?.receive(entry.item) }
    runPhase()
    runAfterPhase()
    for guest in guests { guest.turnEnded() }
  }

  /// Has `guest` take part in every turn, and holds it until it is removed or dismissed.
  package func add(_ guest: any PumpGuest) { guests.append(guest) }

  package var guestCount: Int { guests.count }

  package func remove(_ guest: any PumpGuest) { guests.removeAll { $0 === guest } }

  /// The guest of that type, if there is one.
  package func guest<Guest: PumpGuest>(_ type: Guest.Type) -> Guest? {
    for guest in guests { if let guest = guest as? Guest { return guest } }
    return nil
  }

  /// Tells `queue` when this has closed, unless it has; without holding it.
  package func tellOfEnd(_ queue: any PumpQueue) {
    if isClosed { queue.pumpHasClosed(self) } else { queues.add(queue) }
  }

  /// Tells the guests that the pump is about to close, while it can still deliver what they leave behind.
  package func dismissGuests() {
    let leaving = guests
    guests = []
    for guest in leaving { guest.pumpCloses() }
  }

  /// Whoever made it may have handed it over.
  private func noteThread() {
    let thread = CurrentThread.number
    guard thread != driver, !isClosed else { return }
    ThreadPumps.remove(ObjectIdentifier(self), driver)
    driver = thread
    ThreadPumps.add(self, thread)
  }

  private func runPhase() {
    guard !deferred.isEmpty else { return }
    let phase = deferred
    deferred = []
    for action in phase {
      if isClosed { return }
      action.run()
    }
  }

  private func runAfterPhase() {
    guard !afterPhase.isEmpty else { return }
    let actions = afterPhase
    afterPhase = []
    for action in actions {
      if isClosed { return }
      action.run()
    }
  }

  // MARK: The end

  /// Drops everything that waits; who waits for the end is told, and nothing is called any more.
  package func close() {
    guard !isClosed else { return }
    ending.end()
    dismissGuests()
    isClosed = true
    ThreadPumps.remove(ObjectIdentifier(self), driver)
    inbox.close()
    deferred = []
    afterPhase = []
    receivers = ReceiverTable()
    hostSlot = nil
    limitSlot = nil
    workers = nil
    for queue in queues.takeAll() { queue.pumpHasClosed(self) }
  }

  // MARK: The thread

  /// From now on this and all that belongs to it are used on the calling thread, until the end.
  package func bindToThread() {
    thread = pthread_self()
  }

  /// Whether this is the thread of the home, as far as it has one.
  package var isOnThread: Bool {
    guard let thread else { return true }
    return pthread_equal(thread, pthread_self()) != 0
  }

  /// Ends the program if this is another thread than that of the home: what the compiler cannot see
  /// must not become a race.
  @inline(__always) package func checkThread() {
    guard let thread, pthread_equal(thread, pthread_self()) == 0, !isClosed else { return }
    Pump.stopOnOtherThread()
  }

  @inline(never) private static func stopOnOtherThread() -> Never {
    ProgramMisuse.stop(
      """
      a service, resource or request was used on another thread than its home's: use it in the body \
      of Lull.run, in home.perform { home in … } or home.spawn { home in … }, or in an actor whose \
      executor is the home's; an actor that keeps resources needs an isolated deinit
      """)
  }
}
