import CLullBridge
import LullLibC
import LullCore
import LullSystem

/// Whole-message writes to standard output, after what the C library still holds back. On a terminal
/// control characters are made visible; elsewhere bytes are written as they are.
package enum StandardOutput {
  /// Writes out what the C library holds back; why not all that was printed could be written, nil if it
  /// could.
  package static func flush() -> String? {
    let code = lull_flush_out()
    guard code != 0 else { return nil }
    // A message of the C library, copied at once.
    return code > 0 ? ErrorText.of(code) : "a part of it is lost"
  }

  package static func write(_ text: String) { write(Array(text.utf8)) }

  package static func write(_ bytes: [UInt8]) {
    fflush(nil)
    let bytes = StandardTerminals.showsOutput ? TerminalText.visible(bytes) : bytes
    _ = DescriptorWriting.put(bytes, into: STDOUT_FILENO)
  }

  /// The same by the user's pager, where it is longer than the screen of the terminal.
  package static func page(_ text: String) {
    let bytes = Array(text.utf8)
    fflush(nil)
    let shown = TerminalText.visible(bytes)
    guard let pager = Pager(), Pager.isLong(shown), pager.show(shown) else { return write(bytes) }
  }
}
