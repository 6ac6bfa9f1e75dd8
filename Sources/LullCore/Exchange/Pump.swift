internal import LullLibC
import LullSystem
import Synchronization

/// Delivers results and runs callbacks on the home thread: first results from the inbox, then
/// deferred callbacks.
///
/// One `turn` delivers the inbox and then runs one phase: the callbacks that were deferred before
/// the phase began. A callback that is deferred during the phase runs in the next turn, so a hook
/// never runs inside the call that registers it. (HOOK-06, HOOK-07, THR-04)
///
/// Home thread only. The pump drives no sockets and no timers; the event loop does that.
public final class Pump {
  package let inbox = Inbox()
  /// The clock, which returns the time and wakes this thread when a timer fires.
  public let clock: any HostClock
  /// The log of every service that uses this pump.
  public let log: Log
  /// Whether the result of each pipeline stage is reported to the host.
  package var tracesPipelines = false
  /// Counts the changes that may affect stored values of this pump's resources; see `ChangeCount`.
  package let changes = ChangeCount()
  /// The host, which receives the events of the model; nil without a host or after `close`.
  package final var host: (any ModelHost)?
  /// Provides the limits that several services share; nil before the first use or after the pump
  /// has closed.
  package final var limits: (any LimitSource)?
  /// The thread pool for slow work on values. Without a pool, the work runs immediately on the home
  /// thread.
  package var workers: (any WorkPool)?
  /// The last number returned by `nextPlace`.
  private var latestPlace: UInt64 = 0
  /// Returns a random number from 0 up to but not including 1. Used by policies.
  package var random: () -> Double = { .random(in: 0..<1) }

  /// The objects that the pump's statistics count.
  package let countedParts = CountedParts()

  /// The observers of requests that have ended.
  final var exchangeObservers = ExchangeObservers()

  /// The tasks that wait for a result of this pump.
  package let waits = PumpWaits()

  /// The actions that run before this pump closes.
  package let ending = PumpEnding()

  private var deferred: [Action] = []
  private var afterPhase: [Action] = []
  private var receivers = ReceiverTable()
  private var guests: [any PumpGuest] = []
  private var queues = PumpQueues()
  /// Whether the pump has closed. A closed pump delivers nothing.
  package private(set) var isClosed = false
  /// The only thread that may use this pump; nil if the owner of the pump ensures correct use.
  private var thread: pthread_t?
  /// The number of the thread that currently drives the pump.
  private var driver: UInt

  /// A wrapper for a closure. Without it, Swift would wrap a closure stored in an array in another
  /// closure.
  private struct Action {
    let run: () -> Void
  }

  /// Makes a pump whose owner calls `turn`, on one thread at a time. Unlike the pump of a home,
  /// this pump may move to another thread, for example because an `async` function resumes on
  /// another thread. Simultaneous use on two threads is not detected. (HOME-10)
  public init(clock: any HostClock) {
    self.clock = clock
    log = Log(changes: changes)
    driver = CurrentThread.number
    ThreadPumps.add(self, driver)
  }

  deinit {
    ThreadPumps.remove(ObjectIdentifier(self), driver)
  }

  /// Returns the pump of the home that runs on this thread. Without a home, returns the pump that
  /// was added last for this thread. Without any pump, the program ends with an error that names
  /// `caller`.
  static func ofThread(for caller: String) -> Pump {
    let known = HomeContext.current?.pump ?? ThreadPumps.latest(CurrentThread.number)
    guard let pump = known else {
      ProgramMisuse.stop(
        "\(caller) needs the event loop of this thread: call it inside Lull.run, or where a Pump has "
          + "been made")
    }
    return pump
  }

  /// Whether a turn has something to do, so that the event loop must not sleep.
  package var hasWork: Bool {
    !deferred.isEmpty || !afterPhase.isEmpty || !inbox.isEmpty
  }

  /// Returns the next sequence number for sending a request or receiving a response. The first
  /// number is 1. (STA-11)
  package func nextPlace() -> UInt64 {
    latestPlace += 1
    return latestPlace
  }

  /// Runs `action` in the next phase of deferred callbacks, but not after `close`.
  package func enqueue(_ action: @escaping () -> Void) {
    checkThread()
    guard !isClosed else { return }
    deferred.append(Action(run: action))
  }

  /// Runs `action` right after the current phase of deferred callbacks, when the callbacks of this
  /// phase have been released. Used to resume a waiting coroutine.
  package func enqueueAfterPhase(_ action: @escaping () -> Void) {
    guard !isClosed else { return }
    afterPhase.append(Action(run: action))
  }

  /// Makes a completion for one network result. `receive` runs at most once, on the home thread.
  package func completion(_ receive: @escaping (NetworkResult) -> Void) -> NetworkCompletion {
    NetworkCompletion(inbox: inbox, token: expect(.ofNetwork { receive($0.result) }))
  }

  /// Makes a completion for one network result. The pump holds `receiver` until the result arrives.
  package func completion(_ receiver: any NetworkReceiver) -> NetworkCompletion {
    NetworkCompletion(inbox: inbox, token: expect(.ofObject(receiver)))
  }

  private func expect(_ receiver: ReceiverTable.Receiver) -> UInt64 {
    isClosed ? 0 : receivers.insert(receiver)
  }

  /// Runs `work` in the thread pool, and then `finish` on the home thread in a later turn. Without
  /// a thread pool, both run immediately. After `close`, `finish` is not called.
  package func offload<Result: Sendable>(
    _ work: @escaping @Sendable () -> Result, then finish: @escaping (Result) -> Void
  ) {
    guard !isClosed else { return }
    guard let workers else { return finish(work()) }
    let token = expect(.ofWork { if let result = $0 as? Result { finish(result) } })
    workers.run { [inbox] in inbox.post(token, .work(work())) }
  }

  /// Returns a function that takes the result of slow work done elsewhere. The function may be
  /// called once, on any thread. `finish` then runs on the home thread in a later turn, but not
  /// after `close`.
  package func receiver<Result: Sendable>(
    _ finish: @escaping (Result) -> Void
  ) -> @Sendable (Result) -> Void {
    let token = expect(.ofWork { if let result = $0 as? Result { finish(result) } })
    return { [inbox] result in inbox.post(token, .work(result)) }
  }

  /// Discards a completion. If a result still arrives for it, the result is dropped.
  package func discard(_ completion: NetworkCompletion) {
    _ = receivers.take(completion.token)
  }

  /// Delivers the inbox, and then runs one phase of deferred callbacks.
  public func turn() {
    noteThread()
    for guest in guests { guest.turnBegins() }
    for entry in inbox.take() { receivers.take(entry.token)?.receive(entry.item) }
    runPhase()
    runAfterPhase()
    for guest in guests { guest.turnEnded() }
  }

  /// Adds a guest, which is called in every turn. The pump holds the guest until it is removed or
  /// dismissed.
  package func add(_ guest: any PumpGuest) { guests.append(guest) }

  package var guestCount: Int { guests.count }

  package func remove(_ guest: any PumpGuest) { guests.removeAll { $0 === guest } }

  /// The guest of the given type; nil if there is none.
  package func guest<Guest: PumpGuest>(_ type: Guest.Type) -> Guest? {
    for guest in guests { if let guest = guest as? Guest { return guest } }
    return nil
  }

  /// Notifies `queue` when the pump closes. If the pump has already closed, `queue` is notified
  /// immediately. The pump doesn't hold `queue`.
  package func tellOfEnd(_ queue: any PumpQueue) {
    if isClosed { queue.pumpHasClosed(self) } else { queues.add(queue) }
  }

  /// Notifies the guests that the pump is about to close. At this moment, the pump can still
  /// deliver their last callbacks.
  package func dismissGuests() {
    let leaving = guests
    guests = []
    for guest in leaving { guest.pumpCloses() }
  }

  /// Records the current thread, because the owner may have moved the pump to another thread.
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

  /// Closes the pump: runs the ending actions and drops everything that waits. The pump calls
  /// nothing afterwards.
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
    host = nil
    limits = nil
    workers = nil
    for queue in queues.takeAll() { queue.pumpHasClosed(self) }
  }

  // MARK: The thread

  /// Binds the pump and everything that belongs to it to the calling thread.
  package func bindToThread() {
    thread = pthread_self()
  }

  /// Whether the calling thread is the home thread; always true if the pump isn't bound to a
  /// thread.
  package var isOnThread: Bool {
    guard let thread else { return true }
    return pthread_equal(thread, pthread_self()) != 0
  }

  /// Ends the program if the calling thread isn't the home thread. The compiler can't detect every
  /// wrong use, and without this check a wrong use could be a data race.
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

/// An object that takes part in the turns of a pump. The pump belongs to another owner.
package protocol PumpGuest: AnyObject {
  /// Called at the beginning of a turn, before results are delivered.
  func turnBegins()
  /// Called at the end of a turn, after the deferred callbacks.
  func turnEnded()
  /// Called when the pump is about to close. The guest must end everything that needs the pump.
  func pumpCloses()
}

/// A queue of actions for a pump. When the pump has closed, the queue must release its actions: the
/// actions are not called any more, and may hold the queue.
package protocol PumpQueue: AnyObject {
  /// Called when the pump has closed and delivers nothing any more.
  func pumpHasClosed(_ pump: Pump)
}

/// The queues that a pump notifies when it closes. They are held weakly. Home thread only.
struct PumpQueues {
  private struct Known {
    weak var queue: (any PumpQueue)?
  }

  private var known: [ObjectIdentifier: Known] = [:]
  private var sizeAfterSweep = 8

  mutating func add(_ queue: any PumpQueue) {
    known[ObjectIdentifier(queue)] = Known(queue: queue)
    guard known.count > sizeAfterSweep * 2 else { return }
    known = known.filter { $0.value.queue != nil }
    sizeAfterSweep = max(8, known.count)
  }

  mutating func takeAll() -> [any PumpQueue] {
    defer { known = [:] }
    return known.values.compactMap(\.queue)
  }
}

/// Actions that run when a pump is about to close, while the effects of the actions can still be
/// delivered. For example, an action ends waits that nothing else can end. Home thread only.
package final class PumpEnding {
  package typealias Number = Int

  private var actions: [Number: () -> Void] = [:]
  private var next = 0
  package private(set) var hasEnded = false
  private var holds = 0

  /// Adds an action, which runs once when the pump is about to close. If the actions have already
  /// run, the action runs immediately.
  package func add(_ action: @escaping () -> Void) -> Number {
    next += 1
    if hasEnded { action() } else { actions[next] = action }
    return next
  }

  /// Whether work is in progress that delays an orderly end, for at most `patience` seconds.
  package var isHeld: Bool { holds > 0 }

  package static let patience = 5.0

  /// Begins work that delays an orderly end. Every call must be followed by one call of `release`.
  package func hold() { holds += 1 }

  package func release() { holds -= 1 }

  package func remove(_ number: Number) { actions[number] = nil }

  /// Runs all actions. Further calls do nothing.
  package func end() {
    guard !hasEnded else { return }
    hasEnded = true
    let actions = actions.sorted { $0.key < $1.key }
    self.actions = [:]
    for (_, action) in actions { action() }
  }
}

/// The pumps of each thread; the pump added last comes last. A request that is made without a
/// service finds its pump here. Callable on any thread.
enum ThreadPumps {
  // The reference is not `weak`, which would slow down every use of a pump. Each pump removes
  // itself here before it is released, and is looked up only on its own thread.
  private struct Entry: @unchecked Sendable {
    unowned(unsafe) let pump: Pump
    let identity: ObjectIdentifier
  }

  private static let entries = Mutex<[UInt: [Entry]]>([:])

  static func add(_ pump: Pump, _ thread: UInt) {
    let entry = Entry(pump: pump, identity: ObjectIdentifier(pump))
    entries.withLock { $0[thread, default: []].append(entry) }
  }

  static func remove(_ identity: ObjectIdentifier, _ thread: UInt) {
    entries.withLock { entries in
      entries[thread]?.removeAll { $0.identity == identity }
      if entries[thread]?.isEmpty ?? false { entries[thread] = nil }
    }
  }

  static func latest(_ thread: UInt) -> Pump? {
    entries.withLock { $0[thread]?.last }?.pump
  }
}

/// The clock and timers of a home thread. In programs, this is the event loop; in tests, a manual
/// clock.
public protocol HostClock: AnyObject {
  /// The current time in seconds since 1970.
  var now: Double { get }
  /// The seconds since a fixed time in the past. This time is not affected when the system clock is
  /// set.
  var uptime: Double { get }
  /// Whether `now` is the system time, which other code can read too.
  var isSystemTime: Bool { get }
  /// Runs `action` once on the home thread, `seconds` from now. Never runs `action` inside this
  /// call.
  func schedule(after seconds: Double, _ action: @escaping () -> Void) -> any HostTimer
}

extension HostClock {
  public var uptime: Double { now }
  public var isSystemTime: Bool { false }
}

/// A timer of a `HostClock`. Cancelling the timer twice, or after it has fired, does nothing.
public protocol HostTimer: AnyObject {
  /// Cancels the timer, so that its action will not run. Home thread only.
  func cancel()
}

/// Threads for slow work on Sendable values, such as parsing large bodies or reading files.
/// (PIPE-16, THR-02)
package protocol WorkPool: AnyObject {
  /// Runs `work` once, soon, on another thread. `work` delivers its result through an `Inbox`.
  func run(_ work: @escaping @Sendable () -> Void)
}
