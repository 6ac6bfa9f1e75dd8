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

/// What is in a folder.
package enum FolderListing {
  package struct Unreadable: Error {
    /// The error number.
    package let code: Int32
  }

  /// The names of all that is in it, hidden ones too, in no order.
  package static func names(in folder: [UInt8]) throws(Unreadable) -> [[UInt8]] {
    guard let directory = opendir(FileName.cString(folder)) else {
      throw Unreadable(code: errno)
    }
    defer { closedir(directory) }
    var names: [[UInt8]] = []
    while let entry = readdir(directory) {
      // The name ends with a NUL, inside the entry.
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        Array(bytes.prefix { $0 != 0 })
      }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    return names
  }

  /// The same as text; what of a name is no UTF-8 is replaced.
  package static func names(in folder: String) throws(Unreadable) -> [String] {
    try names(in: Array(folder.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Paths that begin in the home folder of whoever runs the program.
package enum HomeFolder {
  /// Whether a path leads into a home folder that does not exist, and which nobody should make: the
  /// variable may be wrong.
  package static func isMissing(for path: String) -> Bool {
    guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/"),
      path.hasPrefix(home.hasSuffix("/") ? home : home + "/")
    else { return false }
    return access(home, F_OK) != 0
  }

  /// `~/` is the home folder, where the environment names one.
  package static func expanded(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
    return String(cString: home) + path.dropFirst()
  }
}

/// A folder for what is needed for a while, for the user alone.
package struct TemporaryFolder {
  package let path: String

  /// Where such folders, and such files, are made: $TMPDIR, if that is a path from the root.
  package static var place: String {
    let named = getenv("TMPDIR").flatMap { String(validatingCString: $0) }
    return named.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
  }

  /// A new one; nil with `errno` if it cannot be made.
  ///
  /// - Parameter start: what its name begins with.
  package init?(_ start: String) {
    var name = FileName.cString(Array("\(TemporaryFolder.place)/\(start)-XXXXXX".utf8))
    guard mkdtemp(&name) != nil else { return nil }
    path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Takes it away with all that is in it; links are not followed.
  package func remove() { TemporaryFolder.remove(Array(path.utf8)) }

  private static func remove(_ path: [UInt8]) {
    guard !FileName.isLink(path), let names = try? FolderListing.names(in: path) else {
      unlink(FileName.cString(path))
      return
    }
    for name in names { remove(path + [UInt8(ascii: "/")] + name) }
    rmdir(FileName.cString(path))
  }
}
