import LullLibC
import LullArguments
import LullCore
import LullHost
import LullSystem
import Synchronization

/// Exits the process. The exit codes are EXIT-01 to EXIT-07.
enum Exit {
  static let codes: [ExitCode] =
    [
      .init(0, "success"),
      .init(1, "an error in a script, a failed test or check, a file not written"),
      .init(2, "wrong usage; a write that was not confirmed"),
      .init(3, "a script or API file that cannot be read or compiled"),
    ] + requestCodes + [
      .init(7, "no change (lull changed), a difference (lull diff), drift"),
      .init(130, "ended by Ctrl-C"),
      .init(143, "ended by SIGTERM"),
    ]

  /// The exit codes for error responses, and for requests without a response.
  static let requestCodes: [ExitCode] = [
    .init(4, "an HTTP status 4xx, or errors in a GraphQL response"),
    .init(5, "an HTTP status 5xx"),
    .init(6, "no response: a network error, or no cache entry with --offline"),
  ]

  private static let name = Mutex("")

  /// The name of the running command. Empty until the command is known.
  static var command: String {
    get { name.withLock { $0 } }
    set { name.withLock { $0 = newValue } }
  }

  /// Writes out all pending output and ends the process. Skips the exit handlers of libraries,
  /// because the kernel frees everything faster.
  ///
  /// If the output can't be written, as on a full disk, the failure is reported as an error.
  static func now(_ code: Int32) -> Never {
    // A script may have left status lines that it has not completed.
    StatusLines.clear()
    let problem = StandardOutput.flush()
    fflush(nil)
    guard let problem else { leave(code) }
    fail("lull: cannot write the output: \(problem)\n", FailureFacts("file"))
    leave(code == 0 ? 1 : code)
  }

  private static func leave(_ code: Int32) -> Never {
    // Exit code 7 is a result, not a failure: no change, or a difference.
    ErrorLines.end(code, isFailure: code != 0 && code != 7, usual: usualFailure(code))
    _exit(code)
  }

  /// The failure to report if no message was written. This happens if a script called `os.exit`, or
  /// if the command wrote its findings to the output.
  private static func usualFailure(_ code: Int32) -> (kind: String, text: String) {
    switch command {
    case Command.run.name, Command.repl.name: ("script_exit", "the script exited with \(code)")
    case Command.test.name where code == 1: ("test_failure", "a test failed")
    case Command.check.name where code == 1: ("check_failure", "the check found errors")
    case Command.doctor.name where code == 1: ("doctor_problem", "lull doctor found a problem")
    case Command.trust.name where code == 1: ("trust", "not all files are trusted")
    case let name: ("failed", "lull \(name) failed")
    }
  }

  /// Makes a write that exceeds the file size limit fail, instead of ending the process. The signal
  /// is handled, not ignored, so that child processes do not inherit the setting.
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

  /// Runs `body` with standard error discarded, even if `body` ends the process.
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

  /// Writes a message to standard error. Control characters are escaped even in files and pipes,
  /// because names from files, URLs and servers must not move the cursor when the message is viewed
  /// later.
  ///
  /// If the command fails, its last message counts as the reason.
  static func complain(_ text: String) {
    ErrorLines.hold(ControlCharacters.shown(in: text))
  }

  /// Writes a notice to standard error, with control characters escaped. A notice never counts as
  /// the reason of a failure.
  static func notify(_ text: String) {
    ErrorLines.note(ControlCharacters.shown(in: text))
  }

  /// Writes the reason of a failure to standard error, with control characters escaped. The facts
  /// are the details of the failure for programs.
  static func fail(_ text: String, _ facts: @autoclosure () -> FailureFacts) {
    ErrorLines.fail(ControlCharacters.shown(in: text), facts())
  }

  /// Reports wrong usage on standard error, with the usage line of a help page.
  ///
  /// - Parameters:
  ///   - page: The help page. Its first line shows the usage.
  ///   - name: The command whose help the message recommends.
  static func refuse(_ problem: String, _ page: String, _ name: String) {
    let near = problem.firstRange(of: "(did you mean ").map { problem[$0.upperBound...] }
    let fix = near.map { "did you mean \($0.prefix { $0 != ")" })" } ?? "\(name) --help"
    guard !ErrorLines.areOn else {
      return fail("lull: \(problem)\n", FailureFacts("usage", fix: fix))
    }
    complain("lull: \(problem)\n\(page.prefix { $0 != "\n" })\nTry '\(name) --help'.\n")
  }
}
