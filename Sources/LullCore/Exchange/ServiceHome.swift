internal import LullLibC
import LullSystem
import Synchronization

/// The actor on which services live: a `Home`, or a `LullTest` in tests.
///
/// Take this protocol instead of a `Home` to make an actor testable. The actor can then be made on
/// a `Home` or on a `LullTest`.
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

  /// Starts a task on this home. It begins when the caller waits or returns, and is cancelled when
  /// the home ends.
  ///
  /// Call it on this home, for example in an actor that runs on this home. The body may use the
  /// caller's services. The body has the caller's isolation: if the caller is an actor that runs
  /// elsewhere, the body runs there too.
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

  /// Starts a task on this home from any isolation. The body receives the home, and must be
  /// Sendable. In all other respects, this overload behaves like the one whose body has no
  /// argument.
  @discardableResult
  func spawn<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Self) async throws -> Value
  ) -> Task<Value, any Error>
}

/// The body of `Lull.run` or of a test, and its result. It runs on a home while its caller waits
/// outside the home's tasks. Home thread only.
package final class HomeBody<Home: Actor, Value> {
  private let body: (isolated Home) async throws -> Value
  /// The result; nil until the body has ended.
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

/// The default pump and networking for services made on a thread.
///
/// A context belongs to the thread of its home.
package final class HomeContext {
  package let pump: Pump
  private let makeNetworking: () -> any NetworkingProvider

  /// The networking, which is made on first use.
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

  /// Runs `body` with this context as the current one.
  package func whileCurrent<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let outer = HomeContext.current
    HomeContext.current = self
    defer { HomeContext.current = outer }
    return try body()
  }
}

/// Runs the jobs of Swift's concurrency on a home thread, between the turns of its pump.
///
/// Jobs may come from any thread and run in order of arrival. The first of several wakes the
/// thread. After `end`, jobs run one by one on a thread that is started on demand. There,
/// everything that waits for the home is notified of its end, and no task hangs.
///
/// The executor is also a task executor, because a resumed task goes through its preferred executor
/// first. Tasks that prefer this executor need no other thread to resume.
package final class HomeExecutor: SerialExecutor, TaskExecutor {
  fileprivate struct State {
    var jobs: [UnownedJob] = []
    /// The thread that may run jobs; nil if no thread runs them after the end.
    var thread: pthread_t?
    var hasEnded = false
    var hasLateThread = false
  }

  private let state: Mutex<State>
  private let wakeUp: @Sendable () -> Void
  /// The context of late jobs. Set once, before there are jobs.
  package nonisolated(unsafe) weak var context: HomeContext?

  /// Makes the executor of the calling thread.
  ///
  /// - Parameter wakeUp: Called on any thread. On the home thread it need not do anything, because
  ///   that thread checks `hasWork` before it waits.
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

  /// Runs the current jobs. Jobs that they enqueue wait for the next call. Home thread only.
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

  /// Marks the end: the home thread runs no more jobs.
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
  /// Whether a thread for late jobs has to be started now.
  fileprivate mutating func needsLateThread() -> Bool {
    guard hasEnded, !hasLateThread, !jobs.isEmpty else { return false }
    hasLateThread = true
    return true
  }
}

/// The networking of a home, made on its thread on first use.
package final class HomeNetworking: NetworkingProvider {
  private let context: HomeContext

  /// The networking itself. Home thread only.
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
/// The action runs once, on a later turn, however often the signal is fired, and never after
/// `Pump.discard`. The signal is Sendable; the action stays on the home thread.
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

  /// Disables the signal.
  package func discard(_ signal: HomeSignal) {
    discard(signal.channel)
  }
}

/// The pump and networking of a home, passed to services on any thread and used on the home thread.
// Unchecked: other threads only hold the reference. The pump ends a program that uses it on another
// thread.
public struct HomeSurroundings: @unchecked Sendable {
  package let context: HomeContext

  package init(_ context: HomeContext) {
    self.context = context
  }

  /// The surroundings of the home on this thread, inside `Lull.run`, `Lull.test` or on a `Home`.
  /// Without a home, the program ends, because this is a programming error.
  public static var current: HomeSurroundings {
    guard let context = HomeContext.current else {
      ProgramMisuse.stop(
        "Service(baseURL:) needs the event loop of this thread: call it inside Lull.run or "
          + "home.perform, name the home (on: home), or give networking and pump")
    }
    return HomeSurroundings(context)
  }
}

/// A value that Sendable closures carry from a thread back to the same thread.
// The value is made, used and released on a home thread only: by a caller that waits while the home
// runs, and by tasks isolated to the home. Otherwise it is transferred by code that may send it.
package struct Confined<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) {
    self.value = value
  }
}
