import LullLibC
import LullHost
import LullTransport

/// Lines of standard input that nobody types: a pipe or a file.
///
/// The loop turns until the next line is there.
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

  /// Ctrl-C between two statements ends the run, as it ends a script.
  func abandon() { isAbandoned = true }

  func close() { watch?.close() }

  /// The first line may be for the shell, or begin with a byte order mark.
  private func cleaned(_ line: [UInt8]) -> [UInt8] {
    var line = line
    if line.last == 13 { line.removeLast() }
    guard isFirst else { return line }
    isFirst = false
    if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    return line.first == UInt8(ascii: "#") ? [] : line
  }

  /// More bytes; false if the session is to end.
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
