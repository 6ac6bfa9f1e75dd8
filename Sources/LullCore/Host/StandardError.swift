import Glibc

/// Whole-message writes to standard error, past any buffering of the C library.
package enum StandardError {
  /// What takes it instead, for tests: in the task that sets it.
  @TaskLocal package static var sink: (@Sendable (String) -> Void)?

  package static func write(_ text: String) {
    write(Array(text.utf8))
  }

  package static func write(_ bytes: [UInt8]) {
    if let sink { return sink(String(escaping: bytes)) }
    var bytes = bytes[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
      // A closed or full standard error must not stop the program it reports on.
      guard written > 0 else { return }
      bytes = bytes.dropFirst(written)
    }
  }
}
