package import LullLibC

/// What tells whether a file is still the one that was looked at, and as it was: where it is, its size,
/// and when it was last written.
package struct FileStamp: Sendable, Equatable, Codable {
  /// In bytes.
  package let size: Int
  private let device: UInt
  private let inode: UInt
  private let seconds: Int
  private let nanoseconds: Int

  package init(_ status: stat) {
    size = Int(status.st_size)
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }

  /// When it was last written; Unix seconds.
  package var lastWritten: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

  /// Of what a path leads to now; nil if that is nothing.
  package static func of(_ path: [UInt8]) -> FileStamp? {
    var status = stat()
    return stat(FileName.cString(path), &status) == 0 ? FileStamp(status) : nil
  }
}
