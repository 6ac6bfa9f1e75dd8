import LullCore
import LullSystem
import Synchronization

/// The files of limits that this process uses. Each stays open until the process ends: others see by it
/// that this one lives.
enum LimitStore {
  private static let known = Mutex<[String: FileJobs<LimitFile>]>([:])

  /// What this process asks of that file.
  static func shared(at path: String) -> FileJobs<LimitFile> {
    known.withLock { known in
      if let jobs = known[path] { return jobs }
      let jobs = FileJobs(LimitFile(path: path, warn: CacheStore.warn))
      known[path] = jobs
      return jobs
    }
  }
}
