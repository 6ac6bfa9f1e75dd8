import LullCore
import LullLibC
import LullSystem

/// Reads and writes whole regular files for scripts. Writing is atomic: readers never see a partial
/// file.
///
/// Only regular files, because a pipe or a terminal could block everything else for ever.
package enum TextFile {
  package struct Problem: Error {
    /// Bytes, because the file name in it is.
    package let message: [UInt8]
    /// How to solve the problem in a script.
    private var advice = ""

    /// The message with the advice for scripts.
    var advisedMessage: [UInt8] { message + Array(advice.utf8) }

    fileprivate init(_ path: [UInt8], _ text: String, advice: String = "") {
      message = path + Array(": \(text)".utf8)
      self.advice = advice
    }
    fileprivate init(_ path: [UInt8], errno code: Int32) {
      self.init(path, ErrorText.of(code))
    }
  }

  /// The maximum size; larger Lua strings are of no use.
  package static let largest = 1 << 30

  package static func read(_ path: [UInt8], limit: Int = largest) -> Result<[UInt8], Problem> {
    // Non-blocking, because opening a pipe would wait for a writer.
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
    // Reads until end of file, because files in /proc report a size of 0.
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

  /// Writes a new file and renames it over the old one, so that readers see either the old text or
  /// the new one. The mode of an existing file is kept, except for set-ID bits. The file is not
  /// synced to disk.
  static func write(_ bytes: [UInt8], to path: [UInt8], mode: UInt32?) -> Result<Void, Problem> {
    var target = path
    var status = stat()
    var permissions = mode.map { FilePermissions.exactly($0) } ?? .usual
    if stat(FileName.cString(path), &status) == 0 {
      if let problem = objection(to: status, path) { return .failure(problem) }
      permissions = .of(status, mode: mode)
      // Replaces the target of a symbolic link, not the link.
      if let real = FileName.resolved(path) { target = real }
    } else if errno != ENOENT {
      return .failure(Problem(path, errno: errno))
    } else if let objection = objection(toMissing: path) {
      return .failure(Problem(path, objection))
    }
    let failure = AtomicFile.write(bytes, to: target, permissions)
    return failure.map { .failure(Problem(path, errno: $0)) } ?? .success(())
  }

  /// Appends to a file, or creates it. A link without a target is an error, as in `write`.
  static func append(_ bytes: [UInt8], to path: [UInt8], mode: UInt32?) -> Result<Void, Problem> {
    if access(FileName.cString(path), F_OK) != 0, let objection = objection(toMissing: path) {
      return .failure(Problem(path, objection))
    }
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK
    let file = open(FileName.cString(path), flags, mode ?? 0o666)
    guard file >= 0 else {
      // A pipe without a reader.
      let text = errno == ENXIO ? "not a regular file" : ErrorText.of(errno)
      return .failure(Problem(path, text))
    }
    var status = stat()
    var failure: Int32? = fstat(file, &status) == 0 ? nil : errno
    if failure == nil, let problem = objection(to: status, path) {
      close(file)
      return .failure(problem)
    }
    // Before it has any content that others could read.
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

  /// Returns the problem with a missing file that is a link without a target: the link itself would
  /// be replaced.
  private static func objection(toMissing path: [UInt8]) -> String? {
    FileName.isLink(path) ? "is a link to a file that does not exist" : nil
  }
}

/// The source code of scripts, read from files as the stock interpreter does.
package enum SourceText {
  /// Removes a byte order mark and a first line that begins with `#`. The line break remains, so
  /// that line numbers are right, unless a precompiled chunk follows.
  package static func withoutFirstLineMarks(_ bytes: [UInt8]) -> [UInt8] {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard bytes.first == UInt8(ascii: "#") else { return bytes }
    let rest = bytes[(bytes.firstIndex(of: 10) ?? bytes.endIndex)...]
    return Array(isPrecompiled(rest.dropFirst()) ? rest.dropFirst() : rest)
  }

  /// Returns whether it begins like a precompiled chunk, after the first line was removed.
  package static func isPrecompiled(_ bytes: some Collection<UInt8>) -> Bool { bytes.first == 0x1B }
}
