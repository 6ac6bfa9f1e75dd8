import LullLibC

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
