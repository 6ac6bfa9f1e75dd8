import LullCore
import LullLibC
import LullSystem
import Synchronization

/// Creates the tables of a limits file, and checks whether a file has them.
enum LimitSchema {
  static let version: Int64 = 2
  /// The text "LulL" in a file's first bytes, so that neither another program's database nor a
  /// cache is taken for a limits file.
  static let application: Int64 = 0x4c75_6c4c

  /// A lower bound for the IDs of admissions: all IDs are greater.
  static let firstNumber: Int64 = 1 << 40

  static func isReady(_ database: SQLiteConnection) throws(SQLiteError) -> Bool {
    let application = try database.integer("PRAGMA application_id")
    let version = try database.integer("PRAGMA user_version")
    if application == self.application, version == self.version { return true }
    let isEmpty = try database.integer("SELECT count(*) FROM sqlite_master") == 0
    if isEmpty, application == 0, version == 0 { return false }
    guard application == self.application else {
      throw SQLiteError.unusable("it is a database of another program")
    }
    guard version < self.version else {
      throw SQLiteError.unusable("it was written by a newer Lull")
    }
    throw SQLiteError.damaged("it was written by an older Lull")
  }

  /// Whether a file begins like a database. (SQLite's file format, 1.3)
  static func isDatabase(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16)
    return read(descriptor, &bytes, bytes.count) == bytes.count
      && bytes.elementsEqual("SQLite format 3\0".utf8)
  }

  /// Creates the tables. `admission.time` is practically infinite for granted admissions that are
  /// not sent: they count until they are sent. A rule counts admissions whose time is after
  /// `since`.
  static func create(in database: SQLiteConnection) throws(SQLiteError) {
    // The first number is random, so that no number of an earlier file occurs in this one.
    let first = Int64.random(in: firstNumber..<firstNumber << 10)
    // Rows are few and small: each admission writes a page or two.
    try database.execute("PRAGMA page_size = 1024; PRAGMA journal_mode = WAL")
    try database.transaction { () throws(SQLiteError) in
      try database.execute(
        """
        CREATE TABLE salt (bytes BLOB NOT NULL);
        INSERT INTO salt VALUES (randomblob(16));
        CREATE TABLE clock (boot TEXT NOT NULL, uptime REAL NOT NULL, wall REAL NOT NULL);
        CREATE TABLE tally (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL, identity BLOB NOT NULL, allowance INTEGER,
          resets REAL NOT NULL, paused REAL NOT NULL, UNIQUE (name, identity));
        CREATE TABLE rule (
          tally INTEGER NOT NULL, requests INTEGER NOT NULL, per REAL NOT NULL, since REAL NOT NULL,
          inside INTEGER NOT NULL, used REAL NOT NULL, PRIMARY KEY (tally, requests, per))
          WITHOUT ROWID;
        CREATE TABLE admission (
          id INTEGER PRIMARY KEY AUTOINCREMENT, tally INTEGER NOT NULL, time REAL NOT NULL,
          owner INTEGER NOT NULL);
        CREATE INDEX admission_by_time ON admission (tally, time);
        CREATE TABLE waiting (
          id INTEGER PRIMARY KEY AUTOINCREMENT, tally INTEGER NOT NULL, owner INTEGER NOT NULL,
          seen REAL NOT NULL);
        CREATE INDEX waiting_by_tally ON waiting (tally, id);
        INSERT INTO sqlite_sequence (name, seq) VALUES ('admission', \(first)), ('waiting', \(first));
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """)
    }
  }

  static func identities(of database: SQLiteConnection) throws(SQLiteError) -> SaltedIdentities {
    var salt: [UInt8] = []
    try database.run("SELECT bytes FROM salt") { (row) throws(SQLiteError) in salt = row.bytes(0) }
    guard !salt.isEmpty else { throw SQLiteError.damaged("its salt is missing") }
    return SaltedIdentities(salt: salt)
  }

  /// Sets up each connection. A process that is killed loses nothing. A power failure may lose the
  /// latest changes, but it also ends the running processes.
  static func configure(_ database: SQLiteConnection) throws(SQLiteError) {
    try database.execute(
      """
      PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 500;
      PRAGMA journal_size_limit = 1000000;
      """)
  }
}

/// The limits files that this process uses. Each file stays open until the process ends, because
/// its locks show other processes that this one is alive.
enum LimitStore {
  private static let known = Mutex<[String: FileJobs<LimitFile>]>([:])

  /// Returns this process's queue for that file.
  static func shared(at path: String) -> FileJobs<LimitFile> {
    known.withLock { known in
      if let jobs = known[path] { return jobs }
      let jobs = FileJobs(LimitFile(path: path, warn: CacheStore.warn))
      known[path] = jobs
      return jobs
    }
  }
}
