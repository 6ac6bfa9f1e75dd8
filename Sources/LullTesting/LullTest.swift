import LullLibC
import LullSystem
public import LullCore

/// What a test of `Lull.test` has: the network, the clock, a recorder, and services that use them.
///
/// The test's body is isolated to it and so is whatever the body makes: all of it runs on the thread that
/// called `Lull.test`.
public actor LullTest: ServiceHome {
  /// Answers from a list; what is not in it fails, and says what is.
  public let network = StubProvider()
  /// Stands still until the test moves it.
  public let clock = ManualClock()
  /// An observer that writes down what it hears.
  public let recorder = EventRecorder()
  /// What delivers results and callbacks here, for services with an initialiser of their own.
  public let pump: Pump

  private let wakeUp = ThreadSignal()
  private let executor: HomeExecutor
  private let context: HomeContext
  public nonisolated let surroundings: HomeSurroundings
  private let requests = RequestLedger()
  /// Those who wait until nothing happens any more.
  private var settling: [CheckedContinuation<Void, Never>] = []
  /// What cancels the tasks that have not ended, by number.
  private var tasks: [Int: () -> Void] = [:]
  private var lastNumber = 0
  private var hasEnded = false
  /// Whether a deadlock ends the test at once.
  private var seesDeadlocks = false
  /// Whether one has ended it.
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

  /// A service that uses the test's network and clock.
  public func service(
    _ baseURL: String? = "https://api.test", name: String? = nil,
    standardTransformers: [StandardTransformer] = [.json, .text]
  ) -> Service {
    Service(
      baseURL: baseURL, name: name, standardTransformers: standardTransformers,
      networking: network, pump: pump)
  }

  /// Waits until nothing happens any more without time passing: answers have come, transformers have
  /// returned or wait for what does not come, hooks and observers have been told.
  ///
  /// What tasks of `spawn` do counts, and what other threads do does not. Of tasks that only yield for ever
  /// it sees 10,000 rounds.
  public func settle() async {
    guard !hasEnded else {
      // Whoever settles for ever must let others run, and keep no processor busy.
      usleep(1000)
      await Task.yield()
      return
    }
    await withCheckedContinuation { settling.append($0) }
  }

  /// Moves the clock on, which fires what becomes due in its order, and settles.
  ///
  /// Of timers that are set again for the very moment at which they fire, for ever, it sees 10,000 rounds, and
  /// from then on one for each moment at which another is due.
  ///
  /// - Parameter seconds: 0 or more.
  public func advance(by seconds: Double) async {
    await settle()
    let end = clock.uptime + seconds
    var roundsAtOnce = LullTest.longestSettling
    // What is due after what is due first may be scheduled by that.
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

  /// Seconds that are none, for a clock.
  private static let instant = 1e-6

  // MARK: Tasks

  /// Starts a task that runs here, beside the body, which begins when the body waits.
  ///
  /// It may use whatever the body has, and `settle()` and `advance(by:)` wait for what it does; a plain
  /// `Task { }` leaves for another thread whenever it waits, so that they may miss it. When the body has
  /// ended the task is cancelled, and gets what that brings about; one that goes on all the same is left
  /// behind. What it throws is for who waits for its `value`.
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

  /// Starts a task that is isolated to the test and uses nothing but what may be sent; otherwise as above.
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

  /// - Parameter patience: seconds of the real clock; nil: the usual ones, and none for a deadlock.
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
      preconditionFailure("a test has ended without a result; this is a bug in Lull")
    }
    return try result.get()
  }

  /// How many rounds may have something to do before it is taken for a task that only yields.
  private static let longestSettling = 10_000

  /// As many times the patience a test may go on without a moment in which nothing is to be done, while its body
  /// is not known to be what goes on.
  private static let longestBusiness = 6.0

  /// Runs what there is to do until `condition` holds, or nothing more comes for so many seconds, or there
  /// was something to do in so many rounds.
  ///
  /// - Returns: whether it gave up since what is beside the body is busy without end: tasks, code of Lua, or
  ///   what the pump delivers.
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
        // Its tasks are a guest of the pump: another one runs code of its own.
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

  /// Whether every task of the test waits for what only the test can bring about, and nothing is left that does:
  /// all requests in flight are for its own network. What other threads may still do to the test is not seen.
  /// (TEST-161)
  private var isDeadlocked: Bool {
    pump.waits.holdAll && requests.inFlight.allSatisfy(isForOwnNetwork)
  }

  /// Whether no other thread brings the answer: that of a custom request or of a cache may come from one.
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
  /// The same with a duration. (SWF-162)
  @_disfavoredOverload
  public func advance(by duration: Duration) async {
    await advance(by: Double(seconds: duration))
  }
}

/// A test of `Lull.test` has waited for something that did not come.
public struct TestIsStuck: Error, Sendable, CustomStringConvertible {
  /// What was waited for, and what would bring it.
  public let description: String

  init(
    inFlight: [Request], _ clock: ManualClock, _ network: StubProvider, isBusy: Bool,
    isDeadlocked: Bool
  ) {
    var text =
      isBusy
      ? "the test waits, and only what is beside its body goes on, which never rests"
      : isDeadlocked
        ? "deadlock: every task of the test waits, and nothing is left to wake one"
        : "the test waits, and nothing happens any more"
    if !inFlight.isEmpty {
      text += "; in flight: " + inFlight.map(\.description).joined(separator: ", ")
    }
    if network.heldCount > 0 {
      let answers = network.heldCount == 1 ? "an answer" : "\(network.heldCount) answers"
      text += "; the network holds \(answers) (test.network.release())"
    }
    if let due = clock.nextDue {
      let seconds = max(0, due - clock.uptime)
      text += "; the next timer is due in \(seconds) s (test.advance(by: \(seconds)))"
    }
    if isDeadlocked {
      text += "; if another thread wakes it, say how long to wait: Lull.test(patience: 10)"
    }
    description = text
  }
}
