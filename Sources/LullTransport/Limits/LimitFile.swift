import LullLibC
import LullCore
import LullSystem

/// Gives this process access to the file in which the processes of one user count admissions. The
/// file is opened when it is first needed. A damaged file is set aside. A file that cannot be
/// accessed is no longer used.
///
/// Processes take turns, in the order of their requests. Must be used on one thread at a time.
final class LimitFile {
  let path: String
  /// Receives one sentence for each kind of problem with the file, once.
  private let warn: @Sendable (String) -> Void
  private var database: SQLiteConnection?
  private var identities: SaltedIdentities?
  private var identity: CacheFolder.Identity?
  private var locks: OwnerLocks?
  /// The reason why the file is no longer used; nil while it is used.
  private var refusal: String?
  /// When the file is tried again after it was locked for too long, in seconds of uptime.
  private var restsUntil = 0.0
  private var hasSetAside = false
  /// Whether the file is only inspected, so that it is never set aside.
  private let isInspection: Bool

  /// How long to wait for another process to release the file, in seconds. A process needs the file
  /// for less than a millisecond, unless it was suspended.
  private let patience: Double
  /// How long the file is not used after another process has not released it in time, in seconds.
  /// (LIM-91)
  static let rest = 30.0
  private let rest: Double

  /// Creates the object without accessing the file.
  init(
    path: String, isInspection: Bool = false, patience: Double = 10, rest: Double = LimitFile.rest,
    warn: @escaping @Sendable (String) -> Void
  ) {
    self.path = path
    self.isInspection = isInspection
    self.patience = patience
    self.rest = rest
    self.warn = warn
  }

  /// Changes the file in one transaction. Returns nil if the file cannot be used, or if another
  /// process uses it and this call must not wait.
  func change<Result>(
    waiting: Bool, _ body: (LimitTables) throws(SQLiteError) -> Result
  ) -> Result? {
    let start = SystemClock.uptime
    guard start >= restsUntil else { return nil }
    while true {
      if let result = changeOnce(waiting: waiting, body) { return result }
      guard waiting, refusal == nil, restsUntil <= start else { return nil }
      if SystemClock.uptime >= start + patience {
        leaveAlone("'\(path)' has been locked for \(Int(patience)) s")
        return nil
      }
      usleep(2000)
    }
  }

  private func changeOnce<Result>(
    waiting: Bool, _ body: (LimitTables) throws(SQLiteError) -> Result
  ) -> Result? {
    guard refusal == nil, let locks = openedLocks() else { return nil }
    guard locks.tryTurn() || waiting && takeTurn(locks) else { return nil }
    defer { locks.endTurn() }
    do throws(SQLiteError) {
      let database = try opened(locks)
      guard let identities else { return nil }
      // During this turn only inspection tools can hold the database.
      database.wait(milliseconds: waiting ? 1000 : 0)
      return try database.transaction { () throws(SQLiteError) in
        try body(LimitTables(database, identities, locks))
      }
    } catch {
      failed(error)
      return nil
    }
  }

  private func takeTurn(_ locks: OwnerLocks) -> Bool {
    if locks.waitForTurn(seconds: patience) { return true }
    let holder = locks.turnHolder.map { "process \($0)" } ?? "another process"
    leaveAlone("\(holder) has held '\(path)-lock' for \(Int(patience)) s")
    return false
  }

  private func openedLocks() -> OwnerLocks? {
    if let locks, locks.identity == CacheFolder.identity(of: OwnerLocks.name(of: path)) {
      return locks
    }
    // The lock file was removed, so other processes would not see this process's locks.
    locks = nil
    do throws(CacheFolder.Failure) {
      locks = try OwnerLocks(path: path)
    } catch {
      refuse(error.message)
    }
    return locks
  }

  private func opened(_ locks: OwnerLocks) throws(SQLiteError) -> SQLiteConnection {
    if let database {
      if identity == CacheFolder.identity(of: path) { return database }
      // Another process has removed the file or set it aside.
      self.database = nil
    }
    if let problem = SQLiteConnection.problem {
      throw SQLiteError.unusable(problem)
    }
    do throws(CacheFolder.Failure) {
      try CacheFolder.makeFile(path)
    } catch {
      throw SQLiteError.unusable(error.message)
    }
    identity = CacheFolder.identity(of: path)
    let database = try SQLiteConnection(path: path)
    self.identities = try LimitFile.prepare(
      database, locks, boot: BootTime.boot, now: BootTime.now, wall: SystemClock.now)
    self.database = database
    return database
  }

  /// Creates missing tables, and updates the content of existing tables.
  static func prepare(
    _ database: SQLiteConnection, _ locks: OwnerLocks, boot: String, now: Double, wall: Double
  ) throws(SQLiteError) -> SaltedIdentities {
    if try !LimitSchema.isReady(database) { try LimitSchema.create(in: database) }
    try LimitSchema.configure(database)
    let identities = try LimitSchema.identities(of: database)
    try database.transaction { () throws(SQLiteError) in
      try LimitClock.adjust(database, boot: boot, uptime: now, wall: wall)
      try LimitTables(database, identities, locks).forgetUnused(now: now)
    }
    return identities
  }

  private func failed(_ error: SQLiteError) {
    switch error.kind {
    // The next attempt may succeed.
    case .passing: break
    case .moved: database = nil
    case .corrupt where !hasSetAside && !isInspection: setAside(error.message)
    case .corrupt, .full, .unusable: refuse("'\(path)': \(error.message)")
    }
  }

  private func setAside(_ reason: String) {
    database = nil
    hasSetAside = true
    do throws(CacheFolder.Failure) {
      let name = try CacheFolder.setAside(path, at: SystemClock.now)
      warn(
        "the shared limits file '\(path)' cannot be read (\(reason)): it is renamed to '\(name)' "
          + "and replaced, so limits start again")
    } catch {
      refuse("\(error.message); the file cannot be read (\(reason)) and must be replaced")
    }
  }

  /// Stops using the file for a while: another process has not released it.
  private func leaveAlone(_ reason: String) {
    restsUntil = SystemClock.uptime + rest
    warn(
      isInspection
        ? reason
        : "limits are shared only within this process for the next \(Int(rest)) s: \(reason)")
  }

  private func refuse(_ reason: String) {
    guard refusal == nil else { return }
    database = nil
    refusal = reason
    warn(isInspection ? reason : "limits are shared only within this process: \(reason)")
  }
}
