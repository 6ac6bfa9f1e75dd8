import CEditline
import LullLibC
import LullCore
import LullSystem

/// Captures everything that is written to standard output and standard error while a line is being
/// edited. The captured output can then be shown above the edited line.
///
/// During the capture, both descriptors refer to a file in memory. The file receives the output of
/// all writers in order. A pipe would block its writers when nothing reads from it; a file does
/// not. A stream that is not a terminal is not captured.
final class CapturedOutput {
  private let file: Int32
  private var originals: [(number: Int32, copy: Int32)] = []

  init?() {
    file = ceditline_memory_file()
    guard file >= 0 else { return nil }
    // With `O_APPEND`, a write goes to the end of the file even after the file was emptied.
    _ = fcntl(file, F_SETFL, O_APPEND)
    ceditline_buffer_lines()
  }

  deinit {
    end()
    close(file)
  }

  func begin() {
    fflush(nil)
    for number in [STDOUT_FILENO, STDERR_FILENO] where isatty(number) != 0 {
      let copy = fcntl(number, F_DUPFD_CLOEXEC, 10)
      guard copy >= 0 else { continue }
      originals.append((number, copy))
      StandardTerminals.capture(number, on: copy)
      dup2(file, number)
    }
  }

  /// Restores the streams. After that, `take()` can still return the last output.
  func end() {
    fflush(nil)
    for number in [STDOUT_FILENO, STDERR_FILENO] { StandardTerminals.capture(number, on: nil) }
    for (number, copy) in originals {
      dup2(copy, number)
      close(copy)
    }
    originals = []
  }

  /// Whether there is output that `take()` has not returned yet.
  var hasOutput: Bool {
    fflush(nil)
    return size > 0
  }

  private var size: Int {
    var status = stat()
    return fstat(file, &status) == 0 ? Int(status.st_size) : 0
  }

  func take() -> [UInt8] {
    fflush(nil)
    let size = size
    guard size > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: size)
    let count = pread(file, &bytes, size, 0)
    ftruncate(file, 0)
    return Array(bytes.prefix(max(0, count)))
  }
}
