import LullLibC
import LullCore
import LullSystem

/// A cookie file in the Netscape format, readable by its owner only.
struct CookieFile {
  let path: String

  /// Merges this process's changes into the file, and returns its new content. Cookies that other
  /// processes have written in the meantime are kept. If another process has changed the same
  /// cookie, this process's version is kept. (COOK-01)
  ///
  /// - Parameters:
  ///   - lines: All current cookies of this process.
  ///   - known: All cookies of this process when it last read or wrote the file.
  func merge(
    _ lines: [ByteString], since known: [ByteString]
  ) throws(TransportError) -> [ByteString] {
    let lock = lock()
    defer { if lock >= 0 { close(lock) } }
    let merged = CookieFile.merged(lines, since: known, into: try read())
    if let problem = write(merged) { throw problem }
    return merged
  }

  /// Locks the folder and returns its descriptor. Waits for other processes, which hold the lock
  /// while they write. After 2 s, or if folders cannot be locked, the merge continues without the
  /// lock.
  private func lock() -> Int32 {
    let target = FileName.resolved(Array(path.utf8)).map { String(escaping: $0) } ?? path
    // The folder is locked, because the file is replaced at each change, and a separate lock file
    // would remain.
    let descriptor = open(FileName.folder(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return descriptor }
    _ = CacheFileLock.take(descriptor, isPatient: true)
    return descriptor
  }

  static func merged(
    _ ours: [ByteString], since known: [ByteString], into theirs: [ByteString]
  ) -> [ByteString] {
    let base = table(known)
    let mine = table(ours)
    var seen: Set<ByteString> = []
    var merged: [ByteString] = []
    for line in theirs {
      let key = key(of: line)
      guard seen.insert(key).inserted else { continue }
      if let changed = mine[key], changed != base[key] {
        merged.append(changed)
      } else if mine[key] == nil, base[key] == line {
        // The cookie was removed or has expired here, and was not set again elsewhere.
        continue
      } else {
        merged.append(line)
      }
    }
    for line in ours where !seen.contains(key(of: line)) && base[key(of: line)] != line {
      merged.append(line)
    }
    return merged
  }

  private static func table(_ lines: [ByteString]) -> [ByteString: ByteString] {
    Dictionary(lines.map { (key(of: $0), $0) }) { $1 }
  }

  /// Returns the identity of a cookie: domain, path and name.
  private static func key(of line: ByteString) -> ByteString {
    let fields = line.bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard fields.count > 5 else { return line }
    return ByteString(Array([fields[0], fields[2], fields[5]].joined(separator: [9])))
  }

  /// Whether the line has the fields of a cookie: domain, whether subdomains are included, path,
  /// whether TLS is required, expiry, name, and an optional value.
  private static func isCookie(_ line: ByteString) -> Bool {
    let fields = line.bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    return (6...7).contains(fields.count) || line.bytes.starts(with: "Set-Cookie:".utf8)
  }

  /// Returns the lines of the file, which may contain any bytes. Returns no lines if the file does
  /// not exist yet. Also throws if the file does not exist and cannot be created.
  func read() throws(TransportError) -> [ByteString] {
    // Non-blocking: opening a pipe would wait for a writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0, errno == ENOENT {
      guard access(FileName.folder(of: path), W_OK) == 0 else {
        throw problem("cannot write", errno)
      }
      return []
    }
    guard descriptor >= 0 else { throw problem("cannot read", errno) }
    defer { close(descriptor) }
    guard let file = FileOwnership(descriptor), file.isRegular else {
      throw TransportError.final(.network, "cookies: '\(path)' is not a regular file")
    }
    guard file.isOwn else {
      throw TransportError.final(
        .network, "cookies: '\(path)' belongs to another user; name a file of your own")
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
    let lines = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      .filter { $0.first != UInt8(ascii: "#") || $0.starts(with: "#HttpOnly_".utf8) }
      .map { ByteString($0) }
    guard lines.isEmpty || lines.contains(where: CookieFile.isCookie) else {
      throw TransportError.final(
        .network,
        "cookies: '\(path)' is not a cookie file in the Netscape format; name another file")
    }
    return lines
  }

  /// Writes a temporary file and renames it. Returns the error, or nil if it succeeded.
  func write(_ lines: [ByteString]) -> TransportError? {
    let head =
      "# Netscape HTTP Cookie File\n# Written by lull. Edit it only while no program uses it.\n\n"
    var text = Array(head.utf8)
    for line in lines { text += line.bytes + [UInt8(ascii: "\n")] }
    // The target of a symbolic link is replaced, not the link.
    let target = FileName.resolved(Array(path.utf8)) ?? Array(path.utf8)
    return AtomicFile.write(text, to: target, .exactly(0o600))
      .map { problem("cannot write", $0) }
  }

  private func problem(_ what: String, _ code: Int32) -> TransportError {
    // A message from the C library, copied immediately.
    let reason = ErrorText.of(code).lowercased()
    return TransportError.final(.network, "cookies: \(what) '\(path)' (\(reason))")
  }
}
