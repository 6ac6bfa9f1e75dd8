public import LullCore
import LullSystem
import Synchronization

/// The thread on which services, resources and requests live, as an actor whose executor is an
/// event loop. `Lull.run` has a home for as long as its body runs. `Home.start()` makes a home for
/// as long as a server runs.
///
/// Code that is isolated to a home runs on its thread. It may wait for anything: the loop runs
/// while it waits. The objects of the core are not `Sendable`, so the compiler keeps them on that
/// thread. If they are used on another thread in a way that the compiler cannot detect, the program
/// ends with a message. To load several resources concurrently, start all requests before you wait
/// for the first one. To run code concurrently with the body, use `spawn`.
///
/// To keep services between calls, use an actor that also runs on the home's thread:
///
///     actor Catalogue {
///       private let home: Home
///       private let api: Service
///       nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }
///
///       init(home: Home) {
///         self.home = home
///         api = Service(baseURL: "https://api.example.com", on: home)
///       }
///
///       func name(of id: Int) async throws -> String {
///         let item = try await api.resource("/items").child("\(id)").load().entity()
///         return item.jsonDict["name"]?.string ?? ""
///       }
///     }
///
/// Your asynchronous functions that take resources must run on their caller's actor: enable the
/// upcoming feature `NonisolatedNonsendingByDefault`, or write `nonisolated(nonsending)`. Child
/// tasks run on the home's thread too, but cannot capture resources. Move long computations to
/// `Task.detached`.
///
/// The tasks of a home have the priority `.high`, and so do their child tasks and sleeps. Child
/// tasks and sleeps go through Swift's thread pool. Because of their priority, the pool does not
/// delay them behind work of the default priority.
public actor Home {
  // Used on the home thread only, except where noted.
  nonisolated(unsafe) let thread: HomeThread
  private let executor: HomeExecutor
  private let end = HomeEnd()

  init() throws(TransportError) {
    let thread = try HomeThread()
    executor = thread.executor
    self.thread = thread
  }

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// The pump that delivers results and callbacks on this home. Pass it to `Service` initialisers
  /// that take a pump. The home's loop drives the pump.
  public var pump: Pump { thread.loop.pump }

  /// The networking of services that specify no other. It sends HTTP requests on the event loop.
  public var networking: any NetworkingProvider { thread.context.networking }

  // MARK: Homes of servers

  /// Starts a home on its own thread, where it stays until `shutdown()`.
  ///
  /// Returns when the loop runs. The home's thread receives no signals. Call this on any thread. A
  /// program may have any number of homes; most programs have one. Scripts cannot call this.
  ///
  ///     let home = try Home.start()
  ///     let text = try await home.perform { home in
  ///       let api = Service(baseURL: "https://api.example.com")
  ///       return try await api.resource("/motd").load().entity().text
  ///     }
  ///     await home.shutdown()
  ///
  /// - Throws: A `TransportError` if the loop or its thread cannot be started.
  public static func start() throws(TransportError) -> Home {
    let start = HomeStart()
    let hasThread = NativeThread.start("lull-home") {
      do throws(TransportError) {
        let home = try Home()
        start.report(.success(home))
        home.runUntilAsked()
      } catch {
        start.report(.failure(error))
      }
    }
    guard hasThread else { throw TransportError(.network, "the system has no more threads") }
    return try start.wait()
  }

  private nonisolated func runUntilAsked() {
    assumeIsolated { home in
      home.thread.run { home.end.isAsked }
      home.endThread()
    }
  }

  /// Ends the home, and waits until it has ended.
  ///
  /// Order of events: Requests in flight and tasks of `spawn` are cancelled. Hooks, observers and
  /// waiting tasks are notified. Then the loop and its connections are closed. After that, waiting
  /// for anything of the home throws, and `perform` fails without starting its body.
  ///
  /// Concurrent calls all wait until the home has ended. A call whose task is cancelled stops
  /// waiting. For the home of a `Lull.run`, this method cancels the body's task, and the home ends
  /// with the body. Call this on any thread.
  public nonisolated func shutdown() async {
    if end.ask() {
      end.cancelTasks()
      // Wakes the loop, which checks whether it should end.
      Task(executorPreference: executor) { await self.cancelRequests() }
    }
    await end.wait()
  }

  private func cancelRequests() {
    thread.cancelRequests()
  }

  /// Closes the loop and reports that the home has ended. Called last on the home thread.
  private func endThread() {
    _ = end.ask()
    end.cancelTasks()
    thread.end()
    end.declare()
  }

  // MARK: Running code on the home

  /// Runs `body` on this home, in the caller's task, and waits for its result.
  ///
  ///     let names = try await home.perform { home in
  ///       try await Service(baseURL: url).resource("/names").load().entity().jsonArray
  ///     }
  ///
  /// The values that `body` captures and returns cross threads, so it can neither capture nor
  /// return a service. Keep services in an actor of yours, as described for `Home`. If the caller's
  /// task is cancelled, the operation that `body` waits for is cancelled. Call this on any thread.
  ///
  /// - Throws: The errors of `body`, or `HomeHasEnded` if it could not begin.
  public nonisolated func perform<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Home) async throws -> Value
  ) async throws -> Value {
    guard !end.isOver else { throw HomeHasEnded() }
    return try await performHere(body)
  }

  private func performHere<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Home) async throws -> Value
  ) async throws -> Value {
    guard !end.isOver else { throw HomeHasEnded() }
    return try await body(self)
  }

  /// Starts a task that runs on this home while other code waits. The task begins when the caller
  /// waits or returns.
  ///
  /// Call this from code that runs on this home: the body of `Lull.run` or `perform`, or an actor
  /// of yours that runs on this home and calls `await home.spawn { … self.api … }`. The task's body
  /// may use the services of that code. When the home ends, the task is cancelled, and waiting for
  /// anything of the home throws.
  ///
  /// The body has the isolation of its caller. If the caller is an actor that runs on another
  /// thread, the body would run on that thread too, so use `spawn { home in … }` instead. Lua:
  /// `lull.spawn(fn)`.
  ///
  ///     let news = home.spawn { try await api.resource("/news").load().entity() }
  ///     let items = try await news.value.jsonArray
  @discardableResult
  public func spawn<Value: Sendable>(
    @_inheritActorContext(always) _ body: sending @escaping @isolated(any) () async throws -> Value
  ) -> Task<Value, any Error> {
    let body = Confined(body)
    return spawnConfined(Confined { (_: isolated Home) in try await body.value() })
  }

  /// Starts a task that runs on this home. Call this on any thread. The body may capture only
  /// sendable values. When the home ends, the task is cancelled, and waiting for anything of the
  /// home throws.
  ///
  ///     let task = home.spawn { home in
  ///       try await Service(baseURL: url).resource("/a").load().entity()
  ///     }
  @discardableResult
  public nonisolated func spawn<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Home) async throws -> Value
  ) -> Task<Value, any Error> {
    spawnConfined(Confined(body))
  }

  private nonisolated func spawnConfined<Value: Sendable>(
    _ body: Confined<(isolated Home) async throws -> Value>
  ) -> Task<Value, any Error> {
    let number = end.number()
    let task = PumpTask.outside {
      Task(executorPreference: executor, priority: .high) { try await self.perform(body, number) }
    }
    end.add(number) { task.cancel() }
    return task
  }

  private func perform<Value: Sendable>(
    _ body: Confined<(isolated Home) async throws -> Value>, _ number: Int
  ) async throws -> Value {
    defer { end.forget(number) }
    guard !end.isOver else { throw HomeHasEnded() }
    return try await body.value(self)
  }

  // MARK: Homes of Lull.run

  /// Runs `body` on this thread and drives the loop until the body has ended, then closes the loop.
  nonisolated func run<Value>(
    _ body: @escaping (isolated Home) async throws -> Value
  ) throws -> Value {
    let body = Confined(HomeBody(body))
    return try assumeIsolated { home in Confined(try home.drive(body)) }.value
  }

  private func drive<Value>(_ body: Confined<HomeBody<Home, Value>>) throws -> Value {
    let task = Task(executorPreference: executor, priority: .high) { await self.perform(body) }
    end.add(end.number()) { task.cancel() }
    thread.run { body.value.result != nil }
    endThread()
    guard let result = body.value.result else {
      preconditionFailure("the loop ended early; this is a bug in Lull")
    }
    return try result.get()
  }

  private func perform<Value>(_ body: Confined<HomeBody<Home, Value>>) async {
    await body.value.run(on: self)
  }
}

/// The error of calls to a home that was shut down, or whose `Lull.run` has returned. Nothing can
/// run on such a home.
public struct HomeHasEnded: Error, Sendable, CustomStringConvertible {
  public var description: String { "the home has ended: nothing can run on it any more" }
}

/// The result of starting a home, which the home's thread passes to the thread that waits for it.
final class HomeStart: Sendable {
  private let outcome = Mutex<Result<Home, TransportError>?>(nil)
  private let isTold = ThreadSignal()

  func report(_ result: Result<Home, TransportError>) {
    outcome.withLock { $0 = result }
    isTold.fire()
  }

  func wait() throws(TransportError) -> Home {
    isTold.wait()
    guard let result = outcome.withLock({ $0 }) else {
      preconditionFailure("a home has started without reporting it; this is a bug in Lull")
    }
    return try result.get()
  }
}

/// The parts of one home: an event loop, its network, and the requests in flight.
///
/// Belongs to the thread that made it.
final class HomeThread {
  let loop: EventLoop
  let executor: HomeExecutor
  let context: HomeContext
  private let ledger = RequestLedger()

  init() throws(TransportError) {
    let loop = try EventLoop()
    self.loop = loop
    executor = HomeExecutor { [wakeUp = loop.wakeUp] in wakeUp.fire() }
    context = HomeContext(pump: loop.pump) { [unowned loop] in
      let networking = CurlProvider(loop: loop, blocksSIGPIPE: true)
      // If the networking is first used after the pump was closed, it is closed too.
      if loop.pump.isClosed { networking.close() }
      return networking
    }
    loop.add(executor)
    loop.pump.host = ledger
    loop.pump.add(PumpTasks(loop.pump, on: executor))
    loop.pump.limits = SharedLimits(loop.pump)
    loop.pump.bindToThread()
    executor.context = context
  }

  /// Drives the loop on this thread until `condition` holds, and runs every job.
  func run(until condition: () -> Bool) {
    context.whileCurrent {
      while true {
        executor.runJobs()
        if condition() { return }
        loop.turn()
      }
    }
  }

  /// Cancels the requests in flight. Their hooks and waiting tasks are notified on the next turns.
  func cancelRequests() {
    ledger.cancelAll()
  }

  /// Cancels the requests in flight, notifies hooks and waiting tasks, and closes the loop. Code
  /// that runs later, on another thread, gets the error that the home has ended.
  func end() {
    loop.pump.dismissGuests()
    cancelRequests()
    // The number of turns is limited, because a task without a waiting caller might start new work
    // forever.
    runSome { !loop.hasWork }
    finishWhatIsHeld()
    loop.pump.ending.end()
    runSome { !loop.hasWork }
    loop.close()
    runSome { !executor.hasWork }
    executor.end()
  }

  private func finishWhatIsHeld() {
    guard loop.pump.ending.isHeld else { return }
    var isLate = false
    let timer = loop.schedule(after: PumpEnding.patience) { isLate = true }
    run { isLate || !loop.pump.ending.isHeld }
    timer.cancel()
  }

  private func runSome(until condition: () -> Bool) {
    var turnsLeft = 100
    run {
      turnsLeft -= 1
      return condition() || turnsLeft == 0
    }
  }
}

/// Runs the jobs of the home between turns, and keeps the loop from waiting while there are any.
extension HomeExecutor: TurnParticipant {
  package func beforeWaiting() {}
  package func afterWaiting() {}
  package func close() {}
}

/// Records whether a home must end or has ended, the tasks to cancel, and the tasks that wait for
/// the end of the home. Any thread.
final class HomeEnd: Sendable {
  fileprivate enum Phase {
    case running
    case asked
    case over
  }

  fileprivate struct State {
    var phase = Phase.running
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    /// The functions that cancel running tasks, keyed by the ID of the task.
    var cancellations: [Int: @Sendable () -> Void] = [:]
    /// The IDs of tasks that ended before their cancellation function was added.
    var ended: Set<Int> = []
    var nextNumber = 0
  }

  private let state = Mutex(State())

  var isAsked: Bool { state.withLock { $0.phase != .running } }
  var isOver: Bool { state.withLock { $0.phase == .over } }

  /// Records that the home must end. Returns false if that was already recorded.
  func ask() -> Bool {
    state.withLock { state in
      guard state.phase == .running else { return false }
      state.phase = .asked
      return true
    }
  }

  func declare() {
    let waiting = state.withLock { state in
      state.phase = .over
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume() }
  }

  /// Waits until the home has ended or the task is cancelled.
  func wait() async {
    let number = state.withLock { $0.number() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          guard state.phase != .over, !Task.isCancelled else { return false }
          state.waiting[number] = continuation
          return true
        }
        if !isWaiting { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
    }
  }

  // MARK: Tasks

  func number() -> Int { state.withLock { $0.number() } }

  /// Registers the function that cancels a task. The function is called when the home must end,
  /// unless the task ends before that.
  func add(_ number: Int, _ cancel: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      guard state.ended.remove(number) == nil else { return false }
      guard state.phase == .running else { return true }
      state.cancellations[number] = cancel
      return false
    }
    if isLate { cancel() }
  }

  /// Records that a task has ended, and removes its cancellation function.
  func forget(_ number: Int) {
    state.withLock { state in
      guard state.cancellations.removeValue(forKey: number) == nil, state.phase == .running else {
        return
      }
      state.ended.insert(number)
    }
  }

  func cancelTasks() {
    let cancellations = state.withLock { state in
      defer { state.cancellations = [:] }
      return state.cancellations
    }
    for cancel in cancellations.values { cancel() }
  }
}

extension HomeEnd.State {
  fileprivate mutating func number() -> Int {
    nextNumber += 1
    return nextNumber
  }
}

extension Home: ServiceHome {
  public nonisolated var surroundings: HomeSurroundings { HomeSurroundings(thread.context) }
}
