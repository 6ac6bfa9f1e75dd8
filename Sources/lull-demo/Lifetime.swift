import Foundation

/// When the process ends: at SIGINT and SIGTERM, and with the parent that holds its standard input.
///
/// Nothing has to be saved, so every end is `_exit`: it does not wait for slow answers, and it is
/// allowed in a signal handler.
enum Lifetime {
  static func begin() {
    signal(SIGINT) { _ in _exit(0) }
    signal(SIGTERM) { _ in _exit(0) }
    // A parent may read the first line and close our output.
    signal(SIGPIPE, SIG_IGN)
    if standardInputIsPipe { Thread.detachNewThread(waitForEndOfInput) }
  }

  /// A terminal, a file and /dev/null say nothing about a parent.
  private static var standardInputIsPipe: Bool {
    var status = stat()
    guard fstat(STDIN_FILENO, &status) == 0 else { return false }
    return [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
  }

  @Sendable
  private static func waitForEndOfInput() {
    var buffer: [UInt8] = Array(repeating: 0, count: 1024)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count == 0 || (count < 0 && errno != EINTR) { _exit(0) }
    }
  }

  /// Ends with a message for people.
  static func fail(_ message: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data("lull-demo: \(message)\n".utf8))
    _exit(code)
  }
}
