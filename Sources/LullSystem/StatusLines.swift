import LullLibC
import Synchronization

/// The status lines at the bottom of the terminal, on standard error. Code that writes other output
/// must clear the status lines first: `StandardError` does so, and so does code that writes to
/// standard output. The owner of the status lines then shows them again. Callable on any thread.
package enum StatusLines {
  private static let shown = Mutex<[String]>([])
  /// Writes the output that is held back while status lines are shown; nil if no output is held
  /// back.
  private static let flusher = Mutex<(@Sendable () -> Void)?>(nil)
  /// Whether status lines have ever been shown. If not, clearing them costs nothing.
  private static let areInUse = Atomic(false)

  /// Whether status lines would be visible. This is the case if standard error is a terminal, and
  /// its output is neither redirected by a test nor written in another form.
  package static var areSeen: Bool {
    StandardError.sink == nil && !StandardError.isFormed && isatty(STDERR_FILENO) != 0
  }

  /// Whether status lines are shown now.
  package static var areShown: Bool { shown.withLock { !$0.isEmpty } }

  /// Replaces the status lines. If they are unchanged, nothing is written. Each line must fit into
  /// the width of the terminal; otherwise it could not be cleared.
  package static func show(_ lines: [String]) {
    shown.withLock { shown in
      guard lines != shown else { return }
      write(cleared(shown) + lines.joined(separator: "\n"))
      shown = lines
      if !lines.isEmpty { areInUse.store(true, ordering: .relaxed) }
    }
  }

  /// Clears the status lines, leaves the cursor where they began, and writes the output that was
  /// held back.
  package static func clear() {
    guard areInUse.load(ordering: .relaxed) else { return }
    show([])
    flusher.withLock { $0 }?()
  }

  /// Sets the function that writes the output held back while status lines are shown. nil removes
  /// the function.
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
