import LullCore
import LullLibC
import LullSystem

/// Reads and writes whole files for scripts. A file is replaced atomically, so readers never see a
/// partly written file.
///
/// Only regular files are allowed, because a pipe or a terminal could block all other work forever.
package enum TextFile {
  package struct Problem: Error {
    /// The error message. The message consists of bytes, because the file name in it need not be
    /// valid UTF-8.
    package let message: [UInt8]
    /// Advice for the script about how to solve the problem; may be empty.
    private var advice = ""

    /// The error message with the advice for scripts.
    var advisedMessage: [UInt8] { message + Array(advice.utf8) }

    fileprivate init(_ path: [UInt8], _ text: String, advice: String = "") {
      message = path + Array(": \(text)".utf8)
      self.advice = advice
    }
    fileprivate init(_ path: [UInt8], errno code: Int32) {
      self.init(path, ErrorText.of(code))
    }
  }

  /// The maximum size of a file in bytes. Larger Lua strings would not be useful.
  package static let largest = 1 << 30

  package static func read(_ path: [UInt8], limit: Int = largest) -> Result<[UInt8], Problem> {
    // The file is opened without blocking, because opening a pipe would wait for a writer.
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
    // The file is read until its end, because files in /proc report a size of 0.
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

  /// Writes a new file and renames it over the old file, so that readers see either the old text or
  /// the new text. An existing file keeps its mode, except for set-ID bits, unless `mode` is given.
  /// The file is not synced to disk.
  static func write(_ bytes: [UInt8], to path: [UInt8], mode: UInt32?) -> Result<Void, Problem> {
    var target = path
    var status = stat()
    var permissions = mode.map { FilePermissions.exactly($0) } ?? .usual
    if stat(FileName.cString(path), &status) == 0 {
      if let problem = objection(to: status, path) { return .failure(problem) }
      permissions = .of(status, mode: mode)
      // If the path is a symbolic link, its target is replaced, not the link.
      if let real = FileName.resolved(path) { target = real }
    } else if errno != ENOENT {
      return .failure(Problem(path, errno: errno))
    } else if let objection = objection(toMissing: path) {
      return .failure(Problem(path, objection))
    }
    let failure = AtomicFile.write(bytes, to: target, permissions)
    return failure.map { .failure(Problem(path, errno: $0)) } ?? .success(())
  }

  /// Appends to a file. If the file does not exist, it is created. A link without a target is an
  /// error, as in `write`.
  static func append(_ bytes: [UInt8], to path: [UInt8], mode: UInt32?) -> Result<Void, Problem> {
    if access(FileName.cString(path), F_OK) != 0, let objection = objection(toMissing: path) {
      return .failure(Problem(path, objection))
    }
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK
    let file = open(FileName.cString(path), flags, mode ?? 0o666)
    guard file >= 0 else {
      // The file is a pipe without a reader.
      let text = errno == ENXIO ? "not a regular file" : ErrorText.of(errno)
      return .failure(Problem(path, text))
    }
    var status = stat()
    var failure: Int32? = fstat(file, &status) == 0 ? nil : errno
    if failure == nil, let problem = objection(to: status, path) {
      close(file)
      return .failure(problem)
    }
    // The mode is set before the file has any content that other users could read.
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

  /// Called for a file that does not exist. Returns an error text if the path is a link without a
  /// target, because writing the file would replace the link itself. Otherwise returns nil.
  private static func objection(toMissing path: [UInt8]) -> String? {
    FileName.isLink(path) ? "is a link to a file that does not exist" : nil
  }
}

/// Prepares the source code of script files in the same way as the stock interpreter.
package enum SourceText {
  /// Removes a byte order mark, and a first line that begins with `#`. The line break after that
  /// line is kept, so that line numbers stay the same. If a precompiled chunk follows, the line
  /// break is removed too.
  package static func withoutFirstLineMarks(_ bytes: [UInt8]) -> [UInt8] {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard bytes.first == UInt8(ascii: "#") else { return bytes }
    let rest = bytes[(bytes.firstIndex(of: 10) ?? bytes.endIndex)...]
    return Array(isPrecompiled(rest.dropFirst()) ? rest.dropFirst() : rest)
  }

  /// Returns whether the bytes begin like a precompiled chunk. A first line that begins with `#`
  /// must have been removed before.
  package static func isPrecompiled(_ bytes: some Collection<UInt8>) -> Bool { bytes.first == 0x1B }
}
