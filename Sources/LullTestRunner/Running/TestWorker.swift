import LullLibC
import LullCore
import LullHost
import LullSystem

/// The process that runs tests, one after another.
///
/// It reads orders from standard input and writes replies to standard output, one on each line. The
/// file for the output of tests is its standard error. Before the first test, standard output is
/// redirected to that file too.
package struct TestWorker {
  private let settings: TestSettings

  package init?(words: [String]) {
    guard let settings = TestSettings(words: words) else { return nil }
    self.settings = settings
  }

  /// Carries out orders until there are no more. Returns the exit code.
  package func run() -> Int32 {
    let orders = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    let replies = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    let nowhere = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard orders >= 0, replies >= 0, nowhere >= 0 else { return 1 }
    dup2(nowhere, STDIN_FILENO)
    dup2(STDERR_FILENO, STDOUT_FILENO)
    let output = TestOutput(descriptor: STDERR_FILENO)
    let run = TestRun(settings: settings) {
      _ = StandardOutput.flush()
      fflush(nil)
      return output.bytes
    }
    var lines = TestLines(orders)
    while let order = lines.next(TestOrder.self) {
      makeRoom()
      var reply = run.carryOut(order)
      _ = StandardOutput.flush()
      fflush(nil)
      reply.output = run.hidden(output.take())
      // If the test has closed a standard stream, this process can't run another test.
      reply.isLast = fcntl(STDOUT_FILENO, F_GETFD) < 0 || fcntl(STDERR_FILENO, F_GETFD) < 0
      guard DescriptorWriting.put(TestLines.bytes(of: reply), into: replies) == nil else {
        return 1
      }
      if reply.isLast { return 0 }
    }
    return 0
  }

  /// The kinds of XDG folders. Each test has its own.
  private static let folders = ["CONFIG", "CACHE", "STATE", "DATA"]

  /// Resets state of the process that a test may have changed, and sets new names of XDG folders
  /// for the next test. The folders are created only when they are needed.
  private func makeRoom() {
    for name in TestWorker.folders {
      let folder = "\(settings.folder)/\(UInt64.random(in: 0...(.max)))-\(name.lowercased())"
      setenv("XDG_\(name)_HOME", folder, 1)
    }
    // Tests must not use a server that machines share.
    unsetenv("LULL_SHARE")
    setlocale(LC_ALL, "C")
  }
}
