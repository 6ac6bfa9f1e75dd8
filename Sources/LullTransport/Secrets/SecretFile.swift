import LullLibC
import LullSystem

/// Reads a file that contains a secret. The calls block, so make them in the thread pool.
package enum SecretFile {
  /// The largest file that is accepted, in bytes.
  package static let limit = 64 * 1024

  static func read(_ path: String) -> Result<[UInt8], SecretProblem> {
    let path = HomeFolder.expanded(path)
    // Non-blocking, so that opening a pipe does not wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      // A message from the C library, copied immediately.
      let reason = ErrorText.of(errno)
      return .failure(SecretProblem("the file \(path) cannot be read (\(reason))"))
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return .failure(SecretProblem("\(path) is not a regular file"))
    }
    guard let text = content(of: descriptor) else {
      return .failure(
        SecretProblem("the file \(path) cannot be read completely, or is larger than 64 KB"))
    }
    let line = withoutLineEnd(text)
    return line.isEmpty ? .failure(SecretProblem("the file \(path) is empty")) : .success(line)
  }

  /// Returns the whole content, or nil if the content cannot be read or is larger than the limit.
  package static func content(of descriptor: Int32, limit: Int = limit) -> [UInt8]? {
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = LullLibC.read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { return text }
      text += piece[..<count]
      guard text.count <= limit else { return nil }
    }
  }

  /// Returns the text without the line break at its end, which editors and commands add. Removes
  /// only one line break.
  static func withoutLineEnd(_ text: [UInt8]) -> [UInt8] {
    var text = text
    if text.last == 10 {
      text.removeLast()
      if text.last == 13 { text.removeLast() }
    }
    return text
  }
}
