import LullLibC
import Synchronization

/// The size of a terminal, in columns and rows.
package struct TerminalSize {
  package let columns: Int
  package let rows: Int

  /// Reads the size of a terminal. Returns nil if the descriptor isn't a terminal, or its size is
  /// unknown. Callable on any thread.
  package init?(of descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    columns = Int(size.ws_col)
    rows = Int(size.ws_row)
  }
}

/// The terminals on which standard output and standard error are shown. Usually the streams are
/// terminals themselves. If a process captures and displays a stream, it is the terminal of that
/// process.
package enum StandardTerminals {
  private static let output = Atomic<Int32>(STDOUT_FILENO)
  private static let error = Atomic<Int32>(STDERR_FILENO)

  /// The descriptor of the terminal that shows standard output. Use it to read the kind and size of
  /// the terminal. Callable on any thread.
  package static var outputDescriptor: Int32 { output.load(ordering: .relaxed) }
  package static var errorDescriptor: Int32 { error.load(ordering: .relaxed) }

  /// Whether standard output is shown on a terminal, so that control characters must be made
  /// visible. Callable on any thread.
  package static var showsOutput: Bool { isatty(outputDescriptor) != 0 }
  package static var showsErrors: Bool { isatty(errorDescriptor) != 0 }

  /// Records that a standard stream is captured from now on, and that its text is shown on
  /// `terminal`. If `terminal` is nil, the stream is not captured any more.
  package static func capture(_ stream: Int32, on terminal: Int32?) {
    if stream == STDOUT_FILENO {
      output.store(terminal ?? stream, ordering: .relaxed)
    } else {
      error.store(terminal ?? stream, ordering: .relaxed)
    }
  }
}
