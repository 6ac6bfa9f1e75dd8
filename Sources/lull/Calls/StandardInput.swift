import LullLibC
import LullClients
import LullCore
import LullHost
import LullREPL
import LullSystem

/// Standard input as a possible request body.
///
/// Both `read` and `isEmpty` wait until there is a result. A signal ends the wait. If standard
/// input was not requested explicitly and nothing arrives for `patience` seconds, one message tells
/// the user how to ignore it.
struct StandardInput {
  private static let patience = 2.0
  /// The name of standard input in messages.
  static let name = "standard input"
  /// The longest wait in seconds before checking for signals again, because a signal may arrive
  /// just before the wait begins.
  private static let slice = 0.25

  /// Whether standard input is a pipe, a socket or a file. A terminal and devices such as
  /// `/dev/null` do not count.
  static var mayHoldBody: Bool {
    guard let kind else { return false }
    return [S_IFIFO, S_IFREG, S_IFSOCK].contains(kind)
  }

  /// Whether standard input is a pipe, socket or file with bytes to read now. Does not wait.
  static var holdsBytes: Bool {
    var end = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard mayHoldBody, poll(&end, 1, 0) > 0 else { return false }
    return (try? StandardInput(tellsSilence: false) { false }.isEmpty()) == false
  }

  private static var kind: mode_t? {
    var status = stat()
    return fstat(STDIN_FILENO, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// Whether the command has been interrupted.
  private let isInterrupted: () -> Bool
  private let tellsSilence: Bool

  /// - Parameter tellsSilence: False if standard input was requested explicitly.
  init(tellsSilence: Bool, isInterrupted: @escaping () -> Bool) {
    self.tellsSilence = tellsSilence
    self.isInterrupted = isInterrupted
  }

  /// Reads standard input to its end. Returns `nil` if a signal arrives before the end.
  ///
  /// - Parameter limit: The maximum number of bytes. Larger input is an error.
  func read(limit: Int = .max) throws(SourceFile.Unreadable) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    var silence = Silence(isTold: !tellsSilence)
    while true {
      guard wait(&silence) else { return nil }
      let count = LullLibC.read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count >= 0 else { throw StandardInput.unreadable() }
      guard count > 0 else { return bytes }
      guard count <= limit - bytes.count else {
        throw SourceFile.Unreadable(
          name: StandardInput.name, reason: "larger than \(limit >> 20) MB")
      }
      bytes += buffer[..<count]
      silence.isOver()
    }
  }

  /// Whether standard input is empty. Consumes nothing, because the input may be meant for another
  /// program. `nil` if a signal arrived first.
  func isEmpty() throws(SourceFile.Unreadable) -> Bool? {
    var silence = Silence(isTold: !tellsSilence)
    var byte: UInt8 = 0
    while true {
      guard wait(&silence) else { return nil }
      let count: Int
      switch StandardInput.kind {
      case S_IFREG: count = pread(STDIN_FILENO, &byte, 1, max(0, lseek(STDIN_FILENO, 0, SEEK_CUR)))
      case S_IFSOCK: count = recv(STDIN_FILENO, &byte, 1, Int32(MSG_PEEK))
      default:
        var waiting: Int32 = 0
        count = ioctl(STDIN_FILENO, UInt(FIONREAD), &waiting) == 0 ? Int(waiting) : -1
      }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count >= 0 else { throw StandardInput.unreadable() }
      return count == 0
    }
  }

  /// Waits for the next bytes or the end of standard input. Returns `false` if a signal arrived
  /// first.
  private func wait(_ silence: inout Silence) -> Bool {
    while !isInterrupted() {
      var end = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      // Errors are reported by the following read.
      if poll(&end, 1, Int32(StandardInput.slice * 1000)) > 0 { return true }
      if silence.isToBeTold(after: StandardInput.patience) {
        Exit.notify(
          "lull: waiting for a request body on standard input; "
            + "use --ignore-stdin to ignore standard input\n")
      }
    }
    return false
  }

  private static func unreadable() -> SourceFile.Unreadable {
    // `ErrorText` copies the message of the C library.
    SourceFile.Unreadable(name: name, reason: ErrorText.of(errno))
  }

  /// Measures how long there has been no input.
  private struct Silence {
    private var begin = StandardInput.now
    private var isTold: Bool

    init(isTold: Bool) { self.isTold = isTold }

    mutating func isOver() { begin = StandardInput.now }

    mutating func isToBeTold(after patience: Double) -> Bool {
      guard !isTold, StandardInput.now - begin >= patience else { return false }
      isTold = true
      return true
    }
  }

  private static var now: Double { SystemClock.uptime }
}

/// Reads the whole file that an argument names. `-` is standard input.
enum InputFile {
  struct Unreadable: Error {
    /// The error message, which begins with the file's name.
    let message: String
  }

  private static let standardInput = "-"

  static func isStandardInput(_ word: String) -> Bool { word == standardInput }

  /// Returns the name of the file in messages.
  static func shownName(_ word: String) -> String {
    isStandardInput(word) ? StandardInput.name : ControlCharacters.shown(in: word)
  }

  /// - Parameter limit: The maximum number of bytes. A larger file is an error.
  static func read(
    _ word: String, limit: Int = TextFile.largest
  ) throws(Unreadable) -> [UInt8] {
    guard isStandardInput(word) else {
      do throws(TextFile.Problem) {
        return try TextFile.read(Array(word.utf8), limit: limit).get()
      } catch {
        throw Unreadable(message: String(escaping: error.message))
      }
    }
    do throws(SourceFile.Unreadable) {
      // Without the event loop, a signal ends the process.
      return try StandardInput(tellsSilence: false) { false }.read(limit: limit) ?? []
    } catch {
      throw Unreadable(message: "\(error.name): \(error.reason)")
    }
  }
}
