import LullLibC

/// The file or stream to which the bytes of a download are written, and its final name.
package struct DownloadPlace: Sendable {
  package struct Failure: Error {
    package let text: String

    package init(_ text: String) { self.text = text }
    // The message of the C library, copied immediately.
    package init(errno code: Int32) { text = ErrorText.of(code) }
  }

  private enum Kind: Sendable {
    /// A stream, such as standard output. Bytes that have been written to a stream can't be
    /// removed.
    case stream(isOwned: Bool)
    /// A file without a name. It is given its final name by creating a link.
    case unnamed
    /// A hidden file in the folder of the target. It is renamed when it is complete.
    case named([UInt8])
    /// A part file. If it is incomplete, the download can be resumed later.
    case part(PartFile)
    case none
  }

  package let descriptor: Int32
  private var kind: Kind
  private var permissions = FilePermissions.usual
  /// The folder of a file that is named later and must not replace another file; nil for other
  /// downloads.
  private var folder: [UInt8]?
  /// Whether a number is added to the file name if the folder already has a file of that name.
  package var numbersNames = false
  /// The name that was set with `setName`, without an added number.
  private var name = ""
  /// The final path of the file; nil for standard output, or while the file has no name.
  package private(set) var path: [UInt8]?

  package static var standardOutput: DownloadPlace {
    DownloadPlace(descriptor: STDOUT_FILENO, kind: .stream(isOwned: false))
  }

  // MARK: Finding it

  /// Opens the file or stream to which a download to `path` is written. A file that exists at the
  /// path is not changed yet.
  ///
  /// - Parameters:
  ///   - allowsFolder: Whether the path may be a folder. The file in this folder is then named
  ///     later.
  ///   - partName: The name of the part file, if the path is a folder and the download can be
  ///     resumed later. nil if the download can't be resumed.
  package static func found(
    _ path: [UInt8], allowsFolder: Bool, partName: String?
  ) throws(Failure) -> DownloadPlace {
    guard !path.isEmpty, !path.contains(0) else { throw Failure("is not a file name") }
    var status = stat()
    guard stat(FileName.cString(path), &status) == 0 else {
      guard errno == ENOENT else { throw Failure(errno: errno) }
      guard path.last != UInt8(ascii: "/") else {
        throw Failure(allowsFolder ? "there is no such folder" : "is not a file name")
      }
      // Renaming would replace the link, and the file that it names would still not exist.
      guard !FileName.isLink(path) else { throw Failure("is a link to a file that does not exist") }
      return try beside(path, .usual, isPart: partName != nil)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      guard allowsFolder else { throw Failure("is a directory") }
      let name = FileName.path(of: partName ?? "download", in: path)
      var place = try beside(name, .usual, isPart: partName != nil)
      place.folder = path
      place.path = nil
      return place
    case S_IFREG:
      // Renaming would replace even a read-only file, which users don't expect.
      guard access(FileName.cString(path), W_OK) == 0 else { throw Failure(errno: errno) }
      // Replaces the target of a symbolic link, not the link.
      let target = FileName.resolved(path) ?? path
      var place = try beside(target, .of(status), isPart: partName != nil)
      place.path = path
      place.target = target
      return place
    default:
      guard partName == nil else {
        throw Failure("is not a regular file, so no download there can be resumed")
      }
      let descriptor = open(FileName.cString(path), O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Failure(errno: errno) }
      var place = DownloadPlace(descriptor: descriptor, kind: .stream(isOwned: true))
      place.path = path
      return place
    }
  }

  /// The path of the file to replace, with all links resolved. A link at `path` itself is not
  /// replaced.
  private var target: [UInt8]?

  private init(descriptor: Int32, kind: Kind) {
    self.descriptor = descriptor
    self.kind = kind
  }

  private static func beside(
    _ target: [UInt8], _ permissions: FilePermissions, isPart: Bool
  ) throws(Failure) -> DownloadPlace {
    var place = try opened(beside: target, permissions.creationMode, isPart: isPart)
    place.permissions = permissions
    place.path = target
    return place
  }

  private static func opened(
    beside target: [UInt8], _ mode: mode_t, isPart: Bool
  ) throws(Failure) -> DownloadPlace {
    if isPart {
      let part = try PartFile(of: target, mode: mode)
      return DownloadPlace(descriptor: part.descriptor, kind: .part(part))
    }
    if access(ownDescriptors, X_OK) == 0 {
      // O_TMPFILE, which Swift does not import from the C library.
      let unnamed = open(
        FileName.cString(FileName.folder(of: target)),
        O_WRONLY | O_CLOEXEC | 0o20000000 | O_DIRECTORY, mode)
      if unnamed >= 0 { return DownloadPlace(descriptor: unnamed, kind: .unnamed) }
    }
    guard let named = AtomicFile.create(beside: target, mode: mode) else {
      throw Failure(errno: errno)
    }
    return DownloadPlace(descriptor: named.descriptor, kind: .named(named.name))
  }

  private static let ownDescriptors = "/proc/self/fd"

  // MARK: Writing

  package var isStream: Bool { if case .stream = kind { true } else { false } }

  package var isTerminal: Bool { isatty(descriptor) != 0 }

  /// If this is a stream, flushes standard I/O, so that the download comes after output written
  /// earlier.
  package func comeAfterPrinted() { if isStream { fflush(nil) } }

  /// The part file of a download that can be resumed.
  package var part: PartFile? { if case .part(let part) = kind { part } else { nil } }

  /// Whether the file is in a folder and has no name yet.
  package var isNameless: Bool { folder != nil && path == nil }

  /// Sets the name of the file in its folder. Returns a failure if another file has this name and
  /// no number may be added to it.
  package mutating func setName(_ name: String) -> Failure? {
    guard let folder else { return nil }
    self.name = name
    for name in FileName.numbered(name).prefix(numbersNames ? .max : 1) {
      let path = FileName.path(of: name, in: folder)
      var status = stat()
      guard lstat(FileName.cString(path), &status) != 0 else { continue }
      self.path = path
      return nil
    }
    return Failure("'\(name)' already exists: to replace it, name it in the path")
  }

  /// Discards the bytes written so far. Returns false if that is impossible.
  package func empty() -> Bool {
    if isStream { return false }
    return ftruncate(descriptor, 0) == 0 && lseek(descriptor, 0, SEEK_SET) == 0
  }

  /// Gives the file its final name and closes the file. Returns the error number; nil on success.
  /// The file is not synced to the disk.
  package mutating func finish() -> Int32? {
    var failure: Int32?
    if !isStream, let path = target ?? path {
      failure = permissions.apply(to: descriptor) ?? putInPlace(path)
      // Another process has taken the name meanwhile.
      while failure == EEXIST, numbersNames, setName(name) == nil, let path = self.path {
        failure = putInPlace(path)
      }
    }
    let closing = discard(keepsPart: true)
    return failure ?? closing
  }

  private mutating func putInPlace(_ path: [UInt8]) -> Int32? {
    switch kind {
    case .stream, .none: return nil
    case .unnamed: return link(as: path)
    case .named(let name):
      if let failure = FileName.rename(name, to: path, replacing: folder == nil) { return failure }
    case .part(let part):
      if let failure = part.rename(to: path, replacing: folder == nil) { return failure }
    }
    kind = .unnamed
    return nil
  }

  private func link(as path: [UInt8]) -> Int32? {
    let own = "\(DownloadPlace.ownDescriptors)/\(descriptor)"
    let target = FileName.cString(path)
    guard linkat(AT_FDCWD, own, AT_FDCWD, target, AT_SYMLINK_FOLLOW) != 0 else { return nil }
    guard errno == EEXIST, folder == nil else { return errno }
    // A link can't replace a file. So the new file first gets a hidden name, and is then renamed.
    for name in FileName.hidden(beside: path).lazy.map(FileName.cString) {
      guard linkat(AT_FDCWD, own, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else {
        if errno == EEXIST { continue }
        return errno
      }
      guard rename(name, target) != 0 else { return nil }
      let failure = errno
      unlink(name)
      return failure
    }
    return EEXIST
  }

  /// Closes the file. If the file doesn't have its final name, it is removed, except that a part
  /// file stays if `keepsPart` is true. Calling this function again does nothing. Returns the error
  /// number of closing the file; nil on success.
  @discardableResult
  package mutating func discard(keepsPart: Bool) -> Int32? {
    var isOwned = true
    switch kind {
    case .none, .stream(isOwned: false): isOwned = false
    case .stream, .unnamed: break
    case .named(let name): unlink(FileName.cString(name))
    case .part(let part): if !keepsPart { part.remove() }
    }
    kind = .none
    return isOwned && close(descriptor) != 0 ? errno : nil
  }
}
