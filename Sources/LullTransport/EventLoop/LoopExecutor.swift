import Glibc
import Synchronization

/// Runs the jobs of Swift's concurrency on the home thread of an event loop, between its turns.
///
/// Jobs may come from any thread and run in order of arrival; one that comes from elsewhere wakes the
/// loop. After `close` jobs are dropped: the tasks they belong to never go on.
///
/// It is an executor for tasks too, because a task that is resumed goes through the executor it
/// prefers before it is where it was: tasks that prefer this one need no other thread to go on.
final class LoopExecutor: SerialExecutor, TaskExecutor, TurnParticipant {
  private struct State {
    var jobs: [UnownedJob] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let wakeUp: LoopWakeUp
  private let homeThread = pthread_self()

  init(wakeUp: LoopWakeUp) {
    self.wakeUp = wakeUp
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isFirst = state.withLock { state in
      guard !state.isClosed else { return false }
      state.jobs.append(job)
      return state.jobs.count == 1
    }
    // On the home thread this does nothing: the loop looks at `hasWork` before it waits.
    if isFirst { wakeUp.fire() }
  }

  func checkIsolated() {
    precondition(
      isAtHome, "this belongs to the thread of its Lull.run, and was used on another one")
  }

  func isIsolatingCurrentContext() -> Bool? { isAtHome }

  private var isAtHome: Bool { pthread_equal(pthread_self(), homeThread) != 0 }

  /// Runs the jobs that are there; those they enqueue wait for the next call. Home thread only.
  func runJobs() {
    let jobs = state.withLock { state in
      defer { state.jobs = [] }
      return state.jobs
    }
    for job in jobs {
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
  }

  // MARK: Part of every turn

  var hasWork: Bool { state.withLock { !$0.jobs.isEmpty } }

  func beforeWaiting() {}
  func afterWaiting() {}

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.jobs = []
    }
  }
}
