import LullLibC
import LullCore
import LullHost
import LullSystem

/// Leaving the process. The exit codes are EXIT-01 to EXIT-07.
enum Exit {
  /// Ends the process with what was printed written out. What libraries would tidy up at exit the
  /// kernel tidies faster.
  ///
  /// Output that could not be written, as on a full disk, is an error of its own.
  static func now(_ code: Int32) -> Never {
    // Of a script that has not finished its own.
    StatusLines.clear()
    let problem = StandardOutput.flush()
    fflush(nil)
    guard let problem else { _exit(code) }
    complain("lull: cannot write the output: \(problem)\n")
    _exit(code == 0 ? 1 : code)
  }

  /// What passes the size that a file may have is an error where it is written, and no end of the
  /// process. Not ignored but handled: programs that are started are not to inherit it.
  static func outliveFileSizeLimits() {
    var action = sigaction()
    guard sigaction(SIGXFSZ, nil, &action) == 0 else { return }
    // Whoever has started us wants it so.
    guard action.__sigaction_handler.sa_handler == nil else { return }
    action.__sigaction_handler.sa_handler = { _ in }
    action.sa_flags = SA_RESTART
    sigaction(SIGXFSZ, &action, nil)
  }

  /// Gives closed standard streams a place to go: a socket must not get their descriptors.
  ///
  /// - Returns: whether standard output was closed.
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

  /// Makes an error of what is written to standard output, which is closed: it would be lost.
  static func refuseOutput() {
    let nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard nowhere >= 0 else { return }
    dup2(nowhere, STDOUT_FILENO)
    close(nowhere)
  }

  /// Runs `body` with standard error going nowhere, also if the process ends meanwhile.
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

  /// Writes a message to standard error. Names from files, URLs and servers in it must not move the cursor of
  /// whoever reads it later, so control characters are made visible in files and pipes too.
  static func complain(_ text: String) {
    StandardError.write(ControlCharacters.shown(in: text))
  }
}
