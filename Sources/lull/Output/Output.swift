import Glibc

/// Standard output, for data.
enum Output {
  /// Writes all of it; false if nobody reads any more. Where it cannot be written, as on a full disk,
  /// the process ends with exit code 1.
  static func write(_ bytes: [UInt8]) -> Bool {
    // What scripts have printed came before.
    fflush(nil)
    return bytes.withUnsafeBytes { raw in
      var rest = raw[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          // Who has stopped reading wants no more; anything else loses data.
          if errno != EPIPE {
            Exit.complain("lull: cannot write the output: \(String(cString: strerror(errno)))\n")
            Exit.now(1)
          }
          return false
        }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  static func write(_ text: String) -> Bool { write(Array(text.utf8)) }
}
