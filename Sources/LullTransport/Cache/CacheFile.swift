import LullLibC
import LullCore
import LullSystem

/// A cache file as one process has it: opened when it is first needed, set aside when it makes no sense,
/// and left alone for good when it cannot be used.
///
/// Several processes use one file at once: SQLite's write-ahead log lets them read while one writes, and
/// a process that is killed leaves whole transactions only. For one thread at a time.
final class CacheFile {
  let path: String
  /// Told in one sentence what went wrong with the file; once for each thing.
  private let warn: @Sendable (String) -> Void
  /// The same of what is as it should be.
  private let note: @Sendable (String) -> Void
  private var database: SQLiteConnection?
  /// Of the file that `database` is.
  private var identity: CacheFolder.Identity?
  /// Why it is not used any more.
  private(set) var refusal: String?
  /// The disk was full: nothing more is written.
  private(set) var isFull = false
  private var countSetAside = 0
  /// What the log of this connection is bounded for.
  private var logMaxSize = Int.max
  /// Somebody has kept others waiting for too long: no more is waited until they are seen to go on.
  private var isImpatient = false
  /// Entries that were read, and when: written together, later.
  var reads: [Int64: Double] = [:]

  /// - Parameter note: nil if `warn` is told everything.
  init(
    path: String, note: (@Sendable (String) -> Void)? = nil,
    warn: @escaping @Sendable (String) -> Void
  ) {
    self.path = path
    self.warn = warn
    self.note = note ?? warn
  }

  /// Does something with the database; nil if that cannot be, of which nobody but the user is told.
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

  /// The same in a transaction; it may wait for other processes.
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

  /// Keeps the write-ahead log small beside a file of `maxSize`, in bytes.
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
      // Somebody has removed it or set it aside.
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
    // Also for setting aside what cannot even be opened.
    identity = CacheFolder.identity(of: path)
    database = try connected()
    return database
  }

  /// - Parameter isAgain: whether an older file has been set aside for it.
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

  /// Whoever has the older file open goes on with that one, under its new name, until it sees that
  /// there is another. Called with the lock held.
  private func setAside(version: Int64) -> Bool {
    do throws(CacheFolder.Failure) {
      let name = try CacheFolder.setAside(path, version: version)
      try CacheFolder.makeFile(path)
      identity = CacheFolder.identity(of: path)
      note(
        "the cache '\(path)' was written by an older Lull: it is '\(name)' now, and a new one begins"
      )
      return true
    } catch {
      refuse("\(error.message), though it was written by an older Lull")
      return false
    }
  }

  private func setAside(_ reason: String) {
    database = nil
    reads = [:]
    do throws(CacheFolder.Failure) {
      guard let lock = try CacheFileLock(of: path, isPatient: !isImpatient) else { return }
      defer { lock.release() }
      // Another process may have been faster.
      guard identity == CacheFolder.identity(of: path) else { return }
      countSetAside += 1
      guard countSetAside <= 3 else {
        return refuse("'\(path)' is damaged again and again: \(reason)")
      }
      let name = try CacheFolder.setAside(path, at: SystemClock.now)
      warn(
        "the cache '\(path)' cannot be read (\(reason)): it is '\(name)' now, and a new one begins")
    } catch {
      refuse("\(error.message), though it cannot be read (\(reason))")
    }
  }

  private func refuse(_ reason: String) {
    guard refusal == nil else { return }
    abandon()
    refusal = reason
    warn("there is no cache: \(reason)")
  }

  private func abandon() {
    database = nil
    identity = nil
    reads = [:]
  }
}
