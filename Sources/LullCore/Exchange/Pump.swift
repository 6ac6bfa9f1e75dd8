internal import LullLibC
import LullSystem
import Synchronization

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
  /// Hears of events in the model; nil without a host and after the pump has closed.
  package final var host: (any ModelHost)?
  /// Counts the limits that several services share; nil before the first use and after the pump has closed.
  package final var limits: (any LimitSource)?
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
    host = nil
    limits = nil
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

/// Who lives on a pump that is somebody else's, and takes part in its turns.
package protocol PumpGuest: AnyObject {
  /// Before results are delivered.
  func turnBegins()
  /// After the deferred callbacks of the turn.
  func turnEnded()
  /// The pump closes: whatever needs it ends now.
  func pumpCloses()
}

/// What keeps things that are to be done on a pump, which it lets go of when that has closed: nobody calls them
/// then any more, and they may hold the queue itself.
package protocol PumpQueue: AnyObject {
  /// The pump delivers nothing any more.
  func pumpHasClosed(_ pump: Pump)
}

/// The queues that a pump is to tell of its end. Holds none of them. Home thread only.
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

/// What is to be done when a pump is about to close, such as ending what waits for something that will not
/// happen any more: while what it brings about can still be delivered. Home thread only.
package final class PumpEnding {
  package typealias Number = Int

  private var actions: [Number: () -> Void] = [:]
  private var next = 0
  package private(set) var hasEnded = false
  private var holds = 0

  /// Does so once, in no order with others; at once if that time has come.
  package func add(_ action: @escaping () -> Void) -> Number {
    next += 1
    if hasEnded { action() } else { actions[next] = action }
    return next
  }

  /// Whether something is under way that an orderly end lets finish, for `patience` seconds at most.
  package var isHeld: Bool { holds > 0 }

  package static let patience = 5.0

  /// Such a thing has begun; whatever comes of it, `release` is called once.
  package func hold() { holds += 1 }

  package func release() { holds -= 1 }

  package func remove(_ number: Number) { actions[number] = nil }

  /// The time has come; the second time nothing happens.
  package func end() {
    guard !hasEnded else { return }
    hasEnded = true
    let actions = actions.sorted { $0.key < $1.key }
    self.actions = [:]
    for (_, action) in actions { action() }
  }
}

/// Which pumps work for which thread, the latest last: how a request finds its pump that is made by nobody
/// in particular. Any thread.
enum ThreadPumps {
  // Not `weak`, which would slow down every use of a pump: each takes itself off here before it goes, and
  // is asked for on the thread of its number only, to which it belongs.
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

/// Time and timers of a home thread; the event loop in programs, a manual clock in tests.
public protocol HostClock: AnyObject {
  /// Unix epoch seconds.
  var now: Double { get }
  /// Seconds since some time in the past, which go on evenly when somebody sets the system's time.
  var uptime: Double { get }
  /// Whether `now` is the system's time, which others can read for themselves.
  var isSystemTime: Bool { get }
  /// Runs `action` once on the home thread, after `seconds`; never inside this call.
  func schedule(after seconds: Double, _ action: @escaping () -> Void) -> any HostTimer
}

extension HostClock {
  public var uptime: Double { now }
  public var isSystemTime: Bool { false }
}

/// A timer that has not fired yet; cancelling twice, or after firing, does nothing.
public protocol HostTimer: AnyObject {
  /// Its action will not run. Home thread only.
  func cancel()
}

/// Threads for slow work on Sendable values: parsing large bodies, files. (PIPE-16, THR-02)
package protocol WorkPool: AnyObject {
  /// Runs `work` on another thread, soon, once. It reports through an `Inbox`.
  func run(_ work: @escaping @Sendable () -> Void)
}
