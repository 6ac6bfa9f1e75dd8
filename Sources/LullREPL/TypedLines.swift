import LullLibC
import LullHost
import LullTransport

/// Lines typed at a terminal without an editor: the terminal's own, which knows backspace. For where
/// libedit is not installed, or the terminal cannot move its cursor.
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
        // Ctrl-D leaves a statement that goes on; a terminal that has gone says so again.
        return isContinuation ? .abandoned : .end
      }
      typed += buffer[..<count]
    }
  }

  func remember(_ statement: [UInt8]) {}
  func abandon() { isAbandoned = true }
  func close() { watch?.close() }
}
