import Glibc

/// Reading scripts for `.load`.
enum Script {
  struct Unreadable: Error {
    let reason: String
  }

  /// The bytes of a file, as the stock interpreter reads them: a byte order mark is skipped, and a
  /// first line that begins with # is for the shell.
  static func read(_ path: String) -> Result<[UInt8], Unreadable> {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return .failure(problem) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = Glibc.read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return .failure(problem) }
      guard count > 0 else { return .success(withoutFirstLineMarks(bytes)) }
      bytes += buffer[..<count]
    }
  }

  /// Its line end stays, and with it the count of lines.
  package static func withoutFirstLineMarks(_ bytes: [UInt8]) -> [UInt8] {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard bytes.first == UInt8(ascii: "#") else { return bytes }
    return Array(bytes[(bytes.firstIndex(of: 10) ?? bytes.endIndex)...])
  }

  private static var problem: Unreadable {
    // The text of strerror stays valid until the next call on this thread.
    Unreadable(reason: String(cString: strerror(errno)))
  }
}
