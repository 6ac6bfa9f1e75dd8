package import LullLibC

/// The permissions of a new file, from its creation on. The new file may replace another file.
///
/// The permissions at creation never exceed the final permissions, regardless of the umask of the
/// process. Set-user-ID and set-group-ID bits of the replaced file are not copied, since they were
/// granted to the old content.
package struct FilePermissions {
  /// The final mode, regardless of the umask. If nil, the final mode is `creationMode` reduced by
  /// the umask.
  private let mode: mode_t?
  /// The owner and group to set, taken from the replaced file. If nil, owner and group are not set.
  private let owner: (user: uid_t, group: gid_t)?

  private init(mode: mode_t?, owner: (user: uid_t, group: gid_t)?) {
    self.mode = mode.map { $0 & 0o777 }
    self.owner = owner
  }

  /// The permissions of a new file that doesn't replace another: the default, reduced by the umask.
  package static var usual: FilePermissions { FilePermissions(mode: nil, owner: nil) }

  /// Exactly the permissions in `mode`, regardless of the umask.
  package static func exactly(_ mode: mode_t) -> FilePermissions {
    FilePermissions(mode: mode, owner: nil)
  }

  /// The permissions of an existing file. The owner and group of the file are included, as far as
  /// this process may set them.
  ///
  /// - Parameter mode: A mode to use instead of the file's mode.
  package static func of(_ status: stat, mode: mode_t? = nil) -> FilePermissions {
    let isOurs = status.st_uid == geteuid() && status.st_gid == getegid()
    return FilePermissions(
      mode: mode ?? status.st_mode,
      owner: isOurs ? nil : (status.st_uid, status.st_gid))
  }

  /// The mode with which the file is created.
  package var creationMode: mode_t {
    // Until owner and group are set, only this user has access.
    let mode = mode ?? 0o666
    return owner == nil ? mode : mode & 0o700
  }

  /// Sets the final permissions of a file that has been written. Returns the error number; nil on
  /// success.
  package func apply(to descriptor: Int32) -> Int32? {
    guard let mode else { return nil }
    guard let owner else { return fchmod(descriptor, mode) == 0 ? nil : errno }
    var granted = mode
    let isGivenAway = fchown(descriptor, owner.user, owner.group) == 0
    if !isGivenAway, fchown(descriptor, uid_t.max, owner.group) != 0 {
      // The file keeps our group, which may have other members than the intended group.
      granted &= 0o700 | (mode & 0o007) << 3 | 0o007
    }
    return fchmod(descriptor, granted) == 0 ? nil : errno
  }
}
