internal import LullLibC
import LullSystem
import Synchronization

/// The actor on which services live: a `Home`, or a `LullTest` in tests.
///
/// To make your own actor testable, take a `ServiceHome` instead of a `Home`. Your actor can then
/// be made on a `Home` or on a `LullTest`.
///
///     actor Catalogue {
///       private let home: any ServiceHome
///       private let api: Service
///       nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }
///
///       init(home: any ServiceHome) {
///         self.home = home
///         api = Service(baseURL: "https://api.example.com", on: home)
///       }
///     }
///
/// Behaviours: RACE-01 to RACE-02.
public protocol ServiceHome: Actor {
  /// The pump and networking for services that are made on other threads. Usable on any thread.
  nonisolated var surroundings: HomeSurroundings { get }

  /// Starts a task on this home. The task begins when the caller waits or returns. It is cancelled
  /// when the home ends.
  ///
  /// Call this function on this home, for example in an actor that runs on this home. The body may
  /// use the caller's services. The body has the caller's isolation: if the caller is an actor that
  /// runs elsewhere, the body runs there too.
  ///
  /// In functions and closures isolated to a home of a generic type, the compiler (6.3.1) crashes.
  /// There, use the overload whose body takes the home.
  ///
  ///     func refresh() async {
  ///       await home.spawn { try await self.api.resource("/items").load().entity() }
  ///     }
  @discardableResult
  func spawn<Value: Sendable>(
    @_inheritActorContext(always) _ body: sending @escaping @isolated(any) () async throws -> Value
  ) -> Task<Value, any Error>

  /// Starts a task on this home; callable with any isolation. The body takes the home as its
  /// argument and must be Sendable. In all other respects, this overload behaves like the one whose
  /// body has no argument.
  @discardableResult
  func spawn<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Self) async throws -> Value
  ) -> Task<Value, any Error>
}

/// Runs the body of `Lull.run` or of a test on a home, and stores its result. The caller waits
/// for the result without being a task of the home. Home thread only.
package final class HomeBody<Home: Actor, Value> {
  private let body: (isolated Home) async throws -> Value
  /// The result of the body; nil until the body has ended.
  package private(set) var result: Result<Value, any Error>?

  package init(_ body: @escaping (isolated Home) async throws -> Value) {
    self.body = body
  }

  package func run(on home: isolated Home) async {
    do {
      result = .success(try await body(home))
    } catch {
      result = .failure(error)
    }
  }
}

/// The pump and networking that services on a thread use by default.
///
/// A context belongs to the thread of its home.
package final class HomeContext {
  package let pump: Pump
  private let makeNetworking: () -> any NetworkingProvider

  /// The networking. It is made on first use.
  package private(set) lazy var networking = makeNetworking()

  package init(pump: Pump, networking: @escaping () -> any NetworkingProvider) {
    self.pump = pump
    makeNetworking = networking
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "this process has no thread-specific data left")
    return key
  }()

  /// The context of the innermost home that runs on this thread.
  // The caller that sets it holds the object until it is reset.
  package static var current: HomeContext? {
    get {
      guard let pointer = pthread_getspecific(key) else { return nil }
      return Unmanaged<HomeContext>.fromOpaque(pointer).takeUnretainedValue()
    }
    set {
      pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() })
    }
  }

  /// Runs `body` while this context is the current one.
  package func whileCurrent<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = HomeContext.current
    HomeContext.current = self
    defer { HomeContext.current = outer }
    return try body()
  }
}

/// Runs the jobs of Swift's concurrency on a home thread, between the turns of the home's pump.
///
/// Jobs may be enqueued on any thread and run in the order in which they were enqueued. The first
/// of several jobs wakes the home thread. After `end`, jobs run one by one on a separate thread
/// that is started when needed. This way, everything that waits for the home is notified of its
/// end, and no task waits for ever.
///
/// The executor is also a task executor, because a resumed task first goes through its preferred
/// executor. Tasks that prefer this executor need no other thread to resume.
package final class HomeExecutor: SerialExecutor, TaskExecutor {
  fileprivate struct State {
    var jobs: [UnownedJob] = []
    /// The thread that may run jobs; nil if the home has ended and no other thread runs jobs yet.
    var thread: pthread_t?
    var hasEnded = false
    var hasLateThread = false
  }

  private let state: Mutex<State>
  private let wakeUp: @Sendable () -> Void
  /// The context for jobs that run after the end. Set once, before there are jobs.
  package nonisolated(unsafe) weak var context: HomeContext?

  /// Makes the executor of the calling thread.
  ///
  /// - Parameter wakeUp: Wakes the home thread. Called on any thread. If called on the home thread,
  ///   it need not do anything, because that thread checks `hasWork` before it sleeps.
  package init(wakeUp: @escaping @Sendable () -> Void) {
    self.wakeUp = wakeUp
    state = Mutex(State(thread: pthread_self()))
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let (isFirst, isLate) = state.withLock { state in
      state.jobs.append(job)
      return (state.jobs.count == 1, state.needsLateThread())
    }
    if isLate {
      startLateThread()
    } else if isFirst {
      wakeUp()
    }
  }

  package func checkIsolated() {
    guard !isAtHome else { return }
    ProgramMisuse.stop("an object was used on another thread than that of its home")
  }

  package func isIsolatingCurrentContext() -> Bool? { isAtHome }

  private var isAtHome: Bool {
    state.withLock { state in
      guard let thread = state.thread else { return false }
      return pthread_equal(pthread_self(), thread) != 0
    }
  }

  package var hasWork: Bool { state.withLock { !$0.jobs.isEmpty } }

  /// Runs the jobs that are enqueued now. Jobs that are enqueued meanwhile wait for the next call.
  /// Home thread only.
  package func runJobs() {
    let jobs = state.withLock { state in
      defer { state.jobs = [] }
      return state.jobs
    }
    run(jobs)
  }

  private func run(_ jobs: [UnownedJob]) {
    for job in jobs {
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  // MARK: After the end

  /// Ends the executor: from now on, the home thread runs no jobs.
  package func end() {
    let isLate = state.withLock { state in
      state.hasEnded = true
      state.thread = nil
      return state.needsLateThread()
    }
    if isLate { startLateThread() }
  }

  private func startLateThread() {
    let hasStarted = NativeThread.start("lull-ended") { [self] in runLateJobs() }
    guard hasStarted else { ProgramMisuse.stop("the system has no more threads") }
  }

  private func runLateJobs() {
    // This variable holds the context, because `HomeContext.current` doesn't hold it.
    let context = self.context
    HomeContext.current = context
    defer { HomeContext.current = nil }
    while true {
      let jobs = state.withLock { state in
        defer { state.jobs = [] }
        state.thread = state.jobs.isEmpty ? nil : pthread_self()
        state.hasLateThread = !state.jobs.isEmpty
        return state.jobs
      }
      guard !jobs.isEmpty else { return }
      run(jobs)
    }
  }
}

extension HomeExecutor.State {
  /// Whether a thread for jobs after the end must be started now.
  fileprivate mutating func needsLateThread() -> Bool {
    guard hasEnded, !hasLateThread, !jobs.isEmpty else { return false }
    hasLateThread = true
    return true
  }
}

/// The networking of a home. It is made on the home thread when it is first used.
package final class HomeNetworking: NetworkingProvider {
  private let context: HomeContext

  /// The networking to which requests are passed. Home thread only.
  package var networking: any NetworkingProvider { context.networking }

  init(_ context: HomeContext) {
    self.context = context
  }

  package func startRequest(_ request: HTTPRequest, completion: NetworkCompletion)
    -> any RequestNetworking
  {
    context.networking.startRequest(request, completion: completion)
  }
}

/// Triggers an action on the home thread from any thread.
///
/// The action runs in a later turn. It runs once, even if the signal is fired several times, and
/// never after `Pump.discard`. The signal is Sendable; the action stays on the home thread.
package struct HomeSignal: Sendable {
  fileprivate let channel: NetworkCompletion

  /// Fires the signal. Callable on any thread.
  package func callAsFunction() {
    channel(NetworkResult())
  }
}

extension Pump {
  package func signal(_ action: @escaping () -> Void) -> HomeSignal {
    // Other threads can reach the home thread only through the inbox. An empty result suffices.
    HomeSignal(channel: completion { _ in action() })
  }

  /// Disables the signal, so that its action never runs.
  package func discard(_ signal: HomeSignal) {
    discard(signal.channel)
  }
}

/// The pump and networking of a home. This object may be passed to services on any thread, but is
/// used only on the home thread.
// Unchecked: other threads only hold the reference. The pump ends a program that uses it on another
// thread.
public struct HomeSurroundings: @unchecked Sendable {
  package let context: HomeContext

  package init(_ context: HomeContext) {
    self.context = context
  }

  /// The surroundings of the home that runs on this thread, inside `Lull.run`, inside `Lull.test`,
  /// or on a `Home`. If no home runs on this thread, the program ends with an error.
  public static var current: HomeSurroundings {
    guard let context = HomeContext.current else {
      ProgramMisuse.stop(
        "Service(baseURL:) needs the event loop of this thread: call it inside Lull.run or "
          + "home.perform, name the home (on: home), or give networking and pump")
    }
    return HomeSurroundings(context)
  }
}

/// A value in a Sendable closure that leaves a thread and returns to the same thread.
// The value is made, used and released on a home thread only: by a caller that waits while the home
// runs, and by tasks isolated to the home. Otherwise it is transferred by code that may send it.
package struct Confined<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) {
    self.value = value
  }
}
