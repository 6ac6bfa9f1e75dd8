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
    pump.attach(requests)
    pump.bindToThread()
  }

  /// A service that uses the test's network and clock.
  public func service(
    _ baseURL: String? = "https://api.test", name: String? = nil,
    standardTransformers: [StandardTransformer] = [.json, .text]
  ) -> Service {
    Service(
      baseURL: baseURL, name: name, networking: network, pump: pump,
      standardTransformers: standardTransformers)
  }

  /// Waits until nothing happens any more without time passing: answers have come, hooks and observers
  /// have been told.
  public func settle() async {
    repeat { await Task.yield() } while pump.hasWork
  }

  /// Moves the clock on, which fires what becomes due in its order, and settles.
  ///
  /// - Parameter seconds: 0 or more.
  public func advance(by seconds: Double) async {
    await settle()
    let end = clock.uptime + seconds
    // What is due after what is due first may be scheduled by that.
    while let due = clock.nextDue, due <= end {
      clock.advance(by: max(0, due - clock.uptime))
      await settle()
    }
    clock.advance(by: max(0, end - clock.uptime))
    await settle()
  }

  // MARK: Running

  nonisolated func run<Value>(
    patience: Double, _ body: @escaping (isolated LullTest) async throws -> Value
  ) throws -> Value {
    let body = Confined(HomeBody(body))
    return try assumeIsolated { test in Confined(try test.drive(patience, body)) }.value
  }

  private func drive<Value>(
    _ patience: Double, _ body: Confined<HomeBody<LullTest, Value>>
  ) throws -> Value {
    let task = Task(executorPreference: executor) { await self.perform(body) }
    var stuck: TestIsStuck?
    turn(patience: patience) { body.value.result != nil }
    if body.value.result == nil {
      stuck = TestIsStuck(inFlight: requests.inFlight, clock, network)
      task.cancel()
    }
    requests.cancelAll()
    turn(patience: 1) { body.value.result != nil && !pump.hasWork && !executor.hasWork }
    pump.close()
    turn(patience: 1) { body.value.result != nil && !executor.hasWork }
    executor.end()
    if let stuck { throw stuck }
    guard let result = body.value.result else {
      preconditionFailure("a test has ended without a result; this is a bug in Lull")
    }
    return try result.get()
  }

  /// Runs what there is to do until `condition` holds, or nothing more comes for so many seconds.
  private func turn(patience: Double, until condition: () -> Bool) {
    context.whileCurrent {
      while true {
        executor.runJobs()
        if condition() { return }
        if pump.hasWork {
          pump.turn()
        } else if !executor.hasWork, !wakeUp.wait(seconds: patience) {
          return
        }
      }
    }
  }

  private func perform<Value>(_ body: Confined<HomeBody<LullTest, Value>>) async {
    await body.value.run(on: self)
  }
}
