package import LullLibC

/// Replaces files atomically. A new file is written in the folder of the target and then renamed,
/// so that other programs see either the old or the new content.
package enum AtomicFile {
  /// A newly created file, which is open for writing.
  package struct Created {
    package let descriptor: Int32
    package let name: [UInt8]
  }

  /// Creates a hidden file in the folder of `target`. On failure, returns nil and sets `errno`.
  package static func create(beside target: [UInt8], mode: mode_t) -> Created? {
    for name in FileName.hidden(beside: target) {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
      let descriptor = open(FileName.cString(name), flags, mode)
      if descriptor >= 0 { return Created(descriptor: descriptor, name: name) }
      guard errno == EEXIST else { break }
    }
    return nil
  }

  /// Writes `bytes` to a new file and renames the file to `target`. A file or link at `target` is
  /// replaced. Callable on any thread.
  ///
  /// - Parameters:
  ///   - permissions: The final permissions. When the file is created, it has at most these
  ///     permissions.
  ///   - isForced: Whether the content is synced to the disk before the file is renamed.
  /// - Returns: The error number; nil on success. After an error, `target` is unchanged.
  package static func write(
    _ bytes: [UInt8], to target: [UInt8], _ permissions: FilePermissions, isForced: Bool = false
  ) -> Int32? {
    guard let file = create(beside: target, mode: permissions.creationMode) else { return errno }
    var failure = DescriptorWriting.put(bytes, into: file.descriptor)
    if failure == nil { failure = permissions.apply(to: file.descriptor) }
    if isForced, failure == nil, fsync(file.descriptor) != 0 { failure = errno }
    if close(file.descriptor) != 0, failure == nil { failure = errno }
    if failure == nil, rename(FileName.cString(file.name), FileName.cString(target)) != 0 {
      failure = errno
    }
    if failure != nil { unlink(FileName.cString(file.name)) }
    return failure
  }
}
