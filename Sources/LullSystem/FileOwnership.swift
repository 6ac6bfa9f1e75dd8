import LullLibC

/// Whose a file of state is, and whether another user may read or write it: the one rule for files that hold
/// credentials, tokens, caches and limits. (LIM-93)
package struct FileOwnership {
  package let isRegular: Bool
  package let isLink: Bool
  /// Whether it belongs to the user that this process runs as.
  package let isOwn: Bool
  /// Whether other users may neither read nor write it.
  package let isPrivate: Bool

  /// Of an open file; nil if the system does not say.
  package init?(_ descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Of a path, which may be a link itself; nil if there is nothing.
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

  /// The folder that a new file would be in, if this is root and the folder belongs to another user, such as one
  /// that HOME names under sudo: root leaves nothing there. Folders that are missing count as the one they are
  /// in. (LIM-93)
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
