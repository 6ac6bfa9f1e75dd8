import LullLibC

/// Operations on file names, which are bytes as in the system. They are used to replace whole
/// files.
package enum FileName {
  package static func cString(_ path: [UInt8]) -> [CChar] {
    path.map(CChar.init(bitPattern:)) + [0]
  }

  /// Returns a sequence of hidden file names in the folder of `target`. The names are unlikely to
  /// exist; try them one after the other.
  package static func hidden(beside target: [UInt8]) -> some Sequence<[UInt8]> {
    let slash = target.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    // A name may have at most 255 bytes.
    let start = target[..<slash] + [UInt8(ascii: ".")] + target[slash...].prefix(200)
    return (0..<100).lazy.map { _ in
      start + Array(".\(getpid()).\(UInt32.random(in: 0...(.max)))".utf8)
    }
  }

  /// Returns the name itself, and then the name with numbers before the extension: `a.tar.gz`,
  /// `a-1.tar.gz`, `a-2.tar.gz` …
  package static func numbered(_ name: String) -> some Sequence<String> {
    var stem = name[...]
    if let dot = name.lastIndex(of: "."), dot > name.startIndex { stem = name[..<dot] }
    if stem.hasSuffix(".tar"), stem.count > 4 { stem = stem.dropLast(4) }
    let ending = name[stem.endIndex...]
    return (0...999).lazy.map { $0 == 0 ? name : "\(stem)-\($0)\(ending)" }
  }

  /// The path with all links resolved; nil if there is no such file.
  package static func resolved(_ path: [UInt8]) -> [UInt8]? {
    guard let text = realpath(cString(path), nil) else { return nil }
    defer { free(text) }
    // Allocated by realpath, with a NUL at its end.
    return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }

  /// The path with all links resolved; nil if there is no such file, or if the resolved path is not
  /// valid UTF-8.
  package static func resolved(_ path: String) -> String? {
    resolved(Array(path.utf8)).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The folder in a path; `.` if the path has no folder.
  package static func folder(of path: [UInt8]) -> [UInt8] {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return [UInt8(ascii: ".")] }
    return slash == 0 ? [UInt8(ascii: "/")] : Array(path[..<slash])
  }

  /// The folder in a path, for a path given as text; `.` if the path has no folder.
  package static func folder(of path: String) -> String {
    String(decoding: folder(of: Array(path.utf8)), as: UTF8.self)
  }

  /// The path of the file `name` in the folder `folder`.
  package static func path(of name: String, in folder: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let end = folder.lastIndex { $0 != slash }
    return folder[..<(end.map { $0 + 1 } ?? 0)] + [slash] + Array(name.utf8)
  }

  /// Renames a file. Returns the error number; nil on success.
  ///
  /// - Parameter replacing: Whether a file that exists at `target` may be replaced.
  package static func rename(_ name: [UInt8], to target: [UInt8], replacing: Bool) -> Int32? {
    let (name, target) = (cString(name), cString(target))
    if !replacing {
      // A hard link never replaces a file.
      guard link(name, target) != 0 else {
        unlink(name)
        return nil
      }
      var status = stat()
      // Some file systems don't support links.
      guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS else { return errno }
      guard lstat(target, &status) != 0 else { return EEXIST }
    }
    return LullLibC.rename(name, target) == 0 ? nil : errno
  }

  /// Whether the path is a folder, or a link to one.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether the path is a link, even if its target doesn't exist.
  package static func isLink(_ path: [UInt8]) -> Bool {
    var status = stat()
    return lstat(cString(path), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }
}
