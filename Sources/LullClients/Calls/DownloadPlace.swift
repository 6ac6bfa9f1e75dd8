import Glibc
import LullCore
import LullHost
import LullSystem

/// Where the bytes of a download go, and how they get the name they are to have.
struct DownloadPlace {
  struct Failure: Error {
    let text: String

    init(_ text: String) { self.text = text }
    // A message of the C library, copied at once.
    init(errno code: Int32) { text = ErrorText.of(code) }
  }

  private enum Kind {
    /// Written at once, and never taken back.
    case stream(isOwned: Bool)
    /// A file without a name, to be linked.
    case unnamed(target: String, FilePermissions)
    /// A file beside the target, to be renamed.
    case named(String, target: String, FilePermissions)
    case none
  }

  let descriptor: Int32
  private var kind: Kind

  static var standardOutput: DownloadPlace {
    DownloadPlace(descriptor: STDOUT_FILENO, kind: .stream(isOwned: false))
  }

  /// Opens what is needed for a file of that path; nothing is changed yet.
  static func found(_ path: String) throws(Failure) -> DownloadPlace {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw Failure("is no name of a file") }
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw Failure(errno: errno) }
      guard !path.hasSuffix("/") else { throw Failure("is no name of a file") }
      // What it should name would not be there afterwards either.
      guard !FileName.isLink(Array(path.utf8)) else {
        throw Failure("is a link to what does not exist")
      }
      return try temporary(beside: path, .usual)
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw Failure("is a directory")
    case S_IFREG:
      // It would be replaced even so, which nobody expects of a file that must not be written.
      guard access(path, W_OK) == 0 else { throw Failure(errno: errno) }
      // What a symbolic link leads to is replaced, not the link.
      return try temporary(beside: FileName.resolved(path) ?? path, .of(status))
    default:
      let descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Failure(errno: errno) }
      return DownloadPlace(descriptor: descriptor, kind: .stream(isOwned: true))
    }
  }

  private static func temporary(
    beside target: String, _ permissions: FilePermissions
  ) throws(Failure) -> DownloadPlace {
    let mode = permissions.creationMode
    if access(ownDescriptors, X_OK) == 0 {
      // O_TMPFILE, which Glibc has but Swift does not see.
      let unnamed = open(
        FileName.folder(of: target), O_WRONLY | O_CLOEXEC | 0o20000000 | O_DIRECTORY, mode)
      if unnamed >= 0 {
        return DownloadPlace(descriptor: unnamed, kind: .unnamed(target: target, permissions))
      }
    }
    guard let named = AtomicFile.create(beside: Array(target.utf8), mode: mode) else {
      throw Failure(errno: errno)
    }
    let name = String(decoding: named.name, as: UTF8.self)
    return DownloadPlace(
      descriptor: named.descriptor, kind: .named(name, target: target, permissions))
  }

  private static let ownDescriptors = "/proc/self/fd"

  // MARK: Its life

  /// Takes back what is written; false if that cannot be.
  func empty() -> Bool {
    if case .stream = kind { return false }
    return ftruncate(descriptor, 0) == 0 && lseek(descriptor, 0, SEEK_SET) == 0
  }

  /// Gives the file its name; the error number, nil if all went well. Not forced to the disk.
  mutating func finish() -> Int32? {
    var failure: Int32?
    switch kind {
    case .stream, .none: break
    case .unnamed(let target, let permissions):
      failure = permissions.apply(to: descriptor)
      if failure == nil { failure = link(as: target) }
    case .named(let name, let target, let permissions):
      failure = permissions.apply(to: descriptor)
      if failure == nil {
        if rename(name, target) == 0 {
          kind = .unnamed(target: target, permissions)
        } else {
          failure = errno
        }
      }
    }
    let closing = discard()
    return failure ?? closing
  }

  private func link(as target: String) -> Int32? {
    let own = "\(DownloadPlace.ownDescriptors)/\(descriptor)"
    guard linkat(AT_FDCWD, own, AT_FDCWD, target, AT_SYMLINK_FOLLOW) != 0 else { return nil }
    guard errno == EEXIST else { return errno }
    // A link replaces nothing: it needs a name to be renamed from.
    for name in FileName.hidden(beside: Array(target.utf8)).lazy.map(FileName.cString) {
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

  /// Closes it; what has got no name is gone. Again, it does nothing. The error number of closing, nil
  /// for none.
  @discardableResult
  mutating func discard() -> Int32? {
    var isOwned = true
    switch kind {
    case .none, .stream(isOwned: false): isOwned = false
    case .stream, .unnamed: break
    case .named(let name, _, _): unlink(name)
    }
    kind = .none
    return isOwned && close(descriptor) != 0 ? errno : nil
  }
}
