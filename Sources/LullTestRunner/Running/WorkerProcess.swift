import LullLibC
import LullSystem

/// The main process's side of a worker process.
final class WorkerProcess {
  struct Failure: Error {
    let text: String
  }

  private let process: pid_t
  private let orders: Int32
  private var lines: TestLines
  private let output: TestOutput
  private var hasEnded = false
  /// The index of the order that the worker is carrying out. `nil` if the worker is free.
  private(set) var task: Int?

  /// The descriptor from which the worker's replies are read.
  var descriptor: Int32 { lines.descriptor }

  /// - Parameter words: The command line that starts the worker, without its settings.
  init(_ words: [String], _ settings: TestSettings) throws(Failure) {
    guard let output = TestOutput(in: settings.folder) else {
      throw Failure(text: ErrorText.of(errno))
    }
    self.output = output
    var (toIt, fromIt): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    guard pipe(&toIt) == 0, pipe(&fromIt) == 0 else { throw Failure(text: ErrorText.of(errno)) }
    // Setting the flag separately is safe, because no other thread starts a process meanwhile.
    for end in toIt + fromIt { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer {
      close(toIt[0])
      close(fromIt[1])
    }
    do throws(ChildProcess.Failure) {
      process = try ChildProcess.start(
        words + settings.words, input: .descriptor(toIt[0]), output: .descriptor(fromIt[1]),
        errors: .descriptor(output.descriptor))
    } catch {
      throw Failure(text: ErrorText.of(error.code))
    }
    orders = toIt[1]
    lines = TestLines(fromIt[0])
  }

  deinit {
    end()
    close(orders)
    close(lines.descriptor)
    close(output.descriptor)
  }

  func start(_ task: Int, _ order: TestOrder) {
    self.task = task
    // If the worker has died, reading its reply reports that.
    _ = SignalGuard.without(SIGPIPE) {
      DescriptorWriting.put(TestLines.bytes(of: order), into: orders)
    }
  }

  enum Progress {
    /// No complete reply has arrived yet.
    case nothing
    case reply(TestReply)
    /// The worker has ended unexpectedly. The values are the reason and its last output.
    case died(String, output: String)
  }

  /// Reads the bytes that are available, and returns the reply if it is complete.
  func progress() -> Progress {
    guard lines.read() else {
      let output = output.take()
      return .died(reap(), output: output)
    }
    switch lines.taken(TestReply.self) {
    case .nothing: return .nothing
    case .value(let reply):
      task = nil
      return .reply(reply)
    case .foreign:
      // After an invalid line, later replies can't be recognized reliably.
      end()
      return .died("sent an invalid report", output: output.take())
    }
  }

  private func reap() -> String {
    hasEnded = true
    let code = ChildProcess.wait(for: process)
    guard code > 128 else { return "ended with exit code \(code)" }
    // The C library returns a static text, so it need not be freed.
    let name = strsignal(code - 128).map { String(cString: $0) } ?? "signal \(code - 128)"
    return "was ended by a signal (\(name))"
  }

  /// Kills the worker and all processes that it has started.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    kill(-process, SIGKILL)
    ChildProcess.wait(for: process)
  }
}
