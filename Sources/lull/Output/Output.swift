import LullLibC
import LullCore
import LullHost
import LullSystem

/// Standard output, for data: as it is, but on a terminal with control characters made visible.
enum Output {
  /// Writes all of it; false if nobody reads any more. Where it cannot be written, as on a full disk,
  /// the process ends with exit code 1.
  static func write(_ bytes: [UInt8]) -> Bool {
    // What scripts have printed came before.
    fflush(nil)
    StatusLines.clear()
    let bytes = StandardTerminals.showsOutput ? TerminalText.visible(bytes) : bytes
    guard let failure = DescriptorWriting.put(bytes, into: STDOUT_FILENO) else { return true }
    // Who has stopped reading wants no more; anything else loses data.
    guard failure == EPIPE else {
      // A message of the C library, copied at once.
      Exit.complain("lull: cannot write the output: \(ErrorText.of(failure))\n")
      Exit.now(1)
    }
    return false
  }

  static func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// The same of what people may want to read a screen at a time: by their pager where it is longer than
  /// one, and text.
  static func page(_ bytes: [UInt8], isWanted: Bool) -> Bool {
    guard isWanted, let pager = Pager(), !bytes.contains(0),
      bytes.withUnsafeBufferPointer({ UTF8Validation.isValid($0) })
    else {
      return write(bytes)
    }
    fflush(nil)
    StatusLines.clear()
    let shown = TerminalText.visible(bytes)
    return Pager.isLong(shown) && pager.show(shown, hint: "--no-pager does without")
      || write(bytes)
  }
}
