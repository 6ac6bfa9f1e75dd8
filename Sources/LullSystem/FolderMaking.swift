import LullLibC

/// Makes folders for what is written into them.
package enum FolderMaking {
  /// Makes a folder and those above it, as far as they are missing. Any thread.
  ///
  /// - Returns: the error number; nil if it is there.
  package static func make(_ folder: [UInt8]) -> Int32? {
    let slash = UInt8(ascii: "/")
    var end = folder.startIndex
    while end < folder.endIndex {
      let next = folder[end...].firstIndex(of: slash) ?? folder.endIndex
      let part = Array(folder[..<next])
      end = next + 1
      guard !part.isEmpty, mkdir(FileName.cString(part), 0o777) != 0, errno != EEXIST else {
        continue
      }
      let code = errno
      var status = stat()
      // Of a folder above that is not ours to make only its being there counts.
      guard stat(FileName.cString(part), &status) == 0 else { return code }
    }
    var status = stat()
    guard stat(FileName.cString(folder), &status) == 0 else { return errno }
    return status.st_mode & S_IFMT == S_IFDIR ? nil : ENOTDIR
  }
}
