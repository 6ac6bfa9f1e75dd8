import LullLibC
import LullCore
import LullSystem

/// A file of cookies in the Netscape format, readable by its owner only.
struct CookieFile {
  let path: String

  /// The lines, whose values need not be text; none if there is no such file yet. Fails if it could not be written either.
  func read() throws(TransportError) -> [ByteString] {
    // Non-blocking: opening a pipe would wait for somebody who writes.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0, errno == ENOENT {
      guard access(FileName.folder(of: path), W_OK) == 0 else {
        throw problem("cannot write", errno)
      }
      return []
    }
    guard descriptor >= 0 else { throw problem("cannot read", errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw TransportError.final(.network, "cookies: '\(path)' is not a regular file")
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = LullLibC.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw problem("cannot read", errno) }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      .filter { $0.first != UInt8(ascii: "#") || $0.starts(with: "#HttpOnly_".utf8) }
      .map { ByteString($0) }
  }

  /// Writes a file beside it and puts that in its place; why that failed, nil if it did not.
  func write(_ lines: [ByteString]) -> TransportError? {
    let head =
      "# Netscape HTTP Cookie File\n# Written by lull; changes are kept if nothing runs.\n\n"
    var text = Array(head.utf8)
    for line in lines { text += line.bytes + [UInt8(ascii: "\n")] }
    // What a symbolic link leads to is replaced, not the link.
    let target = FileName.resolved(Array(path.utf8)) ?? Array(path.utf8)
    return AtomicFile.write(text, to: target, .exactly(0o600))
      .map { problem("cannot write", $0) }
  }

  private func problem(_ what: String, _ code: Int32) -> TransportError {
    // A message of the C library, copied at once.
    let reason = ErrorText.of(code).lowercased()
    return TransportError.final(.network, "cookies: \(what) '\(path)' (\(reason))")
  }
}
