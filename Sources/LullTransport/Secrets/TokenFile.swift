import LullLibC
package import LullCore
import LullSystem
import Synchronization

/// Tokens that outlive a process, in a JSON file that several processes share and only its owner
/// may read.
///
/// A new file is written next to the old one and renamed, so that a reader sees either the old or
/// the new content. A file that other users may read is neither read nor replaced. Every method
/// blocks, so call it in the thread pool.
package struct TokenFile: Sendable {
  package struct Problem: Error, Equatable {
    /// The reason of the failure. The text contains nothing of the file's content.
    package let message: String
    /// Whether other processes held the lock during the whole wait.
    package let isBusy: Bool

    package init(message: String, isBusy: Bool = false) {
      self.message = message
      self.isBusy = isBusy
    }
  }

  package let path: String
  /// The kind of file, as messages name it.
  private let noun: String
  private let limit: Int

  /// Creates a reference to the file without accessing it. A leading `~/` is the home folder.
  ///
  /// - Parameters:
  ///   - noun: The kind of file, as messages name it.
  ///   - limit: The largest size in bytes.
  package init(_ path: String, noun: String = "token file", limit: Int = SecretFile.limit) {
    self.path = HomeFolder.expanded(path)
    self.noun = noun
    self.limit = limit
  }

  /// Returns the content, or nil if there is no file.
  package func read() throws(Problem) -> JSONDocument? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw problem("cannot be read", errno)
    }
    defer { close(descriptor) }
    try check(descriptor)
    guard let bytes = SecretFile.content(of: descriptor, limit: limit) else {
      throw Problem(
        message: "the \(noun) \(path) cannot be read, or is larger than \(limit >> 10) KB")
    }
    guard let document = try? JSONDocument(parsing: bytes) else {
      throw Problem(message: "the \(noun) \(path) is not JSON; delete it to start again")
    }
    return document
  }

  /// Replaces the content with `value`. Creates the folder if it does not exist.
  package func write(_ value: JSONValue) throws(Problem) {
    let bytes: [UInt8]
    do throws(JSONError) {
      bytes = try value.encode()
    } catch {
      throw Problem(message: "the \(noun) cannot be written: \(error.description)")
    }
    try makeFolder()
    let failure = AtomicFile.write(
      bytes, to: Array(path.utf8), .exactly(0o600), isForced: true)
    if let failure { throw problem("cannot be written", failure) }
  }

  /// Removes the file. A missing file is not an error.
  package func remove() throws(Problem) {
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw problem("cannot be removed", errno)
  }

  /// Returns the path of the file with that name in a subfolder of Lull's state folder. Returns nil
  /// if there is no home folder. The default subfolder contains the token files.
  ///
  /// The state folder follows the XDG base directory specification: it is in `$XDG_STATE_HOME` if
  /// that is an absolute path, else in `~/.local/state`.
  package static func standardPath(of name: String, in folder: String = "tokens") -> String? {
    stateFolder.map { $0 + "/\(folder)/\(name).json" }
  }

  /// The path of the folder for persistent data that is not a cache; nil without a home folder.
  package static var stateFolder: String? {
    func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
    let (state, home) = (variable("XDG_STATE_HOME"), variable("HOME"))
    guard state.hasPrefix("/") || !home.isEmpty else { return nil }
    return (state.hasPrefix("/") ? state : home + "/.local/state") + "/lull"
  }

  /// Runs `body` while this process holds the file's lock. No other process or thread can hold the
  /// lock at the same time.
  ///
  /// - Parameter seconds: How long to wait for the lock. After that time, the call throws.
  package func locked<Result>(
    waiting seconds: Double = 30, _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    let lock = try lock(waiting: seconds)
    defer { lock.release() }
    return try body()
  }

  /// Locks the file until the returned lock is released. Use this for work that continues after the
  /// call, such as a network request.
  ///
  /// - Parameter isStopped: Called repeatedly during the wait. If it returns true, the call throws.
  package func lock(
    waiting seconds: Double = 30, unless isStopped: () -> Bool = { false }
  ) throws(Problem) -> TokenFileLock {
    try makeFolder()
    let descriptor = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw problem("cannot be locked", errno) }
    let lock = TokenFileLock(descriptor)
    var left = seconds
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else { throw problem("cannot be locked", errno) }
      guard left > 0 else {
        throw Problem(
          message: "the \(noun) \(path) has been locked by another process for \(seconds) s",
          isBusy: true)
      }
      guard !isStopped() else {
        throw Problem(message: "the \(noun) \(path) is locked by another process")
      }
      usleep(20_000)
      left -= 0.02
    }
    return lock
  }

  /// Checks that the file is a regular file that belongs to this user and cannot be read by other
  /// users.
  private func check(_ descriptor: Int32) throws(Problem) {
    guard let file = FileOwnership(descriptor), file.isRegular else {
      throw Problem(message: "the \(noun) \(path) is not a regular file")
    }
    guard file.isPrivate else {
      throw Problem(
        message: "the \(noun) \(path) can be read by other users, and is not used: run chmod 600 "
          + "on it, and replace its contents if others may have read it")
    }
    guard file.isOwn else {
      throw Problem(message: "the \(noun) \(path) belongs to another user, and is not used")
    }
  }

  private func makeFolder() throws(Problem) {
    if access(path, F_OK) != 0, let folder = FileOwnership.foreignFolder(for: path) {
      throw Problem(
        message:
          "the \(noun) \(path) cannot be written: the folder \(folder) belongs to another user")
    }
    guard !HomeFolder.isMissing(for: path) else {
      throw Problem(
        message: "the \(noun) \(path) cannot be written: the folder that HOME names does not exist")
    }
    var prefix = ""
    for part in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() {
      prefix += part + "/"
      guard !part.isEmpty, mkdir(prefix, 0o700) != 0, errno != EEXIST else { continue }
      let code = errno
      var status = stat()
      // A parent folder that this user may not create is not an error if it exists.
      guard stat(prefix, &status) == 0 else { throw problem("cannot be written", code) }
    }
  }

  private func problem(_ what: String, _ code: Int32) -> Problem {
    // A message from the C library, copied immediately.
    Problem(message: "the \(noun) \(path) \(what) (\(ErrorText.of(code)))")
  }
}

/// The lock of a token file. It is released when the last reference to it is released, or when the
/// process ends.
package final class TokenFileLock: Sendable {
  private let descriptor: Mutex<Int32>

  fileprivate init(_ descriptor: Int32) {
    self.descriptor = Mutex(descriptor)
  }

  /// Releases the lock. Releasing it again has no effect.
  package func release() {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else { return }
      // Closing releases the lock.
      close(descriptor)
      descriptor = -1
    }
  }

  deinit {
    release()
  }
}
