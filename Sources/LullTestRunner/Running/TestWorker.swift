import LullLibC
import LullCore
import LullHost
import LullSystem

/// The process that runs tests, one after the other, as it is told line by line.
///
/// Orders come through what stands at its standard input, replies go to what stands at its standard output, and
/// standard error is the file for what tests print, to which both are turned before the first of them.
package struct TestWorker {
  private let settings: TestSettings

  package init?(words: [String]) {
    guard let settings = TestSettings(words: words) else { return nil }
    self.settings = settings
  }

  /// Until there are no more orders; the exit code.
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
      // The next test is to have standard streams.
      reply.isLast = fcntl(STDOUT_FILENO, F_GETFD) < 0 || fcntl(STDERR_FILENO, F_GETFD) < 0
      guard DescriptorWriting.put(TestLines.bytes(of: reply), into: replies) == nil else {
        return 1
      }
      if reply.isLast { return 0 }
    }
    return 0
  }

  /// The names of the folders that a program may have for itself.
  private static let folders = ["CONFIG", "CACHE", "STATE", "DATA"]

  /// Undoes what a test may have done to the process, and names folders that are the next one's own, of which
  /// none is there before something is kept in it.
  private func makeRoom() {
    for name in TestWorker.folders {
      let folder = "\(settings.folder)/\(UInt64.random(in: 0...(.max)))-\(name.lowercased())"
      setenv("XDG_\(name)_HOME", folder, 1)
    }
    // What machines share, they do not share with a test.
    unsetenv("LULL_SHARE")
    setlocale(LC_ALL, "C")
  }
}
