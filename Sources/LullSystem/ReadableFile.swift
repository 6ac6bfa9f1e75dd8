import LullLibC

/// A regular file that is open for reading: anything else could hold up who reads it for ever.
package final class ReadableFile {
  package struct Unreadable: Error {
    /// In the words of the system.
    package let reason: String

    fileprivate init(_ reason: String) { self.reason = reason }
    fileprivate init(errno code: Int32) { reason = ErrorText.of(code) }
  }

  private let descriptor: Int32
  /// As it was when it was opened.
  package let stamp: FileStamp

  package init(_ path: [UInt8]) throws(Unreadable) {
    // Non-blocking: opening a pipe would wait for somebody who writes.
    descriptor = open(FileName.cString(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Unreadable(errno: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw Unreadable(errno: code)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw Unreadable(
        status.st_mode & S_IFMT == S_IFDIR ? "is a directory" : "is not a regular file")
    }
    stamp = FileStamp(status)
  }

  deinit {
    close(descriptor)
  }

  /// Why a path leads to none that can be read now; nil if it does.
  package static func problem(_ path: [UInt8]) -> String? {
    do throws(Unreadable) {
      _ = try ReadableFile(path)
      return nil
    } catch {
      return error.reason
    }
  }

  /// As it is now; nil if the system does not say.
  package var currentStamp: FileStamp? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? FileStamp(status) : nil
  }

  /// So many bytes from `offset` on, or fewer; 0 at its end.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(Unreadable) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { throw Unreadable(errno: errno) }
    }
  }
}
