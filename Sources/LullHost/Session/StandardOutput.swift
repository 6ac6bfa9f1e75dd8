import CLullBridge
import LullLibC
import LullCore
import LullSystem

/// Writes whole messages to standard output, after the output that the C library has buffered. If
/// standard output is a terminal, control characters are escaped. Otherwise, bytes are written
/// unchanged.
package enum StandardOutput {
  /// Flushes the buffer of the C library. Returns an error message if not all output could be
  /// written, otherwise nil.
  package static func flush() -> String? {
    let code = lull_flush_out()
    guard code != 0 else { return nil }
    // The message comes from the C library and is copied immediately.
    return code > 0 ? ErrorText.of(code) : "part of it was lost"
  }

  /// Writes the output of a sandboxed script to the stream that `print` uses. If the stream is a
  /// terminal, control characters are escaped. Otherwise, bytes are written unchanged.
  ///
  /// - Parameter end: the character after the text. A CR before a line break is kept.
  package static func print(_ text: UnsafeRawBufferPointer, end: UInt8) {
    func put(_ bytes: UnsafeRawBufferPointer) {
      // The bytes are valid during the call.
      lull_write_out(bytes.bindMemory(to: CChar.self).baseAddress, bytes.count)
    }
    guard StandardTerminals.showsOutput else {
      put(text)
      return [end].withUnsafeBytes(put)
    }
    var filter = TerminalText()
    // The text is written in parts, because the escaped text may be several times as long.
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

  /// Shows a text in the user's pager if it is longer than the screen of the terminal.
  package static func page(_ text: String) {
    let bytes = Array(text.utf8)
    fflush(nil)
    let shown = TerminalText.visible(bytes)
    guard let pager = Pager(), Pager.isLong(shown), pager.show(shown) else { return write(bytes) }
  }
}
