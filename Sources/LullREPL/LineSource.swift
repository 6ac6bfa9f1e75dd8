import LullHost
import LullLibC
import LullTransport

/// A source of the lines that a session runs.
protocol LineSource: AnyObject {
  /// Whether a user types the lines at a terminal.
  var isInteractive: Bool { get }
  /// Returns the next line without its line break. The event loop runs while this method waits.
  /// Returns `.end` at the end of the input, or if other code ends the session.
  func next(isContinuation: Bool) -> LineInput
  /// Called with each complete statement, for the history.
  func remember(_ statement: [UInt8])
  /// Called if Ctrl-C arrives as a signal while no line is running.
  func abandon()
  func close()
}

enum LineInput {
  case line([UInt8])
  /// The user pressed Ctrl-C, so the current input is discarded.
  case abandoned
  case end
}

/// Reads lines from a pipe or file on standard input.
///
/// The event loop runs until the next line is available.
final class PipedLines: LineSource {
  private let loop: ScriptLoop
  private let session: SessionKeeper
  private let watch: DescriptorWatch?
  private var bytes: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private var isFirst = true
  private var isAbandoned = false

  init(_ host: LuaHost) {
    loop = host.loop
    session = host.session
    watch = host.environment.watch(STDIN_FILENO)
  }

  let isInteractive = false

  func next(isContinuation: Bool) -> LineInput {
    while true {
      if let end = bytes[start...].firstIndex(of: 10) {
        let line = Array(bytes[start..<end])
        start = end + 1
        return .line(cleaned(line))
      }
      if isAtEnd {
        guard start < bytes.count else { return .end }
        let line = Array(bytes[start...])
        start = bytes.count
        return .line(cleaned(line))
      }
      guard fill() else { return .end }
    }
  }

  func remember(_ statement: [UInt8]) {}

  /// Ctrl-C between two statements ends the run, in the same way as it ends a script.
  func abandon() { isAbandoned = true }

  func close() { watch?.close() }

  /// Returns a line without a CR at its end. If the line is the first one, a byte order mark and a
  /// `#!` line for the shell are removed too.
  private func cleaned(_ line: [UInt8]) -> [UInt8] {
    var line = line
    if line.last == 13 { line.removeLast() }
    guard isFirst else { return line }
    isFirst = false
    if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    return line.first == UInt8(ascii: "#") ? [] : line
  }

  /// Reads more bytes from standard input. Returns `false` if the session has to end.
  private func fill() -> Bool {
    bytes.removeFirst(start)
    start = 0
    if let watch {
      loop.run {
        watch.isReady || isAbandoned || loop.isInterrupted || session.isEnding
      }
      guard !isAbandoned, !loop.isInterrupted, !session.isEnding else { return false }
    }
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = read(STDIN_FILENO, &buffer, buffer.count)
    if count > 0 {
      bytes += buffer[..<count]
    } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
      isAtEnd = true
    }
    watch?.rearm()
    return true
  }
}

/// Reads lines that are typed on a terminal and edited only by the terminal driver. Used if libedit
/// is not installed, or if the terminal can't move its cursor.
final class TypedLines: LineSource {
  private let loop: ScriptLoop
  private let session: SessionKeeper
  private let terminal: Terminal
  private let watch: DescriptorWatch?
  private var typed: [UInt8] = []
  private var isAbandoned = false

  let isInteractive = true

  init(_ host: LuaHost, _ terminal: Terminal) {
    loop = host.loop
    session = host.session
    self.terminal = terminal
    watch = host.environment.watch(STDIN_FILENO)
  }

  func next(isContinuation: Bool) -> LineInput {
    isAbandoned = false
    fflush(nil)
    terminal.write(isContinuation ? ">> " : "> ")
    while true {
      if let end = typed.firstIndex(of: 10) {
        let line = Array(typed[..<end])
        typed.removeFirst(end + 1)
        return .line(line)
      }
      if let watch {
        loop.run {
          watch.isReady || isAbandoned || loop.isInterrupted || session.isEnding
        }
      }
      if isAbandoned {
        terminal.write("\n")
        return .abandoned
      }
      guard !loop.isInterrupted, !session.isEnding else { return .end }
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      watch?.rearm()
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else {
        terminal.write("\n")
        // Ctrl-D discards an incomplete statement. If the terminal was closed, the next read
        // reports the end of the input again.
        return isContinuation ? .abandoned : .end
      }
      typed += buffer[..<count]
    }
  }

  func remember(_ statement: [UInt8]) {}
  func abandon() { isAbandoned = true }
  func close() { watch?.close() }
}
