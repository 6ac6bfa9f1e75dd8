package import LullLibC

/// Files that are written beside their place and put there whole: a reader sees the old one or the new.
package enum AtomicFile {
  /// A new file, open for writing.
  package struct Created {
    package let descriptor: Int32
    package let name: [UInt8]
  }

  /// A new hidden file in the folder of `target`; nil with `errno` if that cannot be.
  package static func create(beside target: [UInt8], mode: mode_t) -> Created? {
    for name in FileName.hidden(beside: target) {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
      let descriptor = open(FileName.cString(name), flags, mode)
      if descriptor >= 0 { return Created(descriptor: descriptor, name: name) }
      guard errno == EEXIST else { break }
    }
    return nil
  }

  /// Replaces `target` by a file of these bytes, or makes it. Follows no link. Any thread.
  ///
  /// - Parameters:
  ///   - permissions: what it has in the end; it is made with no more.
  ///   - isForced: whether its content is on the disk before it takes the place.
  /// - Returns: the error number; nil if all went well. After an error all is as it was.
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
