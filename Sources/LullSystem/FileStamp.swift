package import LullLibC

/// Identifies a file and its state by its device, inode, size and modification time.
package struct FileStamp: Sendable, Equatable, Codable {
  /// The size of the file in bytes.
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

  /// The modification time, in Unix epoch seconds.
  package var lastWritten: Double { Double(seconds) + Double(nanoseconds) / 1e9 }

  /// The stamp of the file at a path, with links followed; nil if there is no file.
  package static func of(_ path: [UInt8]) -> FileStamp? {
    var status = stat()
    return stat(FileName.cString(path), &status) == 0 ? FileStamp(status) : nil
  }
}
