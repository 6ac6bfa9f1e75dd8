import LullLibC
import LullSystem
import LullTransport

/// Reads single keys from the terminal, without waiting for Enter.
///
/// Without a terminal, no key is ever returned. `close` restores the settings of the terminal. Used
/// only on the thread that created it.
final class WatchKeys {
  enum Key {
    case run
    case end
  }

  private var watch: DescriptorWatch?
  private var before: termios?

  var areThere: Bool { before != nil }

  func open(on loop: EventLoop) {
    // A process in the background must not read from the terminal.
    guard isatty(STDIN_FILENO) != 0, tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
    var attributes = termios()
    guard tcgetattr(STDIN_FILENO, &attributes) == 0,
      let watch = DescriptorWatch(STDIN_FILENO, on: loop)
    else { return }
    self.watch = watch
    before = attributes
    attributes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &attributes)
  }

  /// Returns the last key that was pressed since the previous call. Keys without a function are
  /// ignored.
  func take() -> Key? {
    guard let watch, watch.isReady else { return nil }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    // The terminal has been closed.
    guard count > 0 else { return .end }
    watch.rearm()
    var key: Key?
    for byte in buffer[..<count] {
      switch byte {
      case UInt8(ascii: "q"), UInt8(ascii: "Q"), 4: return .end
      case 10, 13: key = .run
      default: break
      }
    }
    return key
  }

  func close() {
    watch?.close()
    watch = nil
    if var before { tcsetattr(STDIN_FILENO, TCSADRAIN, &before) }
    before = nil
  }
}
