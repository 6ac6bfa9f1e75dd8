import LullLibC

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
