import LullCore
import LullSystem
import Synchronization

/// What is asked of one file by this process, one thing after the other, in the order asked, on one thread
/// at a time: of a pool, or whoever asks.
final class FileJobs<File>: Sendable {
  typealias Job = @Sendable (File) -> Void

  private struct Queue {
    var jobs: [Job] = []
    var isWorking = false
  }

  private let queue = Mutex(Queue())
  private let file: Mutex<File>
  /// After the jobs that were there.
  private let afterJobs: @Sendable (File) -> Void

  init(_ file: sending File, afterJobs: @escaping @Sendable (File) -> Void = { _ in }) {
    self.file = Mutex(file)
    self.afterJobs = afterJobs
  }

  /// Has the job done after those given before it; without a pool, at once.
  func submit(to pool: (any WorkPool)?, _ job: @escaping Job) {
    let begins = queue.withLock { queue in
      queue.jobs.append(job)
      defer { queue.isWorking = true }
      return !queue.isWorking
    }
    guard begins else { return }
    if let pool {
      pool.run { [self] in work() }
    } else {
      work()
    }
  }

  /// Does something at once if nothing is being done, and nothing waits; else nil, and nothing was done.
  ///
  /// - Parameter pool: does what others give meanwhile, which may take its time.
  func doNow<Result: Sendable>(
    or pool: (any WorkPool)?, _ job: @Sendable (File) -> Result?
  ) -> Result? {
    let begins = queue.withLock { queue in
      guard !queue.isWorking else { return false }
      queue.isWorking = true
      return true
    }
    guard begins else { return nil }
    defer {
      let isLeft = queue.withLock { queue in
        queue.isWorking = !queue.jobs.isEmpty
        return queue.isWorking
      }
      if isLeft {
        if let pool { pool.run { [self] in work() } } else { work() }
      }
    }
    return file.withLock { file in SignalGuard.withoutSIGXFSZ { job(file) } }
  }

  private func work() {
    file.withLock { file in
      // SQLite knows what to do about a file that cannot grow, but not about a signal.
      SignalGuard.withoutSIGXFSZ {
        while let jobs = takeJobs() {
          for job in jobs { job(file) }
          afterJobs(file)
        }
      }
    }
  }

  private func takeJobs() -> [Job]? {
    queue.withLock { queue in
      guard !queue.jobs.isEmpty else {
        queue.isWorking = false
        return nil
      }
      defer { queue.jobs = [] }
      return queue.jobs
    }
  }
}
