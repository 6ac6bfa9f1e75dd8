import LullLibC
import LullCore
import LullHost
import LullSystem

/// The file that receives the standard output and standard error of a worker. It is emptied after
/// each test.
///
/// Both the worker and the main process have the file open. If the worker crashes, its output is
/// not lost.
struct TestOutput {
  let descriptor: Int32
  /// The maximum number of bytes that are shown.
  private static let most = 1 << 20

  /// Creates a file without a name. Returns `nil` and sets `errno` if that fails.
  init?(in folder: String) {
    var name = FileName.cString(Array("\(folder)/output-XXXXXX".utf8))
    let made = mkstemp(&name)
    guard made >= 0 else { return nil }
    unlink(name)
    _ = fcntl(made, F_SETFD, FD_CLOEXEC)
    _ = fcntl(made, F_SETFL, O_APPEND)
    descriptor = made
  }

  /// Uses a descriptor that is already open in this process.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// The current content of the file.
  var bytes: [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), TestOutput.most))
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return Array(bytes[..<max(0, count)])
  }

  /// Returns the content of the file as text, and empties the file.
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
