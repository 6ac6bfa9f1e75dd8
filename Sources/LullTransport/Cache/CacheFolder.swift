import LullLibC
import LullCore
import LullSystem

/// Paths of cache files, and file operations by name.
enum CacheFolder {
  struct Failure: Error {
    let message: String
  }

  /// Returns the path of the default cache file: `lull/cache.db` in `$XDG_CACHE_HOME` if that is an
  /// absolute path, else in `~/.cache`. (XDG Base Directory Specification)
  static func defaultPath() throws(Failure) -> String {
    if let folder = try environment("XDG_CACHE_HOME"), folder.hasPrefix("/") {
      return folder + "/lull/cache.db"
    }
    if let home = try environment("HOME"), home.hasPrefix("/") {
      return home + "/.cache/lull/cache.db"
    }
    throw Failure(message: "neither XDG_CACHE_HOME nor HOME names a folder")
  }

  /// Returns the absolute path, so that later changes of the working directory have no effect.
  static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    // The memory was allocated by the C library, and is freed here.
    defer { free(folder) }
    return String(validatingCString: folder).map { $0 + "/" + path } ?? path
  }

  /// Creates the file if it does not exist, readable by its owner only.
  ///
  /// If the file exists, this fails unless the file belongs only to this user: it must not be a
  /// link, belong to another user, or be readable or writable by other users. (LIM-93)
  static func makeFile(_ path: String) throws(Failure) {
    try checkFile(path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      // The descriptor can be closed, because SQLite has not opened this new file yet.
      close(descriptor)
    } else if errno != EEXIST {
      throw failure("cannot create '\(path)'")
    }
  }

  /// Fails if the file must not be used to store state, for example because other users may read
  /// it. The file need not exist.
  static func checkFile(_ path: String) throws(Failure) {
    guard let file = FileOwnership(at: path) else { return try checkFolder(of: path) }
    guard !file.isLink else {
      throw Failure(message: "'\(path)' is a symbolic link; use the path it leads to")
    }
    guard file.isRegular else { throw Failure(message: "'\(path)' is not a regular file") }
    guard file.isOwn else {
      throw Failure(message: "'\(path)' belongs to another user")
    }
    guard file.isPrivate else {
      throw Failure(message: "other users may read or write '\(path)'; run chmod 600 on it")
    }
  }

  private static func checkFolder(of path: String) throws(Failure) {
    guard let folder = FileOwnership.foreignFolder(for: path) else { return }
    throw Failure(message: "the folder '\(folder)' belongs to another user")
  }

  /// Opens the lock file that protects the opening and renaming of the cache. Creates missing
  /// folders.
  static func openLock(of path: String) throws(Failure) -> Int32 {
    try checkFile(path)
    try checkFile(path + "-lock")
    try makeFolders(of: path)
    let descriptor = open(path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("cannot create '\(path)-lock'") }
    return descriptor
  }

  /// Device and inode of a file, which identify it under any name.
  struct Identity: Equatable {
    let device: UInt
    let number: UInt
  }

  /// Returns nil if there is no such file.
  static func identity(of path: String) -> Identity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Identity(device: UInt(status.st_dev), number: UInt(status.st_ino))
  }

  static func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns the size in bytes, or 0 if there is no such file.
  static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Moves a file and its write-ahead log to a new name.
  /// - Returns: The new name.
  static func setAside(_ path: String, at time: Double) throws(Failure) -> String {
    var name = "\(path).corrupt-\(Int(time))"
    var count = 1
    while identity(of: name) != nil {
      count += 1
      name = "\(path).corrupt-\(Int(time))-\(count)"
    }
    try move(path, to: name)
    return name
  }

  /// Moves a file of an older version and its write-ahead log to a new name. Replaces a file that
  /// was set aside before.
  /// - Returns: The new name.
  static func setAside(_ path: String, version: Int64) throws(Failure) -> String {
    let name = older(path, version: version)
    try remove(name)
    try move(path, to: name)
    return name
  }

  /// The name of a set-aside file of an older version.
  static func older(_ path: String, version: Int64) -> String { "\(path).version-\(version)" }

  private static func move(_ path: String, to name: String) throws(Failure) {
    guard rename(path, name) == 0 else { throw failure("cannot rename '\(path)'") }
    // The write-ahead log may not exist, so failures are ignored.
    rename(path + "-wal", name + "-wal")
    unlink(path + "-shm")
  }

  /// Whether a file begins like a cache of this version or of an older version. The rest of the
  /// file may be damaged. (SQLite's file format, 1.3)
  static func isCache(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 100)
    guard read(descriptor, &bytes, bytes.count) == bytes.count else { return false }
    func number(_ start: Int) -> Int64 {
      bytes[start..<start + 4].reduce(0) { $0 << 8 | Int64($1) }
    }
    return bytes.starts(with: Array("SQLite format 3\0".utf8))
      && number(68) == CacheSchema.application && number(60) <= CacheSchema.version
  }

  /// Whether a path names a regular file, and not a link to one.
  static func isPlainFile(_ path: String) -> Bool {
    FileOwnership(at: path)?.isRegular ?? false
  }

  /// Removes a file with its write-ahead log. Processes that have the file open then use the next
  /// file with this name.
  static func remove(_ path: String) throws(Failure) {
    guard unlink(path) == 0 || errno == ENOENT else { throw failure("cannot remove '\(path)'") }
    // The write-ahead log may not exist, so failures are ignored.
    unlink(path + "-wal")
    unlink(path + "-shm")
  }

  private static func makeFolders(of path: String) throws(Failure) {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
    let folder = String(path[..<slash])
    guard identity(of: folder) == nil else { return }
    guard !HomeFolder.isMissing(for: path) else {
      throw Failure(
        message: "cannot create the folder '\(folder)': the folder that HOME names does not exist")
    }
    try makeFolders(of: folder)
    // Another process may create the folder at the same time.
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw failure("cannot create the folder '\(folder)'")
    }
  }

  private static func failure(_ what: String) -> Failure {
    // A message from the C library, copied immediately.
    Failure(message: "\(what): \(ErrorText.of(errno))")
  }

  private static func environment(_ name: String) throws(Failure) -> String? {
    // The memory belongs to the environment, so it is read immediately.
    guard let value = getenv(name) else { return nil }
    guard let text = String(validatingCString: value) else {
      throw Failure(message: "\(name) is not valid UTF-8: '\(String(escapingCString: value))'")
    }
    return text.isEmpty ? nil : text
  }
}
