import LullLibC
import LullCore
import LullSystem
import LullTransport

/// The history of statements from earlier sessions, in the file `$XDG_STATE_HOME/lull/history`.
/// Each statement is one line of the file. If a statement has several lines, its line in the file
/// begins with a byte 1, and its line breaks are written as `\n`.
///
/// Concurrent sessions append to the file, so that no session overwrites the lines of another. When
/// the file has twice the maximum number of lines, the next session removes the oldest lines. Only
/// the owner of the file can read it. If the file can't be written or belongs to another user, the
/// session has no stored history. Root does not create the file in another user's folder.
package struct History {
  private static let kept = 5000
  private let path: String?

  init() {
    path = History.standardPath
  }

  /// The path of the history file: the value of `LULL_HISTORY`, or by default `history` in the
  /// state folder. nil if there is no home folder, or if `LULL_HISTORY` is empty, which disables
  /// the history.
  package static var standardPath: String? {
    if let path = getenv("LULL_HISTORY").map({ String(cString: $0) }) {
      return path.isEmpty ? nil : path
    }
    return TokenFile.stateFolder.map { $0 + "/history" }
  }

  /// Returns the stored statements, the latest last.
  func load() -> [String] { lines().map(History.decoded) }

  private func lines() -> [String] {
    guard let path, let file = open(path, O_RDWR) else { return [] }
    defer { close(file) }
    flock(file, LOCK_EX)
    let lines = History.read(file).split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    guard lines.count > 2 * History.kept else { return lines.suffix(History.kept) }
    // The file is rewritten in place, because other sessions that have the file open continue to
    // append to it.
    let rest = lines.suffix(History.kept)
    let bytes = Array(rest.map { $0 + "\n" }.joined().utf8)
    if ftruncate(file, 0) == 0 { write(file, bytes) }
    return Array(rest)
  }

  func append(_ statement: String) {
    guard let path, access(path, F_OK) == 0 || FileOwnership.foreignFolder(for: path) == nil else {
      return
    }
    let line = History.encoded(statement)
    History.makeFolder(of: path)
    guard let file = open(path, O_WRONLY | O_CREAT) else { return }
    defer { close(file) }
    flock(file, LOCK_EX)
    write(file, Array((line + "\n").utf8))
  }

  private static let mark: Character = "\u{1}"

  static func encoded(_ statement: String) -> String {
    guard statement.utf8.contains(10) || statement.first == mark else { return statement }
    var line = String(mark)
    for scalar in statement.unicodeScalars {
      switch scalar {
      case "\\": line += "\\\\"
      case "\n": line += "\\n"
      default: line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  static func decoded(_ line: String) -> String {
    guard line.first == mark else { return line }
    var statement = ""
    var isEscaped = false
    for scalar in line.unicodeScalars.dropFirst() {
      if isEscaped {
        statement.unicodeScalars.append(scalar == "n" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        statement.unicodeScalars.append(scalar)
      }
    }
    return statement
  }

  private func open(_ path: String, _ flags: Int32) -> Int32? {
    // The file is opened without blocking, because opening a named pipe would wait for its other
    // end.
    let flags = flags | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let file = LullLibC.open(path, flags, 0o600)
    guard file >= 0 else { return nil }
    // The permissions of other files, such as the device /dev/null, must not be changed.
    guard let ownership = FileOwnership(file), ownership.isRegular, ownership.isOwn else {
      close(file)
      return nil
    }
    // The mode is set even if the file already exists.
    fchmod(file, 0o600)
    return file
  }

  private static func makeFolder(of path: String) {
    guard !HomeFolder.isMissing(for: path) else { return }
    let parts = path.split(separator: "/").dropLast()
    var folder = ""
    for part in parts {
      folder += "/" + part
      mkdir(folder, 0o700)
    }
  }

  private static func read(_ file: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = LullLibC.read(file, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  private func write(_ file: Int32, _ bytes: [UInt8]) {
    _ = DescriptorWriting.put(bytes, into: file)
  }
}
