import LullLibC
import LullCore
import LullSystem

/// The file in which the processes of one user count what limits let through, as this process has it: opened
/// when it is first needed, set aside when it makes no sense, and left alone for good when it cannot be used.
///
/// Processes take turns at it, in the order in which they come. For one thread at a time.
final class LimitFile {
  let path: String
  /// Told in one sentence what went wrong with the file; once for each thing.
  private let warn: @Sendable (String) -> Void
  private var database: SQLiteConnection?
  private var identities: SaltedIdentities?
  private var identity: CacheFolder.Identity?
  private var locks: OwnerLocks?
  /// Why it is not used any more.
  private(set) var refusal: String?
  private var hasSetAside = false
  /// Whether it is only looked at: nothing is set aside then.
  private let isInspection: Bool

  /// Whoever is at the file is done within a millisecond, unless it has been stopped. Seconds.
  private static let patience = 10.0

  /// Touches no file before it is used.
  init(
    path: String, isInspection: Bool = false, warn: @escaping @Sendable (String) -> Void
  ) {
    self.path = path
    self.isInspection = isInspection
    self.warn = warn
  }

  /// Does something with the file, all or nothing; nil if it cannot be used, or if somebody else is at it and
  /// this one is not to wait.
  func change<Result>(
    waiting: Bool, _ body: (LimitTables) throws(SQLiteError) -> Result
  ) -> Result? {
    let end = SystemClock.uptime + LimitFile.patience
    while true {
      if let result = changeOnce(waiting: waiting, body) { return result }
      guard waiting, refusal == nil else { return nil }
      if SystemClock.uptime >= end {
        refuse("'\(path)' has been locked for \(Int(LimitFile.patience)) s")
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
      // Of processes only people's tools are at it during this turn.
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
    if locks.waitForTurn(seconds: LimitFile.patience) { return true }
    let holder = locks.turnHolder.map { "process \($0)" } ?? "another process"
    refuse("\(holder) has held '\(path)-lock' for \(Int(LimitFile.patience)) s")
    return false
  }

  private func openedLocks() -> OwnerLocks? {
    if let locks, locks.identity == CacheFolder.identity(of: OwnerLocks.name(of: path)) {
      return locks
    }
    // Somebody has removed what stands for the locks: others would not see those of this process.
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
      // Somebody has removed it or set it aside.
      self.database = nil
    }
    if let problem = SQLiteConnection.problem {
      throw SQLiteError(code: unusable, message: problem)
    }
    do throws(CacheFolder.Failure) {
      try CacheFolder.makeFile(path)
    } catch {
      throw SQLiteError(code: unusable, message: error.message)
    }
    identity = CacheFolder.identity(of: path)
    let database = try SQLiteConnection(path: path)
    if try !LimitSchema.isReady(database) { try LimitSchema.create(in: database) }
    try LimitSchema.configure(database)
    let identities = try LimitSchema.identities(of: database)
    try database.transaction { () throws(SQLiteError) in
      try LimitClock.adjust(
        database, boot: BootTime.boot, uptime: BootTime.now, wall: SystemClock.now)
      try LimitTables(database, identities, locks).forgetUnused(now: BootTime.now)
    }
    self.identities = identities
    self.database = database
    return database
  }

  /// None of SQLite's that means anything better.
  private var unusable: Int32 { 14 }

  private func failed(_ error: SQLiteError) {
    switch error.kind {
    // The next time it may work.
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
        "the file of shared limits '\(path)' cannot be read (\(reason)): it is '\(name)' now, and a new "
          + "one begins, so that limits begin anew")
    } catch {
      refuse("\(error.message), though it cannot be read (\(reason))")
    }
  }

  private func refuse(_ reason: String) {
    guard refusal == nil else { return }
    database = nil
    refusal = reason
    warn(isInspection ? reason : "shared limits hold within this process only: \(reason)")
  }
}
