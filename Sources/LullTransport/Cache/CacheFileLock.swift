import LullLibC

/// Held by one process at a time while it opens a cache file or sets one aside: between the two steps of
/// either, the name must mean the same file. It ends with the process that holds it.
final class CacheFileLock {
  private let descriptor: Int32

  /// Waits for others for up to two seconds, or not at all; nil if they do not let go of it.
  init?(of path: String, isPatient: Bool) throws(CacheFolder.Failure) {
    descriptor = try CacheFolder.openLock(of: path)
    guard CacheFileLock.take(descriptor, isPatient: isPatient) else { return nil }
  }

  /// Takes the lock of an open file or folder; false if others hold it for two seconds, or for now.
  static func take(_ descriptor: Int32, isPatient: Bool) -> Bool {
    for _ in 0..<400 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      guard isPatient, errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(5_000)
    }
    return false
  }

  /// Lets the next one have it.
  func release() { flock(descriptor, LOCK_UN) }

  deinit { close(descriptor) }
}
