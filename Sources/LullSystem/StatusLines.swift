import Glibc
import Synchronization

/// The last lines of the terminal, on standard error, that say how far things are. They give way to whatever
/// else is written: `StandardError` and whoever writes to standard output clear them first, and who shows
/// them does so again. Any thread.
package enum StatusLines {
  private static let shown = Mutex<[String]>([])
  /// So that those who clear before they write pay nothing where there are none.
  private static let areShown = Atomic(false)

  /// Whether anybody would see them.
  package static var areSeen: Bool { StandardError.sink == nil && isatty(STDERR_FILENO) != 0 }

  /// Shows these in the place of those before; nothing is written if they are the same. Each must fit
  /// a line of the terminal, or it could not be taken back.
  package static func show(_ lines: [String]) {
    shown.withLock { shown in
      guard lines != shown else { return }
      write(cleared(shown) + lines.joined(separator: "\n"))
      shown = lines
      areShown.store(!lines.isEmpty, ordering: .relaxed)
    }
  }

  /// Takes them back, with the cursor where they began.
  package static func clear() {
    if areShown.load(ordering: .relaxed) { show([]) }
  }

  private static func cleared(_ lines: [String]) -> String {
    guard !lines.isEmpty else { return TerminalText.clearedLine }
    return TerminalText.clearedLine
      + String(repeating: TerminalText.clearedLineAbove, count: lines.count - 1)
  }

  private static func write(_ text: String) {
    _ = DescriptorWriting.put(TerminalText.visible(Array(text.utf8)), into: STDERR_FILENO)
  }
}
