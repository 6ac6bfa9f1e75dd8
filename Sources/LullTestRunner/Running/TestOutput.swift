import LullLibC
import LullCore
import LullHost
import LullSystem

/// The file that standard output and error of a worker go to, which is emptied after each test.
///
/// Its program and the worker have it both: what was printed is there also when the worker has died.
struct TestOutput {
  let descriptor: Int32
  /// More of it is not shown.
  private static let most = 1 << 20

  /// A new one without a name; nil with `errno` if it cannot be made.
  init?(in folder: String) {
    var name = FileName.cString(Array("\(folder)/output-XXXXXX".utf8))
    let made = mkstemp(&name)
    guard made >= 0 else { return nil }
    unlink(name)
    _ = fcntl(made, F_SETFD, FD_CLOEXEC)
    _ = fcntl(made, F_SETFL, O_APPEND)
    descriptor = made
  }

  /// That of this very process.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// What is in it.
  var bytes: [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), TestOutput.most))
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return Array(bytes[..<max(0, count)])
  }

  /// The same as text, and emptied.
  func take() -> String {
    var status = stat()
    _ = fstat(descriptor, &status)
    var text = String(escaping: bytes)
    let rest = Int(status.st_size) - TestOutput.most
    if rest > 0 { text += "\n… and \(rest) bytes more\n" }
    empty()
    return text
  }

  func empty() { ftruncate(descriptor, 0) }
}
