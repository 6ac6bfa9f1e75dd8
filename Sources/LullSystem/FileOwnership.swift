import LullLibC

/// The owner of a state file, and whether other users may access it. All files with credentials,
/// tokens, caches and limits are checked with this type. (LIM-93)
package struct FileOwnership {
  package let isRegular: Bool
  package let isLink: Bool
  /// Whether the file belongs to the user of this process.
  package let isOwn: Bool
  /// Whether other users may neither read nor write the file.
  package let isPrivate: Bool

  /// Reads the ownership of an open file. Returns nil if the system doesn't report it.
  package init?(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Reads the ownership of the file at a path. If the path is a link, reads the ownership of the
  /// link itself. Returns nil if there is no file.
  package init?(at path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    isRegular = status.st_mode & S_IFMT == S_IFREG
    isLink = status.st_mode & S_IFMT == S_IFLNK
    isOwn = status.st_uid == geteuid()
    isPrivate = status.st_mode & 0o077 == 0
  }

  /// Returns the folder in which a new file would be created, if this process runs as root and the
  /// folder belongs to another user; otherwise nil. That is the case for HOME under sudo, and root
  /// must not leave files there. If the folder doesn't exist, its nearest existing parent is
  /// checked. (LIM-93)
  package static func foreignFolder(for path: String) -> String? {
    guard geteuid() == 0 else { return nil }
    var folder = path
    var status = stat()
    repeat {
      guard let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else { return nil }
      folder = String(folder[..<slash])
    } while stat(folder, &status) != 0
    return status.st_uid == 0 ? nil : folder
  }
}
