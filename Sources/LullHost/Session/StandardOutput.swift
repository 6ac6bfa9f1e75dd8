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

  /// Writes what a sandboxed script prints to where its `print` writes. On a terminal control characters are made
  /// visible; elsewhere bytes are written as they are.
  ///
  /// - Parameter end: the character behind the text. A CR before a line break stays.
  package static func print(_ text: UnsafeRawBufferPointer, end: UInt8) {
    func put(_ bytes: UnsafeRawBufferPointer) {
      // There during the call.
      lull_write_out(bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
    }
    guard StandardTerminals.showsOutput else {
      put(text)
      return [end].withUnsafeBytes(put)
    }
    var filter = TerminalText()
    // Part by part: what becomes visible may be several times as long.
    for start in stride(from: 0, to: text.count, by: 1 << 16) {
      filter.visible(text[start..<min(start + 1 << 16, text.count)]).withUnsafeBytes(put)
    }
    (filter.visible([end]) + filter.end()).withUnsafeBytes(put)
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
