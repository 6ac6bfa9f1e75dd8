import Glibc

/// How wide the terminal behind a descriptor is.
package enum TerminalWidth {
  /// In columns; nil if it is no terminal, or does not say. Any thread.
  package static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
