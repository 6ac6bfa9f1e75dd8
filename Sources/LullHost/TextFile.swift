import LullCore
import LullLibC
import LullSystem

/// Whole regular files, for scripts: read at once, written so that nobody sees half of one.
///
/// Only regular files: a pipe or a terminal could hold up everything else for ever.
package enum TextFile {
  package struct Problem: Error {
    /// Bytes, as the name in it is.
    package let message: [UInt8]
    /// What to do about it in a script.
    private var advice = ""

    /// The same for scripts.
    var advisedMessage: [UInt8] { message + Array(advice.utf8) }

    fileprivate init(_ path: [UInt8], _ text: String, advice: String = "") {
      message = path + Array(": \(text)".utf8)
      self.advice = advice
    }
    fileprivate init(_ path: [UInt8], errno code: Int32) {
      self.init(path, ErrorText.of(code))
    }
  }

  /// A string of Lua that is larger serves nobody.
  package static let largest = 1 << 30

  package static func read(_ path: [UInt8], limit: Int = largest) -> Result<[UInt8], Problem> {
    // Non-blocking: opening a pipe would wait for somebody who writes.
    let file = open(FileName.cString(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return .failure(Problem(path, errno: errno)) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { return .failure(Problem(path, errno: errno)) }
    if let problem = objection(to: status, path) { return .failure(problem) }
    let expected = min(Int(status.st_size) + 1, limit)
    guard MemoryLedger.allows(expected) else { return .failure(Problem(path, "not enough memory")) }
    var bytes: [UInt8] = []
    let piece = 1 << 16
    // The end is found by asking for what is behind it; files of /proc say that they are empty.
    bytes.reserveCapacity(expected + piece)
    while bytes.count <= limit {
      let before = bytes.count
      guard MemoryLedger.reserve(before + piece, in: &bytes) else {
        return .failure(Problem(path, "not enough memory"))
      }
      bytes.append(contentsOf: repeatElement(0, count: piece))
      let count = bytes.withUnsafeMutableBytes { raw in
        LullLibC.read(file, raw.baseAddress.map { $0 + before }, piece)
      }
      let code = errno
      bytes.removeLast(piece - max(0, count))
      if count == 0 { return .success(bytes) }
      if count < 0, code != EINTR { return .failure(Problem(path, errno: code)) }
    }
    let size = limit >= 1 << 30 ? "\(limit >> 30) GB" : "\(limit >> 20) MB"
    return .failure(Problem(path, "larger than \(size)"))
  }

  /// Writes a file beside it and puts that in its place: readers see the old text or the new one. The
  /// mode of a file that is there is kept, but for what lends rights. Not forced to the disk.
  static func write(_ bytes: [UInt8], to path: [UInt8], mode: UInt32?) -> Result<Void, Problem> {
    var target = path
    var status = stat()
    var permissions = mode.map { FilePermissions.exactly($0) } ?? .usual
    if stat(FileName.cString(path), &status) == 0 {
      if let problem = objection(to: status, path) { return .failure(problem) }
      permissions = .of(status, mode: mode)
      // What a symbolic link leads to is replaced, not the link.
      if let real = FileName.resolved(path) { target = real }
    } else if errno != ENOENT {
      return .failure(Problem(path, errno: errno))
    } else if let objection = objection(toMissing: path) {
      return .failure(Problem(path, objection))
    }
    let failure = AtomicFile.write(bytes, to: target, permissions)
    return failure.map { .failure(Problem(path, errno: $0)) } ?? .success(())
  }

  /// Adds to the end of a file, or makes one; not what a link that leads nowhere names, as in `write`.
  static func append(_ bytes: [UInt8], to path: [UInt8], mode: UInt32?) -> Result<Void, Problem> {
    if access(FileName.cString(path), F_OK) != 0, let objection = objection(toMissing: path) {
      return .failure(Problem(path, objection))
    }
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK
    let file = open(FileName.cString(path), flags, mode ?? 0o666)
    guard file >= 0 else {
      // A pipe that nobody reads.
      let text = errno == ENXIO ? "not a regular file" : ErrorText.of(errno)
      return .failure(Problem(path, text))
    }
    var status = stat()
    var failure: Int32? = fstat(file, &status) == 0 ? nil : errno
    if failure == nil, let problem = objection(to: status, path) {
      close(file)
      return .failure(problem)
    }
    // Before there is anything in it to be read.
    if failure == nil, let mode, fchmod(file, mode) != 0 { failure = errno }
    if failure == nil { failure = DescriptorWriting.put(bytes, into: file) }
    if close(file) != 0, failure == nil { failure = errno }
    return failure.map { .failure(Problem(path, errno: $0)) } ?? .success(())
  }

  // MARK: Parts

  private static func objection(to status: stat, _ path: [UInt8]) -> Problem? {
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFREG else { return nil }
    guard kind != S_IFDIR else { return Problem(path, "is a directory") }
    let name = kind == S_IFIFO ? "a pipe" : "a device or socket"
    return Problem(
      path, "is \(name): only regular files can be read and written", advice: ", use io.open")
  }

  /// Of a file that is not there: a link that leads nowhere would be replaced by what it should name.
  private static func objection(toMissing path: [UInt8]) -> String? {
    FileName.isLink(path) ? "is a link to what does not exist" : nil
  }
}

/// The text of scripts, as the stock interpreter takes it from files.
package enum SourceText {
  /// A byte order mark is skipped, and a first line that begins with # is for the shell; its line end
  /// stays, and with it the count of lines, unless a precompiled chunk follows.
  package static func withoutFirstLineMarks(_ bytes: [UInt8]) -> [UInt8] {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard bytes.first == UInt8(ascii: "#") else { return bytes }
    let rest = bytes[(bytes.firstIndex(of: 10) ?? bytes.endIndex)...]
    return Array(isPrecompiled(rest.dropFirst()) ? rest.dropFirst() : rest)
  }

  /// Whether it begins as a precompiled chunk does, without the marks of a first line.
  package static func isPrecompiled(_ bytes: some Collection<UInt8>) -> Bool { bytes.first == 0x1B }
}
