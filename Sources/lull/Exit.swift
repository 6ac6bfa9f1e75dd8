import LullLibC
import LullCore
import LullHost
import LullSystem

/// Exits the process. The exit codes are EXIT-01 to EXIT-07.
enum Exit {
  /// Writes out all pending output and ends the process. Skips the exit handlers of libraries,
  /// because the kernel frees everything faster.
  ///
  /// If the output can't be written, as on a full disk, that is reported as an error.
  static func now(_ code: Int32) -> Never {
    // Those of a script that has not completed its own.
    StatusLines.clear()
    let problem = StandardOutput.flush()
    fflush(nil)
    guard let problem else { _exit(code) }
    complain("lull: cannot write the output: \(problem)\n")
    _exit(code == 0 ? 1 : code)
  }

  /// Turns exceeding the file size limit into a write error instead of the end of the process. The
  /// signal is handled, not ignored, so that child processes do not inherit this.
  static func outliveFileSizeLimits() {
    var action = sigaction()
    guard sigaction(SIGXFSZ, nil, &action) == 0 else { return }
    // The parent process has already set a handler or ignores the signal.
    guard action.__sigaction_handler.sa_handler == nil else { return }
    action.__sigaction_handler.sa_handler = { _ in }
    action.sa_flags = SA_RESTART
    sigaction(SIGXFSZ, &action, nil)
  }

  /// Opens closed standard streams on `/dev/null`, so that a socket can't get their descriptors.
  ///
  /// - Returns: Whether standard output was closed.
  static func openStandardStreams() -> Bool {
    var isOutputClosed = false
    while true {
      let descriptor = open("/dev/null", O_RDWR)
      guard descriptor >= 0, descriptor <= 2 else {
        if descriptor > 2 { close(descriptor) }
        return isOutputClosed
      }
      if descriptor == STDOUT_FILENO { isOutputClosed = true }
    }
  }

  /// Makes writing to a closed standard output fail, because the output would be lost.
  static func refuseOutput() {
    let nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard nowhere >= 0 else { return }
    dup2(nowhere, STDOUT_FILENO)
    close(nowhere)
  }

  /// Runs `body` with standard error discarded, even if the process ends in it.
  static func quietly(_ body: () -> Void) {
    let kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard kept >= 0, nowhere >= 0 else { return }
    dup2(nowhere, STDERR_FILENO)
    body()
    dup2(kept, STDERR_FILENO)
    close(nowhere)
    close(kept)
  }

  /// Writes a message to standard error. Escapes control characters, in files and pipes too,
  /// because names from files, URLs and servers must not move the cursor when the message is viewed
  /// later.
  static func complain(_ text: String) {
    StandardError.write(ControlCharacters.shown(in: text))
  }
}
