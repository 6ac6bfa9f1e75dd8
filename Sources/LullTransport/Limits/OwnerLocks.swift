import LullLibC
import LullCore
import LullSystem

/// The locks of one file by which processes take turns, and know of each other whether they are alive: the
/// kernel takes them back from whoever ends, however that happens.
///
/// One descriptor per process and file, since POSIX takes back all locks of a process that closes any. Any
/// thread; of this process one at a time.
final class OwnerLocks: Sendable {
  private let descriptor: Int32

  /// - Parameter path: of the file that stands for the locks; made where it is missing, with its folder.
  init(path: String) throws(CacheFolder.Failure) {
    descriptor = try CacheFolder.openLock(of: path)
  }

  deinit { close(descriptor) }

  /// Makes it this process's turn if it is nobody's.
  func tryTurn() -> Bool { lock(0, F_SETLK) }

  /// Waits until it is, for that long at most.
  func waitForTurn(seconds: Double) -> Bool {
    let end = BootTime.now + seconds
    var pause: UInt32 = 100
    while !tryTurn() {
      guard BootTime.now < end else { return false }
      usleep(pause)
      pause = min(pause * 2, 2000)
    }
    return true
  }

  /// The process whose turn it is now.
  var turnHolder: pid_t? {
    var lock = region(0, F_WRLCK)
    guard fcntl(descriptor, F_GETLK, &lock) == 0, Int32(lock.l_type) != F_UNLCK else { return nil }
    return lock.l_pid
  }

  func endTurn() {
    var lock = region(0, F_UNLCK)
    _ = fcntl(descriptor, F_SETLK, &lock)
  }

  /// Shows that this process lives, under a number of its own, until it ends.
  func hold(_ owner: Int64) -> Bool { lock(owner, F_SETLK) }

  /// Whether the process of that number lives; of this one it says no.
  func isHeldByOther(_ owner: Int64) -> Bool {
    var lock = region(owner, F_WRLCK)
    guard fcntl(descriptor, F_GETLK, &lock) == 0 else { return true }
    return Int32(lock.l_type) != F_UNLCK
  }

  private func lock(_ place: Int64, _ command: Int32) -> Bool {
    var lock = region(place, F_WRLCK)
    return fcntl(descriptor, command, &lock) == 0
  }

  private func region(_ place: Int64, _ type: Int32) -> flock {
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(place)
    lock.l_len = 1
    return lock
  }
}
