import LullLibC
import LullTestSupport

/// A shell command that does not outlive this process.
final class ChildProcess: Sendable {
  private let pid: pid_t
  /// Its standard input: closed with this process, whatever happens to it.
  private let lifeline: Int32

  /// Runs `command` by `sh`; nil if that is impossible.
  init?(_ command: String) {
    // Another process that held the far end would keep the command alive.
    guard let (pid, lifeline) = DescriptorLock.hold({ ChildProcess.start(command) }) else {
      return nil
    }
    self.pid = pid
    self.lifeline = lifeline
  }

  private static func start(_ command: String) -> (pid: pid_t, lifeline: Int32)? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // Threads of a test run have signals blocked, and a child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var arguments: [UnsafeMutablePointer<CChar>?] = [
      strdup("sh"), strdup("-c"), strdup(command), nil,
    ]
    defer { for argument in arguments { free(argument) } }
    var pid: pid_t = 0
    let status = posix_spawn(&pid, "/bin/sh", &actions, &attributes, &arguments, environ)
    close(ends[0])
    guard status == 0 else {
      close(ends[1])
      return nil
    }
    return (pid, ends[1])
  }

  /// Waits for its end; the exit code. One that does not end within two minutes is killed: -1.
  @discardableResult
  func wait() -> Int32 {
    var status: Int32 = 0
    for _ in 0..<120_000 {
      guard waitpid(pid, &status, WNOHANG) == 0 else { return (status >> 8) & 0xff }
      usleep(1000)
    }
    kill(pid, SIGKILL)
    waitpid(pid, &status, 0)
    return -1
  }

  /// Ends its standard input.
  func hangUp() {
    close(lifeline)
  }
}
