import Glibc

/// Whole-message writes to standard output, after what the C library still holds back.
package enum StandardOutput {
  package static func write(_ text: String) { write(Array(text.utf8)) }

  package static func write(_ bytes: [UInt8]) {
    fflush(nil)
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
