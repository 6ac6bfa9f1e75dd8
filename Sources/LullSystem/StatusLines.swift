import LullLibC
import Synchronization

/// The last lines of the terminal, on standard error, that say how far things are. They give way to whatever
/// else is written: `StandardError` and whoever writes to standard output clear them first, and who shows
/// them does so again. Any thread.
package enum StatusLines {
  private static let shown = Mutex<[String]>([])
  /// Writes out what is held back for them to be put below; nil where nothing is.
  private static let flusher = Mutex<(@Sendable () -> Void)?>(nil)
  /// So that those who clear before they write pay nothing where there are none.
  private static let areInUse = Atomic(false)

  /// Whether anybody would see them.
  package static var areSeen: Bool { StandardError.sink == nil && isatty(STDERR_FILENO) != 0 }

  /// Whether there are any now.
  package static var areShown: Bool { shown.withLock { !$0.isEmpty } }

  /// Shows these in the place of those before; nothing is written if they are the same. Each must fit
  /// a line of the terminal, or it could not be taken back.
  package static func show(_ lines: [String]) {
    shown.withLock { shown in
      guard lines != shown else { return }
      write(cleared(shown) + lines.joined(separator: "\n"))
      shown = lines
      if !lines.isEmpty { areInUse.store(true, ordering: .relaxed) }
    }
  }

  /// Takes them back, with the cursor where they began, and writes out what was held back for them.
  package static func clear() {
    guard areInUse.load(ordering: .relaxed) else { return }
    show([])
    flusher.withLock { $0 }?()
  }

  /// From now on something is held back while they are shown; nil: no more.
  package static func hold(flushing flush: (@Sendable () -> Void)?) {
    flusher.withLock { $0 = flush }
    if flush != nil { areInUse.store(true, ordering: .relaxed) }
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
