import LullLibC
package import LullCore
import LullSystem

/// The sample API as a child process, `lull-mock --sample`. The child process ends when this object
/// is released or this process dies, because its standard input is closed then.
package final class DemoServer {
  package let url: String
  private let process: pid_t
  private let lifeline: Int32

  /// Starts the program and waits until it listens.
  package init(path: String) throws(TransportError) {
    var input: [Int32] = [-1, -1]
    var output: [Int32] = [-1, -1]
    guard pipe(&input) == 0 else { throw DemoServer.failure("make a pipe", errno) }
    guard pipe(&output) == 0 else {
      let code = errno
      input.forEach { close($0) }
      throw DemoServer.failure("make a pipe", code)
    }
    // No other child process may keep the lifeline open.
    for descriptor in input + output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    defer {
      close(input[0])
      close(output[1])
    }
    do throws(ChildProcess.Failure) {
      // The child has its own process group, so that Ctrl-C reaches only the script. The child ends
      // with the script.
      process = try ChildProcess.start(
        [path.contains("/") ? path : "./" + path] + DemoServer.words(port: "0") + ["--quiet"],
        input: .descriptor(input[0]), output: .descriptor(output[1]))
    } catch {
      close(input[1])
      close(output[0])
      throw DemoServer.failure("start \(path)", error.code)
    }
    lifeline = input[1]
    let line = DemoServer.firstLine(output[0])
    close(output[0])
    // "lull-demo listening on http://127.0.0.1:PORT"
    guard let line, let address = line.split(separator: " ").last, address.hasPrefix("http://")
    else {
      close(lifeline)
      waitpid(process, nil, 0)
      throw TransportError(.connection, "the sample API did not start (\(path))")
    }
    url = String(address)
  }

  deinit {
    end()
  }

  private var hasEnded = false

  /// Closes the standard input of the sample API, so that it ends, and waits for its exit.
  package func end() {
    guard !hasEnded else { return }
    hasEnded = true
    close(lifeline)
    waitpid(process, nil, 0)
  }

  private static func failure(_ what: String, _ code: Int32) -> TransportError {
    TransportError(.connection, "cannot \(what): \(ErrorText.of(code))")
  }

  private static func firstLine(_ descriptor: Int32) -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(descriptor, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return nil }
      if byte == 10 { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
  }

  /// Returns the path of the program that serves the sample API, or nil if it was not found.
  package static func find() -> String? { SiblingProgram.find("lull-mock", variable: "LULL_MOCK") }

  /// The arguments to start the program with.
  package static func words(port: String) -> [String] { ["--sample", "--port", port] }
}
