internal import LullLibC
import LullSystem
import Synchronization

/// Where services live, as an actor: a `Home`, and in a test the `LullTest`.
///
/// An actor that is given one in place of a `Home` can be tested: it is made on either.
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
  /// What services are made with that are made on another thread. On any thread.
  nonisolated var surroundings: HomeSurroundings { get }

  /// Starts a task that runs here, beside whatever waits, and that is cancelled when the home ends; it begins
  /// when the caller waits or returns.
  ///
  /// For callers on this home, whose services the body may use, such as an actor that runs here. The body is
  /// isolated as its caller is: that of an actor that runs elsewhere runs there.
  ///
  /// In functions and closures that are isolated to a home of a generic type the compiler (6.3.1) crashes
  /// over it: there it is the one below, whose body takes the home.
  ///
  ///     func refresh() async {
  ///       await home.spawn { try await self.api.resource("/items").load().entity() }
  ///     }
  @discardableResult
  func spawn<Value: Sendable>(
    @_inheritActorContext(always) _ body: sending @escaping @isolated(any) () async throws -> Value
  ) -> Task<Value, any Error>

  /// Starts a task that runs here, wherever the caller is, with what may be sent; otherwise as above.
  @discardableResult
  func spawn<Value: Sendable>(
    _ body: @escaping @Sendable (isolated Self) async throws -> Value
  ) -> Task<Value, any Error>
}

/// What somebody has run on a home while waiting outside of its tasks, and what it came to: the body of
/// `Lull.run`, or of a test. Home thread only.
package final class HomeBody<Home: Actor, Value> {
  private let body: (isolated Home) async throws -> Value
  /// nil until it has ended.
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

/// What services find on a thread that name no pump and no network.
///
/// Belongs to the thread of its home.
package final class HomeContext {
  package let pump: Pump
  private let makeNetworking: () -> any NetworkingProvider

  /// Made when first used.
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

  /// That of the innermost home that is being run on this thread.
  // Whoever sets it holds the object until it is set back.
  package static var current: HomeContext? {
    get {
      guard let pointer = pthread_getspecific(key) else { return nil }
      return Unmanaged<HomeContext>.fromOpaque(pointer).takeUnretainedValue()
    }
    set {
      pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() })
    }
  }

  /// Runs `body` as this home.
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
/// Jobs may come from any thread and run in order of arrival; the first of several wakes the thread. After `end` they run one by one on a thread that is started when there are some: what waits
/// for anything of the home is told of its end there, and no task hangs.
///
/// It is an executor for tasks too, because a task that is resumed goes through the executor it
/// prefers before it is where it was: tasks that prefer this one need no other thread to go on.
package final class HomeExecutor: SerialExecutor, TaskExecutor {
  fileprivate struct State {
    var jobs: [UnownedJob] = []
    /// Whose turn it is to run jobs; nil while nobody does, after the end.
    var thread: pthread_t?
    var hasEnded = false
    var hasLateThread = false
  }

  private let state: Mutex<State>
  private let wakeUp: @Sendable () -> Void
  /// What late jobs find as theirs. Set once, before there are jobs.
  package nonisolated(unsafe) weak var context: HomeContext?

  /// - Parameter wakeUp: called on any thread, and in vain on the home thread, which looks at `hasWork`
  ///   before it waits.
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
    ProgramMisuse.stop("this belongs to the thread of its home, and was used on another one")
  }

  package func isIsolatingCurrentContext() -> Bool? { isAtHome }

  private var isAtHome: Bool {
    state.withLock { state in
      guard let thread = state.thread else { return false }
      return pthread_equal(pthread_self(), thread) != 0
    }
  }

  package var hasWork: Bool { state.withLock { !$0.jobs.isEmpty } }

  /// Runs the jobs that are there; those they enqueue wait for the next call. Home thread only.
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

  /// The home thread runs no more jobs.
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
    // Held meanwhile, for whoever asks which it is.
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
  /// Whether one is to be started now.
  fileprivate mutating func needsLateThread() -> Bool {
    guard hasEnded, !hasLateThread, !jobs.isEmpty else { return false }
    hasLateThread = true
    return true
  }
}

/// The network of a home, which is made on its thread when first used.
package final class HomeNetworking: NetworkingProvider {
  private let context: HomeContext

  /// What it is where it is used.
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

/// Makes one thing happen on the home thread, asked for on any thread.
///
/// The action runs once, on a later turn, however often the signal is given; never after
/// `Pump.discard`. A value that may be sent anywhere, while the action stays at home.
package struct HomeSignal: Sendable {
  fileprivate let channel: NetworkCompletion

  /// May be called on any thread.
  package func callAsFunction() {
    channel(NetworkResult())
  }
}

extension Pump {
  package func signal(_ action: @escaping () -> Void) -> HomeSignal {
    // The inbox is the one way in, and a result that says nothing is all it takes.
    HomeSignal(channel: completion { _ in action() })
  }

  /// The signal can do nothing any more.
  package func discard(_ signal: HomeSignal) {
    discard(signal.channel)
  }
}

/// The pump and the network of a home, to be handed to services on any thread and used on the home's.
// Unchecked: others only keep the reference; the pump ends a program that uses it on another thread.
public struct HomeSurroundings: @unchecked Sendable {
  package let context: HomeContext

  package init(_ context: HomeContext) {
    self.context = context
  }

  /// Those of the home of this thread, inside `Lull.run`, `Lull.test` or on a `Home`; where none is it is a
  /// programming error and ends the program.
  public static var current: HomeSurroundings {
    guard let context = HomeContext.current else {
      ProgramMisuse.stop(
        "Service(baseURL:) needs the event loop of this thread: call it inside Lull.run or "
          + "home.perform, name the home (on: home), or give networking and pump")
    }
    return HomeSurroundings(context)
  }
}

/// Something that is handed over, by closures that may be sent, from a thread to itself.
// The value is made, used and let go on a home thread only: by a caller who waits while the home runs, and
// by tasks that are isolated to it; or it is given away by who may send it.
package struct Confined<Value>: @unchecked Sendable {
  package let value: Value

  package init(_ value: Value) {
    self.value = value
  }
}
