internal import LullLibC
import LullSystem
import Synchronization

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
