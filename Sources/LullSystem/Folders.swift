import LullLibC

/// Creates folders.
package enum FolderMaking {
  /// Creates a folder and its missing parents. Callable on any thread.
  ///
  /// - Returns: The error number; nil if the folder exists afterwards.
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
      // A parent that can't be created only needs to exist.
      guard stat(FileName.cString(part), &status) == 0 else { return code }
    }
    var status = stat()
    guard stat(FileName.cString(folder), &status) == 0 else { return errno }
    return status.st_mode & S_IFMT == S_IFDIR ? nil : ENOTDIR
  }
}

/// Lists folders.
package enum FolderListing {
  package struct Unreadable: Error {
    /// The error number.
    package let code: Int32
  }

  /// The names of all entries of a folder, including hidden ones, in no particular order.
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

  /// The names of all entries of a folder as text, with invalid UTF-8 replaced.
  package static func names(in folder: String) throws(Unreadable) -> [String] {
    try names(in: Array(folder.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Handles paths in the user's home folder.
package enum HomeFolder {
  /// Whether a path is in the home folder although the home folder doesn't exist. Lull should not
  /// create the home folder, since the variable HOME may be wrong.
  package static func isMissing(for path: String) -> Bool {
    guard let home = getenv("HOME").map({ String(cString: $0) }), home.hasPrefix("/"),
      path.hasPrefix(home.hasSuffix("/") ? home : home + "/")
    else { return false }
    return access(home, F_OK) != 0
  }

  /// Expands `~/` at the start of a path to the home folder, if the environment names a home
  /// folder.
  package static func expanded(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
    return String(cString: home) + path.dropFirst()
  }
}

/// A private folder for temporary files.
package struct TemporaryFolder {
  package let path: String

  /// The folder in which temporary folders and files are created: $TMPDIR if it is an absolute
  /// path, otherwise `/tmp`.
  package static var place: String {
    let named = getenv("TMPDIR").flatMap { String(validatingCString: $0) }
    return named.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
  }

  /// Creates a temporary folder. On failure, returns nil and sets `errno`.
  ///
  /// - Parameter start: The beginning of the folder's name.
  package init?(_ start: String) {
    var name = FileName.cString(Array("\(TemporaryFolder.place)/\(start)-XXXXXX".utf8))
    guard mkdtemp(&name) != nil else { return nil }
    path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Removes the folder and everything in it. Links are not followed.
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
