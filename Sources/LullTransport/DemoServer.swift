import LullLibC
package import LullCore
import LullSystem

/// The sample API as a child process: it ends when this object does, or when this process dies,
/// because its standard input closes.
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
    // Nobody else's child may keep the lifeline open.
    for descriptor in input + output { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    defer {
      close(input[0])
      close(output[1])
    }
    do throws(ChildProcess.Failure) {
      // In a group of its own Ctrl-C is the script's business, and the child ends with it.
      process = try ChildProcess.start(
        [path.contains("/") ? path : "./" + path, "--port", "0", "--quiet"],
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

  /// Closes its standard input, which ends it, and waits for that.
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

  /// Where the program may be: named by LULL_DEMO, beside the running program, where `lull.so` was
  /// installed from, on the PATH.
  package static func find() -> String? {
    var candidates: [String] = []
    if let named = environment("LULL_DEMO") { candidates.append(named) }
    if let program = programPath() {
      candidates.append(FileName.folder(of: program) + "/lull-demo")
    }
    if let image = imagePath() {
      let folder = FileName.folder(of: image)
      candidates += [folder + "/lull-demo", folder + "/../../../bin/lull-demo"]
    }
    for folder in (environment("PATH") ?? "").split(separator: ":") {
      candidates.append(folder + "/lull-demo")
    }
    return candidates.first { access($0, X_OK) == 0 }
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func programPath() -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    guard length > 0 else { return nil }
    return String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The file this very code was loaded from: the program, or lull.so.
  private static func imagePath() -> String? {
    guard let maps = fopen("/proc/self/maps", "r") else { return nil }
    defer { fclose(maps) }
    let address = UInt(bitPattern: #dsohandle)
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(line) }
    // "start-end permissions offset device inode path"
    while getline(&line, &capacity, maps) > 0, let line {
      let fields = String(cString: line).split(
        maxSplits: 5, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
      let range = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
      guard fields.count == 6, range.count == 2, range[0] <= address, address < range[1] else {
        continue
      }
      return String(fields[5].drop { $0 == " " }.prefix { $0 != "\n" })
    }
    return nil
  }
}
