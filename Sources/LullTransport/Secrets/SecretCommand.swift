import CUV
import LullLibC
import LullSystem
import Synchronization

/// A command that prints a secret. The command runs once, in the thread pool, with empty standard
/// input and a time limit.
///
/// The command inherits the standard error of this process. `cancel` may be called on any thread.
final class SecretCommand: Sendable {
  private let words: [String]
  private let timeLimit: Double
  private let state = Mutex(State())

  private struct State {
    /// The process while it runs. It leads its own process group.
    var process: pid_t = 0
    var isCancelled = false
  }

  /// - Parameter timeLimit: The time limit in seconds. The default leaves time to type a
  ///   passphrase.
  init(_ words: [String], timeLimit: Double = 60) {
    self.words = words
    self.timeLimit = timeLimit
  }

  /// Runs the command and returns its output. Blocks until the command has ended.
  func run() -> Result<[UInt8], SecretProblem> {
    guard !words.isEmpty else { return .failure(SecretProblem("the command is empty")) }
    var output: [Int32] = [-1, -1]
    guard pipe(&output) == 0 else {
      return .failure(SecretProblem("no pipe for the command '\(shown)' (\(reason(errno)))"))
    }
    for descriptor in output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    defer { close(output[0]) }
    let status = state.withLock { state -> Int32 in
      guard !state.isCancelled else { return ECANCELED }
      do throws(ChildProcess.Failure) {
        state.process = try ChildProcess.start(
          words, input: .nowhere, output: .descriptor(output[1]))
        return 0
      } catch {
        return error.code
      }
    }
    close(output[1])
    guard status == 0 else {
      return .failure(SecretProblem("the command '\(shown)' cannot be run (\(reason(status)))"))
    }
    let read = read(output[0])
    if case .failure = read { end(SIGKILL) }
    let code = wait()
    let text: [UInt8]
    switch read {
    case .failure(let problem): return .failure(problem)
    case .success(let output): text = output
    }
    guard code == 0 else {
      return .failure(
        SecretProblem("the command '\(shown)' failed with code \(code); run it by hand to see why"))
    }
    let line = SecretFile.withoutLineEnd(text)
    return line.isEmpty
      ? .failure(SecretProblem("the command '\(shown)' printed nothing")) : .success(line)
  }

  /// Terminates the command if it is running, and prevents it from starting later.
  func cancel() {
    state.withLock { $0.isCancelled = true }
    end(SIGTERM)
  }

  private func end(_ signal: Int32) {
    // The lock is held, so that the number cannot belong to another process meanwhile.
    state.withLock { state in
      if state.process > 0 { kill(-state.process, signal) }
    }
  }

  /// The command for messages: its words, or the line given to the shell, as the user wrote it.
  private var shown: String {
    let text = words.count == 3 && words[1] == "-c" ? words[2] : words.joined(separator: " ")
    return text.count > 60 ? text.prefix(60) + "…" : text
  }

  /// Reads the command's output to its end.
  private func read(_ descriptor: Int32) -> Result<[UInt8], SecretProblem> {
    let late = SecretProblem(
      "the command '\(shown)' did not finish its output within \(Int(timeLimit)) s")
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    let deadline = now + timeLimit
    while true {
      let left = deadline - now
      guard left > 0 else { return .failure(late) }
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = LullLibC.poll(&poll, 1, Int32(left * 1000) + 1)
      if ready < 0, errno != EINTR { return .failure(unreadable(errno)) }
      guard ready > 0 else { continue }
      let count = LullLibC.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return .failure(unreadable(errno)) }
      guard count > 0 else { return .success(text) }
      text += piece[..<count]
      guard text.count <= SecretFile.limit else {
        return .failure(SecretProblem("the command '\(shown)' printed more than 64 KB"))
      }
    }
  }

  private func unreadable(_ code: Int32) -> SecretProblem {
    SecretProblem("the output of the command '\(shown)' cannot be read (\(reason(code)))")
  }

  /// Waits until the command exits and returns its exit code. If a signal ended it, the code is 128
  /// plus the signal's number.
  private func wait() -> Int32 {
    let process = state.withLock { $0.process }
    var status: Int32 = 0
    // This call does not reap the process, so its number is not reused: `cancel` cannot signal
    // another process.
    var info = siginfo_t()
    while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    state.withLock { state in
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      state.process = 0
    }
    return ChildProcess.code(of: status)
  }

  private var now: Double { Double(uv_hrtime()) / 1e9 }

  private func reason(_ code: Int32) -> String {
    // A message from the C library, copied immediately.
    ErrorText.of(code)
  }
}
