import LullLibC

/// How large the terminal behind a descriptor is.
package enum TerminalWidth {
  /// In columns; nil if it is no terminal, or does not say. Any thread.
  package static func columns(of descriptor: Int32) -> Int? {
    guard let size = size(of: descriptor), size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Its rows; nil if it is no terminal, or does not say. Any thread.
  package static func rows(of descriptor: Int32) -> Int? {
    guard let size = size(of: descriptor), size.ws_row > 0 else { return nil }
    return Int(size.ws_row)
  }

  private static func size(of descriptor: Int32) -> winsize? {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }
}
