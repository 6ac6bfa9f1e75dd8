import LullLibC
import Synchronization

/// How much a terminal shows at once.
package struct TerminalSize {
  package let columns: Int
  package let rows: Int

  /// nil if the descriptor is no terminal's, or that does not say. Any thread.
  package init?(of descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return nil
    }
    columns = Int(size.ws_col)
    rows = Int(size.ws_row)
  }
}

/// Where what is written to the standard streams ends up: there, or on the terminal of somebody who takes
/// it meanwhile, to show it.
package enum StandardTerminals {
  private static let output = Atomic<Int32>(STDOUT_FILENO)
  private static let error = Atomic<Int32>(STDERR_FILENO)

  /// To ask for kind and size. Any thread.
  package static var outputDescriptor: Int32 { output.load(ordering: .relaxed) }
  package static var errorDescriptor: Int32 { error.load(ordering: .relaxed) }

  /// Whether people see it, so that it has to be made visible. Any thread.
  package static var showsOutput: Bool { isatty(outputDescriptor) != 0 }
  package static var showsErrors: Bool { isatty(errorDescriptor) != 0 }

  /// From now on a stream is taken, and shown on that terminal; nil: no more.
  package static func capture(_ stream: Int32, on terminal: Int32?) {
    if stream == STDOUT_FILENO {
      output.store(terminal ?? stream, ordering: .relaxed)
    } else {
      error.store(terminal ?? stream, ordering: .relaxed)
    }
  }
}
