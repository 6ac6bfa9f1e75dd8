import LullLibC

/// Whose folder a file of state would be made in.
package enum OwnFolder {
  /// The folder that a new file would be in, if this is root and the folder belongs to another user, such as one
  /// that HOME names under sudo: root leaves nothing there. Folders that are missing count as the one they are
  /// in. (LIM-93)
  package static func foreign(for path: String) -> String? {
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
