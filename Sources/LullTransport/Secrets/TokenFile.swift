import LullLibC
package import LullCore
import LullSystem
import Synchronization

/// Tokens that outlive a process: a JSON file for its owner alone, which several processes share.
///
/// Written beside and renamed, so that a reader sees the old or the new one. A file that others may
/// read is neither read nor replaced. Every call blocks: for the pool.
package struct TokenFile: Sendable {
  package struct Problem: Error, Equatable {
    /// In words that hold nothing of the content.
    package let message: String
    /// Whether others have had the lock for all of the time.
    package let isBusy: Bool

    package init(message: String, isBusy: Bool = false) {
      self.message = message
      self.isBusy = isBusy
    }
  }

  package let path: String
  /// What it is, for messages.
  private let noun: String
  private let limit: Int

  /// Touches nothing. `~/` is the home folder.
  ///
  /// - Parameters:
  ///   - noun: what it is, where that is something else.
  ///   - limit: how large it may be.
  package init(_ path: String, noun: String = "token file", limit: Int = SecretFile.limit) {
    self.path = HomeFolder.expanded(path)
    self.noun = noun
    self.limit = limit
  }

  /// What is there; nil if there is no file.
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
      throw Problem(message: "the \(noun) \(path) is not JSON; delete it to begin anew")
    }
    return document
  }

  /// Puts `value` in the place of what is there; makes the folder if it is not there.
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

  /// Takes it away; it need not be there.
  package func remove() throws(Problem) {
    guard unlink(path) != 0, errno != ENOENT else { return }
    throw problem("cannot be removed", errno)
  }

  /// Where tokens, or what else the folder is of, stand that no file is named for; nil without a home
  /// folder. By the XDG base directory specification: an absolute path, else `~/.local/state`.
  package static func standardPath(of name: String, in folder: String = "tokens") -> String? {
    stateFolder.map { $0 + "/\(folder)/\(name).json" }
  }

  /// Where what outlives a process stands, and is no cache; nil without a home folder.
  package static var stateFolder: String? {
    func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
    let (state, home) = (variable("XDG_STATE_HOME"), variable("HOME"))
    guard state.hasPrefix("/") || !home.isEmpty else { return nil }
    return (state.hasPrefix("/") ? state : home + "/.local/state") + "/lull"
  }

  /// Runs `body` while no other process does so for this file, nor another thread of this one.
  ///
  /// - Parameter seconds: how long to wait for others; it fails after that.
  package func locked<Result>(
    waiting seconds: Double = 30, _ body: () throws(Problem) -> Result
  ) throws(Problem) -> Result {
    let lock = try lock(waiting: seconds)
    defer { lock.release() }
    return try body()
  }

  /// The same until the lock is released, for what takes its time elsewhere.
  ///
  /// - Parameter isStopped: whether to wait no more; it fails then.
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
          message: "the \(noun) \(path) has been locked by others for \(seconds) s", isBusy: true)
      }
      guard !isStopped() else {
        throw Problem(message: "the \(noun) \(path) is locked by others")
      }
      usleep(20_000)
      left -= 0.02
    }
    return lock
  }

  /// A file of our own that nobody else may read.
  private func check(_ descriptor: Int32) throws(Problem) {
    guard let file = FileOwnership(descriptor), file.isRegular else {
      throw Problem(message: "the \(noun) \(path) is not a regular file")
    }
    guard file.isPrivate else {
      throw Problem(
        message: "the \(noun) \(path) may be read by others, and is not used: chmod 600 it, and "
          + "renew what it holds if others did")
    }
    guard file.isOwn else {
      throw Problem(message: "the \(noun) \(path) belongs to somebody else, and is not used")
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
      // Of a folder above that is not ours to make only its being there counts.
      guard stat(prefix, &status) == 0 else { throw problem("cannot be written", code) }
    }
  }

  private func problem(_ what: String, _ code: Int32) -> Problem {
    // A message of the C library, copied at once.
    Problem(message: "the \(noun) \(path) \(what) (\(ErrorText.of(code)))")
  }
}

/// The lock of a token file, released with the last who holds it, or with the process.
package final class TokenFileLock: Sendable {
  private let descriptor: Mutex<Int32>

  fileprivate init(_ descriptor: Int32) {
    self.descriptor = Mutex(descriptor)
  }

  /// Releasing it twice does nothing.
  package func release() {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else { return }
      // Closing gives the lock back.
      close(descriptor)
      descriptor = -1
    }
  }

  deinit {
    release()
  }
}
