package import LullLibC

/// The file of an incomplete download, `NAME.part`, which may be filled over several runs. A second
/// file, the note, identifies the complete file that is being downloaded.
///
/// A process that has opened the part file holds a lock on it until the process ends or closes the
/// file. Two processes therefore never write to the same part file.
package struct PartFile: Sendable {
  package static let ending = ".part"
  /// The suffix of the note's file name. A file name from a server must not end with it.
  package static let noteEnding = ".part.lull"

  /// The descriptor of the part file, open for reading and writing, and positioned at the end of
  /// the file.
  package let descriptor: Int32
  /// The size of the part file when it was opened, in bytes.
  package let size: Int
  private let path: [UInt8]
  private let notePath: [UInt8]

  /// The path of the part file, in the form used in messages.
  package var shown: String { PartFile.shown(path) }

  private static func shown(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }

  /// Opens the part file for `target`. If the part file doesn't exist, creates it.
  ///
  /// - Parameter mode: The mode with which a new part file is created.
  package init(of target: [UInt8], mode: mode_t) throws(DownloadPlace.Failure) {
    path = target + Array(PartFile.ending.utf8)
    notePath = target + Array(PartFile.noteEnding.utf8)
    let shown = PartFile.shown(path)
    // The loop tries again if the process that held the lock has renamed the file meanwhile.
    for _ in 0..<10 {
      // Non-blocking, since opening a pipe would wait for a reader.
      let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
      let descriptor = open(FileName.cString(path), flags, mode)
      guard descriptor >= 0 else {
        throw errno == ELOOP ? .init("\(shown) is a link") : .init(errno: errno)
      }
      do throws(DownloadPlace.Failure) {
        guard let size = try PartFile.locked(descriptor, path, shown) else {
          close(descriptor)
          continue
        }
        self.descriptor = descriptor
        self.size = size
        return
      } catch {
        close(descriptor)
        throw error
      }
    }
    throw .init("\(shown) keeps being created and removed by other processes")
  }

  /// Locks the part file and returns its size. Returns nil if the path no longer leads to this
  /// file.
  private static func locked(
    _ descriptor: Int32, _ path: [UInt8], _ shown: String
  ) throws(DownloadPlace.Failure) -> Int? {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw errno == EWOULDBLOCK
        ? .init("\(shown) is already being downloaded, by this process or another")
        : .init(errno: errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .init(errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .init("\(shown) is not a regular file") }
    // The content of another user's file would become the beginning of ours.
    guard status.st_uid == geteuid() else { throw .init("\(shown) belongs to another user") }
    guard isFile(status, at: path) else { return nil }
    guard lseek(descriptor, 0, SEEK_END) >= 0 else { throw .init(errno: errno) }
    return Int(status.st_size)
  }

  private static func isFile(_ status: stat, at path: [UInt8]) -> Bool {
    var found = stat()
    return lstat(FileName.cString(path), &found) == 0 && found.st_dev == status.st_dev
      && found.st_ino == status.st_ino
  }

  // MARK: Note

  /// Reads the note. Returns nil if it is missing, unreadable or longer than `limit` bytes.
  package func note(limit: Int) -> [UInt8]? {
    guard let file = try? ReadableFile(notePath), file.stamp.size <= limit else { return nil }
    var bytes = [UInt8](repeating: 0, count: file.stamp.size)
    let count = bytes.withUnsafeMutableBytes { try? file.read(into: $0, at: 0) }
    return count == bytes.count ? bytes : nil
  }

  /// Writes the note, readable by the owner only. Returns the error number; nil on success.
  package func setNote(_ bytes: [UInt8]) -> Int32? {
    AtomicFile.write(bytes, to: notePath, .exactly(0o600))
  }

  package func removeNote() { unlink(FileName.cString(notePath)) }

  // MARK: End

  /// Removes the part file and its note.
  package func remove() {
    unlink(FileName.cString(path))
    removeNote()
  }

  /// Renames the part file to the final name and removes the note. Returns the error number; nil on
  /// success.
  package func rename(to target: [UInt8], replacing: Bool) -> Int32? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, PartFile.isFile(status, at: path) else { return ENOENT }
    let failure = FileName.rename(path, to: target, replacing: replacing)
    if failure == nil { removeNote() }
    return failure
  }
}
