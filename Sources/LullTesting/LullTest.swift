import LullLibC
import LullSystem
public import LullCore

/// The environment of a test run by `Lull.test`: the network, the clock, a recorder, and services
/// that use them.
///
/// The body of the test is isolated to this actor, and so are the objects that the body makes. All
/// of them run on one thread: the thread that called `Lull.test`, or a new thread for the
/// asynchronous overload.
public actor LullTest: ServiceHome {
  /// The network, which responds from a list of stubs. A request without a stub fails with an error
  /// that lists the stubs.
  public let network = StubProvider()
  /// A clock that stands still until the test advances it.
  public let clock = ManualClock()
  /// An observer that records the events that it receives.
  public let recorder = EventRecorder()
  /// The pump that delivers results and callbacks on the test's thread. Pass this pump to services
  /// that are not made with `service(_:)`.
  public let pump: Pump

  private let wakeUp = ThreadSignal()
  private let executor: HomeExecutor
  private let context: HomeContext
  public nonisolated let surroundings: HomeSurroundings
  private let requests = RequestLedger()
  /// The tasks that are waiting in `settle`.
  private var settling: [CheckedContinuation<Void, Never>] = []
  /// Functions that cancel the tasks of `spawn`, by the number of the task. Tasks that have ended
  /// are removed.
  private var tasks: [Int: () -> Void] = [:]
  private var lastNumber = 0
  private var hasEnded = false
  /// Whether a deadlock ends the test immediately.
  private var seesDeadlocks = false
  /// Whether a deadlock has ended the test.
  private var hasDeadlocked = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  init() {
    pump = Pump(clock: clock)
    let network = network
    context = HomeContext(pump: pump) { network }
    surroundings = HomeSurroundings(context)
    executor = HomeExecutor { [wakeUp] in wakeUp.fire() }
    executor.context = context
    pump.inbox.onPost { [wakeUp] in wakeUp.fire() }
    pump.host = requests
    pump.add(PumpTasks(pump, on: executor))
    pump.bindToThread()
  }

  /// Returns a new service that uses the test's network and clock.
  public func service(
    _ baseURL: String? = "https://api.test", name: String? = nil,
    standardTransformers: [StandardTransformer] = [.json, .text]
  ) -> Service {
    Service(
      baseURL: baseURL, name: name, standardTransformers: standardTransformers,
      networking: network, pump: pump)
  }

  /// Waits until nothing more happens unless the clock advances. When this function returns,
  /// responses have arrived, and hooks and observers have been called. Transformers have returned,
  /// or wait for something that does not arrive.
  ///
  /// The function also waits for tasks of `spawn`, but not for other threads. If tasks yield again
  /// and again, the wait ends after 10,000 rounds.
  public func settle() async {
    guard !hasEnded else {
      // A loop that calls `settle` without end must let other code run, without using the whole
      // processor.
      usleep(1000)
      await Task.yield()
      return
    }
    await withCheckedContinuation { settling.append($0) }
  }

  /// Advances the clock and fires the timers that become due, in order of their times. Then waits
  /// as `settle()` does.
  ///
  /// If timers are set again for the same time without end, the clock advances after 10,000 rounds.
  /// From then on, one round is spent on each later time at which a timer fires.
  ///
  /// - Parameter seconds: The time by which the clock advances, 0 or more.
  public func advance(by seconds: Double) async {
    await settle()
    let end = clock.uptime + seconds
    var roundsAtOnce = LullTest.longestSettling
    // The first timer that fires may schedule others.
    while var due = clock.nextDue, due <= end {
      let soon = clock.uptime + LullTest.instant
      if due < soon { roundsAtOnce -= 1 }
      if roundsAtOnce < 0 {
        guard let later = clock.nextDue(from: soon), later <= end else { break }
        due = later
      }
      clock.fire(until: due)
      await settle()
    }
    clock.fire(until: end)
    await settle()
  }

  /// The longest duration that is treated as no time, in seconds.
  private static let instant = 1e-6

  // MARK: Tasks

  /// Starts a task on the thread of the test, concurrently with the body. The task begins when the
  /// body waits.
  ///
  /// The task may use the objects of the body. `settle()` and `advance(by:)` wait for the actions
  /// of this task. They may miss the actions of a plain `Task { }`, which moves to another thread
  /// whenever it waits. When the body has ended, tasks of `spawn` are cancelled. A cancelled task
  /// can run as far as its cancellation wakes it, and is abandoned after that. If the task throws
  /// an error, callers that wait for its `value` receive the error.
  ///
  ///     let name = test.spawn { try await model.name() }
  ///     await test.advance(by: 5)
  ///     let value = try await name.value
  @discardableResult
  public func spawn<Value: Sendable>(
    @_inheritActorContext(always) _ body: sending @escaping @isolated(any) () async throws -> Value
  ) -> Task<Value, any Error> {
    let body = Confined(body)
    return spawnConfined(Confined { (_: isolated LullTest) in try await body.value() })
  }

  /// Starts a task that is isolated to the test and takes the test as its argument. The body must
  /// be Sendable. In all other respects, this overload behaves like the one whose body has no
  /// argument.
  ///
  ///     test.spawn { test in await test.advance(by: 5) }
  @discardableResult
  public func spawn<Value: Sendable>(
    _ body: @escaping @Sendable (isolated LullTest) async throws -> Value
  ) -> Task<Value, any Error> {
    spawnConfined(Confined(body))
  }

  private func spawnConfined<Value: Sendable>(
    _ body: Confined<(isolated LullTest) async throws -> Value>
  ) -> Task<Value, any Error> {
    lastNumber += 1
    let number = lastNumber
    let task = PumpTask.outside {
      Task(executorPreference: executor, priority: .high) { try await self.perform(body, number) }
    }
    if hasEnded { task.cancel() } else { tasks[number] = { task.cancel() } }
    return task
  }

  private func perform<Value: Sendable>(
    _ body: Confined<(isolated LullTest) async throws -> Value>, _ number: Int
  ) async throws -> Value {
    let task = pump.waits.taskBegan()
    defer {
      pump.waits.taskEnded(task)
      tasks[number] = nil
    }
    return try await body.value(self)
  }

  // MARK: Running

  /// Runs the body of the test until it has ended or the test is stuck.
  ///
  /// - Parameter patience: The time to wait for events, in seconds of the real clock. If nil, the
  ///   default applies, and a deadlock ends the test immediately.
  nonisolated func run<Value>(
    patience: Double?, _ body: @escaping (isolated LullTest) async throws -> Value
  ) throws -> Value {
    let body = Confined(HomeBody(body))
    return try assumeIsolated { test in Confined(try test.drive(patience, body)) }.value
  }

  private static let usualPatience = 10.0

  private func drive<Value>(
    _ given: Double?, _ body: Confined<HomeBody<LullTest, Value>>
  ) throws -> Value {
    let patience = given ?? LullTest.usualPatience
    seesDeadlocks = given == nil
    let task = Task(executorPreference: executor, priority: .high) { await self.perform(body) }
    var stuck: TestIsStuck?
    let isBusy = turn(patience: patience, isBounded: true) { body.value.result != nil }
    if body.value.result == nil {
      stuck = TestIsStuck(
        inFlight: requests.inFlight, clock, network, isBusy: isBusy,
        isDeadlocked: hasDeadlocked)
      task.cancel()
    }
    seesDeadlocks = false
    hasEnded = true
    for cancel in tasks.values { cancel() }
    requests.cancelAll()
    turn(patience: 1, rounds: LullTest.longestSettling) {
      body.value.result != nil && tasks.isEmpty && !pump.hasWork && !executor.hasWork
    }
    pump.close()
    turn(patience: 1, rounds: LullTest.longestSettling) {
      body.value.result != nil && tasks.isEmpty && !executor.hasWork
    }
    tellSettled()
    executor.end()
    if let stuck { throw stuck }
    guard let result = body.value.result else {
      preconditionFailure("a test ended without a result; this is a bug in Lull")
    }
    return try result.get()
  }

  /// The number of busy rounds after which a task is assumed to yield without end.
  private static let longestSettling = 10_000

  /// The longest time for which a test may be busy without a pause, as a multiple of the patience.
  /// Time during which only the body is busy doesn't count.
  private static let longestBusiness = 6.0

  /// Runs jobs and turns of the pump until `condition` is true, nothing has happened for `patience`
  /// seconds, or `rounds` rounds have run.
  ///
  /// - Returns: Whether the function gave up because code other than the body is busy without end:
  ///   tasks, Lua code, or callbacks of the pump.
  @discardableResult
  private func turn(
    patience: Double, rounds: Int = .max, isBounded: Bool = false, until condition: () -> Bool
  ) -> Bool {
    var roundsLeft = rounds
    var busyRounds = 0
    var lastCalm = ContinuousClock.now
    let longest = Duration.seconds(patience * LullTest.longestBusiness)
    return context.whileCurrent {
      while true {
        // All Swift tasks together are one guest of the pump. A second guest runs other code.
        let isBodyAlone = tasks.isEmpty && pump.guestCount <= 1
        if !isBounded || isBodyAlone && executor.hasWork { lastCalm = .now }
        executor.runJobs()
        roundsLeft -= 1
        if condition() || roundsLeft <= 0 { return false }
        if .now - lastCalm > longest { return true }
        let isBusy = pump.hasWork || executor.hasWork
        busyRounds = isBusy && !settling.isEmpty ? busyRounds + 1 : 0
        if !settling.isEmpty, !isBusy || busyRounds > LullTest.longestSettling {
          busyRounds = 0
          if tasks.isEmpty { lastCalm = .now }
          tellSettled()
        } else if pump.hasWork {
          pump.turn()
        } else if !isBusy {
          if seesDeadlocks, isDeadlocked {
            hasDeadlocked = true
            return false
          }
          guard wakeUp.wait(seconds: patience) else { return false }
          lastCalm = .now
        }
      }
    }
  }

  /// Whether the test is in a deadlock. In a deadlock, every task of the test waits for something
  /// that only the test can cause. All requests in flight use the test's own network, so nothing
  /// else can wake a task. Actions of other threads are not detected. (TEST-161)
  private var isDeadlocked: Bool {
    pump.waits.holdAll && requests.inFlight.allSatisfy(isForOwnNetwork)
  }

  /// Whether only the test itself can cause the response to a request. The response to a custom
  /// request, or a response from a cache, may come from another thread.
  private func isForOwnNetwork(_ request: Request) -> Bool {
    if request is ChainedRequest { return true }
    guard request is NetworkRequest, let networking = request.resource?.service.networking else {
      return false
    }
    return (networking as? HomeNetworking)?.networking ?? networking === network
  }

  private func tellSettled() {
    let told = settling
    settling = []
    for continuation in told { continuation.resume() }
  }

  private func perform<Value>(_ body: Confined<HomeBody<LullTest, Value>>) async {
    let task = pump.waits.taskBegan()
    defer { pump.waits.taskEnded(task) }
    await body.value.run(on: self)
  }
}

extension LullTest {
  /// Advances the clock by a duration. (SWF-162)
  @_disfavoredOverload
  public func advance(by duration: Duration) async {
    await advance(by: Double(seconds: duration))
  }
}

/// Thrown if a test of `Lull.test` waits for something that never happens.
public struct TestIsStuck: Error, Sendable, CustomStringConvertible {
  /// The pending waits, and the events that would end them.
  public let description: String

  init(
    inFlight: [Request], _ clock: ManualClock, _ network: StubProvider, isBusy: Bool,
    isDeadlocked: Bool
  ) {
    var text =
      isBusy
      ? "the test is waiting, and only tasks outside its body are running, endlessly"
      : isDeadlocked
        ? "deadlock: every task of the test is waiting, and nothing can wake one"
        : "the test is waiting, and nothing is happening"
    if !inFlight.isEmpty {
      text += "; in flight: " + inFlight.map(\.description).joined(separator: ", ")
    }
    if network.heldCount > 0 {
      let answers = network.heldCount == 1 ? "a response" : "\(network.heldCount) responses"
      text += "; the network holds \(answers) (test.network.release())"
    }
    if let due = clock.nextDue {
      let seconds = max(0, due - clock.uptime)
      text += "; the next timer fires in \(seconds) s (test.advance(by: \(seconds)))"
    }
    if isDeadlocked {
      text += "; if another thread wakes it, set how long to wait: Lull.test(patience: 10)"
    }
    description = text
  }
}
