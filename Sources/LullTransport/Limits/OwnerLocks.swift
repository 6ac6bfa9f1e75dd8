import LullLibC
import LullCore
import LullSystem

/// The locks of one file. With them, processes take turns to use the file, and know whether other
/// processes are alive. The kernel releases the locks of any process that ends.
///
/// A process has only one descriptor for each file, because POSIX releases all locks of a process
/// that closes any of its descriptors. May be used on any thread, but on one thread at a time.
final class OwnerLocks: Sendable {
  private let descriptor: Int32
  /// Identifies this process to other processes, independently of the file.
  let owner = Int64.random(in: 1..<1 << 62)
  /// The identity of the lock file.
  let identity: CacheFolder.Identity?

  /// - Parameter path: The file whose lock file is used. The lock file and its folder are created
  ///   if they do not exist.
  init(path: String) throws(CacheFolder.Failure) {
    descriptor = try CacheFolder.openLock(of: path)
    identity = CacheFolder.identity(of: OwnerLocks.name(of: path))
    guard lock(owner, F_SETLK) else {
      throw CacheFolder.Failure(message: "'\(OwnerLocks.name(of: path))' cannot be locked")
    }
  }

  deinit { close(descriptor) }

  static func name(of path: String) -> String { path + "-lock" }

  /// Takes the turn to use the file if no process has it. Returns whether this process has the turn
  /// now.
  func tryTurn() -> Bool { lock(0, F_SETLK) }

  /// Waits at most that many seconds for the turn to use the file. Returns whether this process has
  /// the turn.
  func waitForTurn(seconds: Double) -> Bool {
    let end = SystemClock.uptime + seconds
    var pause: UInt32 = 100
    while !tryTurn() {
      guard SystemClock.uptime < end else { return false }
      usleep(pause)
      pause = min(pause * 2, 2000)
    }
    return true
  }

  /// The process that has the turn to use the file; nil for none.
  var turnHolder: pid_t? {
    var lock = region(0, F_WRLCK)
    guard fcntl(descriptor, F_GETLK, &lock) == 0, Int32(lock.l_type) != F_UNLCK else { return nil }
    return lock.l_pid
  }

  func endTurn() {
    var lock = region(0, F_UNLCK)
    _ = fcntl(descriptor, F_SETLK, &lock)
  }

  /// Whether another process with that owner ID is alive; false for this process.
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
