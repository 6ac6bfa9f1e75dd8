import LullCore
import LullSystem
import Synchronization

/// What is asked of one cache file by this process, one thing after the other, in the order asked, on one
/// thread of a pool at a time.
final class CacheStore: Sendable {
  typealias Job = @Sendable (CacheFile) -> Void

  private struct Queue {
    var jobs: [Job] = []
    var isWorking = false
  }

  private struct Known {
    weak var store: CacheStore?
  }

  private let queue = Mutex(Queue())
  private let file: Mutex<CacheFile>

  private static let known = Mutex<[String: Known]>([:])

  init(path: String, warn: @escaping @Sendable (String) -> Void) {
    file = Mutex(CacheFile(path: path, warn: warn))
  }

  /// The one of this process for that file.
  static func shared(at path: String) -> CacheStore {
    known.withLock { known in
      if let store = known[path]?.store { return store }
      known = known.filter { $0.value.store != nil }
      let store = CacheStore(path: path, warn: CacheStore.warn)
      known[path] = Known(store: store)
      return store
    }
  }

  static func warn(_ sentence: String) {
    StandardError.write("lull: warning: \(sentence)\n")
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

  private func work() {
    file.withLock { file in
      // SQLite knows what to do about a file that cannot grow, but not about a signal.
      SignalGuard.withoutSIGXFSZ {
        while let jobs = takeJobs() {
          for job in jobs { job(file) }
          file.noteReads()
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
