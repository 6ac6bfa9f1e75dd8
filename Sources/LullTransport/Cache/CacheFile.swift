import LullCore
import LullLibC
import LullSystem

/// Gives one process access to a cache file. The file is opened when it is first needed. A damaged
/// file is set aside under another name. A file that cannot be accessed is no longer used.
///
/// Several processes use one file concurrently. With SQLite's write-ahead log, they can read while
/// one process writes, and a process that is killed leaves only complete transactions. Must be used
/// on one thread at a time.
final class CacheFile {
  let path: String
  /// Receives one sentence for each kind of problem with the file, once.
  private let warn: @Sendable (String) -> Void
  /// Receives messages that are not problems.
  private let note: @Sendable (String) -> Void
  private var database: SQLiteConnection?
  /// The identity of the opened file.
  private var identity: CacheFolder.Identity?
  /// The reason why the file is no longer used; nil while it is used.
  private(set) var refusal: String?
  /// Whether the disk was full. If so, nothing more is written.
  private(set) var isFull = false
  private var countSetAside = 0
  /// The size limit of the cache from which the current size limit of the write-ahead log was
  /// derived.
  private var logMaxSize = Int.max
  /// Whether another process has blocked this process for too long. If so, operations do not wait
  /// until the other process releases the file.
  private var isImpatient = false
  /// The times at which entries were read, keyed by entry ID. These times are written to the file
  /// together later.
  var reads: [Int64: Double] = [:]

  /// - Parameter note: A function for messages that are not problems; nil passes them to `warn`.
  init(
    path: String, note: (@Sendable (String) -> Void)? = nil,
    warn: @escaping @Sendable (String) -> Void
  ) {
    self.path = path
    self.warn = warn
    self.note = note ?? warn
  }

  /// Calls `body` with the database and returns its result. Returns nil if the call fails; the
  /// error is reported to the user only.
  @discardableResult
  func perform<Result>(
    _ body: (SQLiteConnection) throws(SQLiteError) -> Result
  ) -> Result? {
    do throws(SQLiteError) {
      guard let database = try opened() else { return nil }
      return try body(database)
    } catch {
      failed(error)
      return nil
    }
  }

  /// Like `perform`, but runs `body` in a transaction. The call may wait for other processes.
  @discardableResult
  func change<Result>(
    _ body: (SQLiteConnection) throws(SQLiteError) -> Result
  ) -> Result? {
    perform { (database) throws(SQLiteError) in
      let result = try database.transaction { () throws(SQLiteError) in try body(database) }
      if isImpatient { setPatience(true, database) }
      return result
    }
  }

  /// Limits the size of the write-ahead log for a file of at most `maxSize` bytes.
  func boundLog(maxSize: Int) {
    guard maxSize != logMaxSize else { return }
    perform { (database) throws(SQLiteError) in
      try CacheSchema.boundLog(of: database, maxSize: maxSize)
      logMaxSize = maxSize
    }
  }

  private func setPatience(_ isPatient: Bool, _ database: SQLiteConnection) {
    isImpatient = !isPatient
    database.wait(milliseconds: isPatient ? 2000 : 0)
  }

  private func opened() throws(SQLiteError) -> SQLiteConnection? {
    guard refusal == nil else { return nil }
    if let database {
      if identity == CacheFolder.identity(of: path) { return database }
      // Another process has removed the file or set it aside.
      abandon()
    }
    return try open()
  }

  private func open() throws(SQLiteError) -> SQLiteConnection? {
    if let problem = SQLiteConnection.problem {
      refuse(problem)
      return nil
    }
    let lock: CacheFileLock?
    do throws(CacheFolder.Failure) {
      lock = try CacheFileLock(of: path, isPatient: !isImpatient)
      if lock != nil { try CacheFolder.makeFile(path) }
    } catch {
      refuse(error.message)
      return nil
    }
    guard let lock else { throw SQLiteError.busy }
    defer { lock.release() }
    // The identity is also needed to set aside a file that cannot be opened.
    identity = CacheFolder.identity(of: path)
    database = try connected()
    return database
  }

  /// - Parameter isAgain: Whether an older file has already been set aside.
  private func connected(isAgain: Bool = false) throws(SQLiteError) -> SQLiteConnection? {
    let database = try SQLiteConnection(path: path)
    setPatience(!isImpatient, database)
    switch try CacheSchema.state(of: database) {
    case .ready: break
    case .empty: try CacheSchema.create(in: database)
    case .older(3) where try CacheSchema.migrate(database): break
    case .older(let version) where !isAgain:
      guard setAside(version: version) else { return nil }
      return try connected(isAgain: true)
    case .older(let version): throw SQLiteError.damaged("its version is \(version)")
    case .newer:
      refuse("'\(path)' was written by a newer Lull")
      return nil
    case .ofOthers:
      refuse("'\(path)' is a database of another program")
      return nil
    }
    try CacheSchema.configure(database)
    try CacheSchema.addMarks(to: database)
    logMaxSize = .max
    return database
  }

  private func failed(_ error: SQLiteError) {
    switch error.kind {
    case .passing:
      guard error.isBusy else { break }
      isImpatient = true
      if let database { setPatience(false, database) }
    case .moved: abandon()
    case .full:
      guard !isFull else { break }
      isFull = true
      warn("no room for the cache '\(path)' (\(error.message)): nothing more is written to it")
    case .corrupt: setAside(error.message)
    case .unusable:
      if access(path, R_OK | W_OK) != 0, errno == EACCES, CacheFolder.isRegularFile(path) {
        setAside(error.message)
      } else {
        refuse("'\(path)': \(error.message)")
      }
    }
  }

  /// Sets aside a file of an older version. Processes that have the file open use it under its new
  /// name until they notice the new file. Called with the lock held.
  private func setAside(version: Int64) -> Bool {
    do throws(CacheFolder.Failure) {
      let name = try CacheFolder.setAside(path, version: version)
      try CacheFolder.makeFile(path)
      identity = CacheFolder.identity(of: path)
      note(
        "the cache '\(path)' was written by an older Lull: it is renamed to '\(name)' and replaced"
      )
      return true
    } catch {
      refuse("\(error.message); an older Lull wrote the cache, so it must be replaced")
      return false
    }
  }

  private func setAside(_ reason: String) {
    database = nil
    reads = [:]
    do throws(CacheFolder.Failure) {
      guard let lock = try CacheFileLock(of: path, isPatient: !isImpatient) else { return }
      defer { lock.release() }
      // Another process may have set the file aside already.
      guard identity == CacheFolder.identity(of: path) else { return }
      countSetAside += 1
      guard countSetAside <= 3 else {
        return refuse("'\(path)' is damaged repeatedly: \(reason)")
      }
      let name = try CacheFolder.setAside(path, at: SystemClock.now)
      warn(
        "the cache '\(path)' cannot be read (\(reason)): it is renamed to '\(name)' and replaced")
    } catch {
      refuse("\(error.message); the cache cannot be read (\(reason)) and must be replaced")
    }
  }

  private func refuse(_ reason: String) {
    guard refusal == nil else { return }
    abandon()
    refusal = reason
    warn("the cache is not used: \(reason)")
  }

  private func abandon() {
    database = nil
    identity = nil
    reads = [:]
  }
}

/// Keeps the file within its size limit. The least recently used entries are removed, a few at a
/// time, so that other processes wait only briefly.
extension CacheFile {
  private static let entriesPerStep = 64
  private static let pagesPerStep = 256

  /// Removes one batch of entries if the file is larger than `maxSize` bytes.
  ///
  /// - Returns: Whether another call is needed.
  func makeRoom(maxSize: Int) -> Bool {
    let needsMore = perform { (database) throws(SQLiteError) -> Bool in
      let page = try Int(database.integer("PRAGMA page_size"))
      let limit = maxSize / page
      let free = try Int(database.integer("PRAGMA freelist_count"))
      let count = try Int(database.integer("PRAGMA page_count"))
      // Slightly more than needed, so that not every write has to remove entries.
      let excess = count - free - limit
      if excess > 0 {
        return try removeOldest(toFree: (excess + limit / 16) * page, from: database)
      }
      guard count > limit else { return false }
      return try shrink(database)
    }
    return needsMore ?? false
  }

  /// Shrinks the file by some of its unused pages.
  ///
  /// - Returns: Whether there may be more unused pages.
  func giveBackRoom() -> Bool {
    perform { (database) throws(SQLiteError) in try shrink(database) } ?? false
  }

  private func shrink(_ database: SQLiteConnection) throws(SQLiteError) -> Bool {
    let count = try database.integer("PRAGMA page_count")
    try database.execute("PRAGMA incremental_vacuum(\(CacheFile.pagesPerStep))")
    return try database.integer("PRAGMA page_count") < count
  }

  /// Removes some of the least recently used entries.
  ///
  /// - Returns: Whether there was anything to remove.
  private func removeOldest(
    toFree size: Int, from database: SQLiteConnection
  ) throws(SQLiteError) -> Bool {
    try database.transaction { () throws(SQLiteError) -> Bool in
      var ids: [Int64] = []
      var freed = 0
      try database.run(
        "SELECT id, size FROM entry ORDER BY used, id LIMIT ?",
        [.integer(Int64(CacheFile.entriesPerStep))]
      ) { (row) throws(SQLiteError) in
        guard freed < size else { return }
        ids.append(row.integer(0))
        // The value is limited, because an overflow by a damaged value would end the program.
        freed += Int(max(0, min(row.integer(1), 1 << 40)))
      }
      try CacheFile.remove(ids, from: database)
      return !ids.isEmpty
    }
  }
}

/// A lock that is held while a cache file is opened or set aside. Both operations consist of two
/// steps, and the file's name must refer to the same file in both steps. The lock is released when
/// its process ends.
final class CacheFileLock {
  private let descriptor: Int32

  /// Takes the lock. If `isPatient`, waits for other processes for up to 2 s. Returns nil if
  /// another process still holds the lock.
  init?(of path: String, isPatient: Bool) throws(CacheFolder.Failure) {
    descriptor = try CacheFolder.openLock(of: path)
    guard CacheFileLock.take(descriptor, isPatient: isPatient) else { return nil }
  }

  /// Locks an open file or folder. If `isPatient`, waits for other processes for up to 2 s. Returns
  /// false if another process still holds the lock.
  static func take(_ descriptor: Int32, isPatient: Bool) -> Bool {
    for _ in 0..<400 {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      guard isPatient, errno == EWOULDBLOCK || errno == EINTR else { break }
      usleep(5_000)
    }
    return false
  }

  /// Releases the lock.
  func release() { flock(descriptor, LOCK_UN) }

  deinit { close(descriptor) }
}

/// A checksum over the parts of a cache entry. It detects changes by a faulty disk or another
/// program, but not deliberate ones. (After FNV-1a, eight bytes at a time.)
struct CacheChecksum {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// The checksum as the signed integer that SQLite stores.
  var signed: Int64 { Int64(bitPattern: value) }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add($0) }
  }

  mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { add($0) }
  }

  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    // The length is added first, so that the checksum changes if bytes move from one part to the
    // next.
    mix(UInt64(bytes.count))
    let raw = UnsafeRawBufferPointer(bytes)
    var index = 0
    while index + 8 <= raw.count {
      mix(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
      index += 8
    }
    var last: UInt64 = 0
    for byte in raw[index...] { last = last << 8 | UInt64(byte) }
    mix(last)
  }

  private mutating func mix(_ word: UInt64) {
    value = (value ^ word) &* 0x0000_0100_0000_01b3
    value ^= value >> 29
  }
}
