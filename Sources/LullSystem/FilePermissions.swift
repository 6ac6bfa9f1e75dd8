package import LullLibC

/// Who may do what with a file that takes the place of another, from its first byte on.
///
/// Never more than in the end, whatever the process's mask. Bits that lend the rights of the owner or
/// the group to whoever runs the file are not carried over: they were given to other content.
package struct FilePermissions {
  /// Set in the end whatever the mask; nil: what the mask leaves of `creationMode`.
  private let mode: mode_t?
  /// Whose the file was that is replaced.
  private let owner: (user: uid_t, group: gid_t)?

  private init(mode: mode_t?, owner: (user: uid_t, group: gid_t)?) {
    self.mode = mode.map { $0 & 0o777 }
    self.owner = owner
  }

  /// Of a new file: what the process's mask leaves.
  package static var usual: FilePermissions { FilePermissions(mode: nil, owner: nil) }

  /// As asked for.
  package static func exactly(_ mode: mode_t) -> FilePermissions {
    FilePermissions(mode: mode, owner: nil)
  }

  /// Those of a file that is there, and its owner and group as far as we may give it away.
  ///
  /// - Parameter mode: instead of the file's.
  package static func of(_ status: stat, mode: mode_t? = nil) -> FilePermissions {
    let isOurs = status.st_uid == geteuid() && status.st_gid == getegid()
    return FilePermissions(
      mode: mode ?? status.st_mode,
      owner: isOurs ? nil : (status.st_uid, status.st_gid))
  }

  /// What to create the file with.
  package var creationMode: mode_t {
    // Until it has its owner and group, what is meant for them is for nobody but us.
    let mode = mode ?? 0o666
    return owner == nil ? mode : mode & 0o700
  }

  /// Gives a file that is written what it is to have; the error number, nil if all went well.
  package func apply(to descriptor: Int32) -> Int32? {
    guard let mode else { return nil }
    guard let owner else { return fchmod(descriptor, mode) == 0 ? nil : errno }
    var granted = mode
    let isGivenAway = fchown(descriptor, owner.user, owner.group) == 0
    if !isGivenAway, fchown(descriptor, uid_t.max, owner.group) != 0 {
      // Ours may have others in it than the one it was for.
      granted &= 0o700 | (mode & 0o007) << 3 | 0o007
    }
    return fchmod(descriptor, granted) == 0 ? nil : errno
  }
}
