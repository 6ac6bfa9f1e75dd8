import Glibc

/// Standard output, for data.
enum Output {
  /// Writes all of it; false if nobody reads any more.
  static func write(_ bytes: [UInt8]) -> Bool {
    // What scripts have printed came before.
    fflush(nil)
    return bytes.withUnsafeBytes { raw in
      var rest = raw[...]
      while !rest.isEmpty {
        let count = Glibc.write(
          STDOUT_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  static func write(_ text: String) -> Bool { write(Array(text.utf8)) }
}
