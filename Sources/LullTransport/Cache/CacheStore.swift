import LullCore
import LullSystem
import Synchronization

/// The cache files that this process uses.
enum CacheStore {
  private struct Known {
    weak var jobs: FileJobs<CacheFile>?
  }

  private static let known = Mutex<[String: Known]>([:])

  /// What this process asks of that file.
  static func shared(at path: String) -> FileJobs<CacheFile> {
    known.withLock { known in
      if let jobs = known[path]?.jobs { return jobs }
      known = known.filter { $0.value.jobs != nil }
      let jobs = jobs(at: path, warn: warn)
      known[path] = Known(jobs: jobs)
      return jobs
    }
  }

  /// The same for nobody else.
  static func jobs(
    at path: String, warn: @escaping @Sendable (String) -> Void
  ) -> FileJobs<CacheFile> {
    FileJobs(CacheFile(path: path, warn: warn)) { $0.noteReads() }
  }

  static func warn(_ sentence: String) {
    StandardError.write("lull: warning: \(sentence)\n")
  }
}
