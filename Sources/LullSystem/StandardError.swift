import LullLibC

/// Whole-message writes to standard error, past any buffering of the C library. On a terminal control
/// characters are made visible.
package enum StandardError {
  /// What takes it instead, for tests: in the task that sets it.
  @TaskLocal package static var sink: (@Sendable (String) -> Void)?

  package static func write(_ text: String) {
    write(Array(text.utf8))
  }

  package static func write(_ bytes: [UInt8]) {
    if let sink { return sink(String(decoding: bytes, as: UTF8.self)) }
    StatusLines.clear()
    let bytes = StandardTerminals.showsErrors ? TerminalText.visible(bytes) : bytes
    // A closed or full standard error must not stop the program it reports on.
    _ = DescriptorWriting.put(bytes, into: STDERR_FILENO)
  }
}
