import LullLibC

/// Where the bytes of a download go, and how they get the name they are to have.
package struct DownloadPlace: Sendable {
  package struct Failure: Error {
    package let text: String

    package init(_ text: String) { self.text = text }
    // A message of the C library, copied at once.
    package init(errno code: Int32) { text = ErrorText.of(code) }
  }

  private enum Kind: Sendable {
    /// Written at once, and never taken back.
    case stream(isOwned: Bool)
    /// A file without a name, to be linked.
    case unnamed
    /// A file beside the target, to be renamed.
    case named([UInt8])
    /// One that is gone on with later if it is not finished.
    case part(PartFile)
    case none
  }

  package let descriptor: Int32
  private var kind: Kind
  private var permissions = FilePermissions.usual
  /// Where the file gets a name that is found out later, and takes the place of no other.
  private var folder: [UInt8]?
  /// Whether a name that is taken in that folder gets a number.
  package var numbersNames = false
  /// The name without a number.
  private var name = ""
  /// Where it is to be; nil of standard output, and while it has no name.
  package private(set) var path: [UInt8]?

  package static var standardOutput: DownloadPlace {
    DownloadPlace(descriptor: STDOUT_FILENO, kind: .stream(isOwned: false))
  }

  // MARK: Finding it

  /// Opens what is needed for a file of that path; nothing of it is changed yet.
  ///
  /// - Parameters:
  ///   - allowsFolder: whether it may be a folder, for a file that is named later.
  ///   - partName: what the file is called in a folder while it is not complete, if it is one to be gone on
  ///     with; nil: it is not.
  package static func found(
    _ path: [UInt8], allowsFolder: Bool, partName: String?
  ) throws(Failure) -> DownloadPlace {
    guard !path.isEmpty, !path.contains(0) else { throw Failure("is no name of a file") }
    var status = stat()
    guard stat(FileName.cString(path), &status) == 0 else {
      guard errno == ENOENT else { throw Failure(errno: errno) }
      guard path.last != UInt8(ascii: "/") else {
        throw Failure(allowsFolder ? "there is no such folder" : "is no name of a file")
      }
      // What it should name would not be there afterwards either.
      guard !FileName.isLink(path) else { throw Failure("is a link to what does not exist") }
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
      // It would be replaced even so, which nobody expects of a file that must not be written.
      guard access(FileName.cString(path), W_OK) == 0 else { throw Failure(errno: errno) }
      // What a symbolic link leads to is replaced, not the link.
      let target = FileName.resolved(path) ?? path
      var place = try beside(target, .of(status), isPart: partName != nil)
      place.path = path
      place.target = target
      return place
    default:
      guard partName == nil else {
        throw Failure("is no regular file, and nothing there can be gone on with")
      }
      let descriptor = open(FileName.cString(path), O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Failure(errno: errno) }
      var place = DownloadPlace(descriptor: descriptor, kind: .stream(isOwned: true))
      place.path = path
      return place
    }
  }

  /// What a link leads to, in the place of `path`.
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
      // O_TMPFILE, which the C library has but Swift does not see.
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

  // MARK: Its life

  package var isStream: Bool { if case .stream = kind { true } else { false } }

  package var isTerminal: Bool { isatty(descriptor) != 0 }

  /// Lets what has been printed so far go out before anything is written to a stream.
  package func comeAfterPrinted() { if isStream { fflush(nil) } }

  /// One to be gone on with.
  package var part: PartFile? { if case .part(let part) = kind { part } else { nil } }

  /// Whether the file has still to be named.
  package var isNameless: Bool { folder != nil && path == nil }

  /// Names the file in its folder, which must have none of that name.
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
    return Failure("'\(name)' is there already, and is replaced only if the path names it")
  }

  /// Takes back what is written; false if that cannot be.
  package func empty() -> Bool {
    if isStream { return false }
    return ftruncate(descriptor, 0) == 0 && lseek(descriptor, 0, SEEK_SET) == 0
  }

  /// Gives the file its name; the error number, nil if all went well. Not forced to the disk.
  package mutating func finish() -> Int32? {
    var failure: Int32?
    if !isStream, let path = target ?? path {
      failure = permissions.apply(to: descriptor) ?? putInPlace(path)
      // Somebody else has taken the name meanwhile.
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
    // A link replaces nothing: it needs a name to be renamed from.
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

  /// Closes it; what has got no name is gone, but for a part that is to be kept. Again, it does nothing. The
  /// error number of closing, nil for none.
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
