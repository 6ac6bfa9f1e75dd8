import LullLibC

/// A regular file that is open for reading. Other kinds of files are refused, because reading them
/// could block without end.
package final class ReadableFile {
  package struct Unreadable: Error {
    /// The error message of the system.
    package let reason: String

    fileprivate init(_ reason: String) { self.reason = reason }
    fileprivate init(errno code: Int32) { reason = ErrorText.of(code) }
  }

  private let descriptor: Int32
  /// The stamp of the file when it was opened.
  package let stamp: FileStamp

  package init(_ path: [UInt8]) throws(Unreadable) {
    // Non-blocking, since opening a pipe would wait for a writer.
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

  /// The reason why the file at a path can't be read; nil if it can be read.
  package static func problem(_ path: [UInt8]) -> String? {
    do throws(Unreadable) {
      _ = try ReadableFile(path)
      return nil
    } catch {
      return error.reason
    }
  }

  /// The current stamp of the file; nil if the system doesn't report it.
  package var currentStamp: FileStamp? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? FileStamp(status) : nil
  }

  /// Reads bytes starting at `offset`. Returns the number of bytes read, which may be less than
  /// requested; 0 at the end of the file.
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
