import LullLibC

/// Names of files in the bytes that the system has for them, for what replaces a file as a whole.
package enum FileName {
  package static func cString(_ path: [UInt8]) -> [CChar] {
    path.map(CChar.init(bitPattern:)) + [0]
  }

  /// Hidden names in the same folder that nobody is likely to have, to be tried one after another.
  package static func hidden(beside target: [UInt8]) -> some Sequence<[UInt8]> {
    let slash = target.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
    // A name may have 255 bytes.
    let start = target[..<slash] + [UInt8(ascii: ".")] + target[slash...].prefix(200)
    return (0..<100).lazy.map { _ in
      start + Array(".\(getpid()).\(UInt32.random(in: 0...(.max)))".utf8)
    }
  }

  /// A name, and the same with numbers before its ending: `a.tar.gz`, `a-1.tar.gz`, `a-2.tar.gz` …
  package static func numbered(_ name: String) -> some Sequence<String> {
    var stem = name[...]
    if let dot = name.lastIndex(of: "."), dot > name.startIndex { stem = name[..<dot] }
    if stem.hasSuffix(".tar"), stem.count > 4 { stem = stem.dropLast(4) }
    let ending = name[stem.endIndex...]
    return (0...999).lazy.map { $0 == 0 ? name : "\(stem)-\($0)\(ending)" }
  }

  /// What links lead to: with all of them followed; nil if there is no such file.
  package static func resolved(_ path: [UInt8]) -> [UInt8]? {
    guard let text = realpath(cString(path), nil) else { return nil }
    defer { free(text) }
    // Allocated by realpath, with a NUL at its end.
    return Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }

  /// The same, where that is text.
  package static func resolved(_ path: String) -> String? {
    resolved(Array(path.utf8)).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The folder it is in, as far as the name says: `.` if it names none.
  package static func folder(of path: [UInt8]) -> [UInt8] {
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return [UInt8(ascii: ".")] }
    return slash == 0 ? [UInt8(ascii: "/")] : Array(path[..<slash])
  }

  /// The same, where that is text.
  package static func folder(of path: String) -> String {
    String(decoding: folder(of: Array(path.utf8)), as: UTF8.self)
  }

  /// The path of a file in a folder.
  package static func path(of name: String, in folder: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let end = folder.lastIndex { $0 != slash }
    return folder[..<(end.map { $0 + 1 } ?? 0)] + [slash] + Array(name.utf8)
  }

  /// Gives a file another name; the error number, nil if all went well.
  ///
  /// - Parameter replacing: whether it may take the place of another file.
  package static func rename(_ name: [UInt8], to target: [UInt8], replacing: Bool) -> Int32? {
    let (name, target) = (cString(name), cString(target))
    if !replacing {
      // A link takes nobody's place.
      guard link(name, target) != 0 else {
        unlink(name)
        return nil
      }
      var status = stat()
      // Some file systems have no links.
      guard errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS else { return errno }
      guard lstat(target, &status) != 0 else { return EEXIST }
    }
    return LullLibC.rename(name, target) == 0 ? nil : errno
  }

  /// Whether it is a folder, or a link that leads to one.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether it is a link; what it leads to need not be there.
  package static func isLink(_ path: [UInt8]) -> Bool {
    var status = stat()
    return lstat(cString(path), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }
}
