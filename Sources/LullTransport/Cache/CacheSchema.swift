import LullCore
import LullSystem
import Synchronization

/// Creates the tables of a cache file, and checks whether a file has them.
enum CacheSchema {
  /// The version of the tables. It is increased when the tables change, or when identities are
  /// computed from other values: an entry of another version may then belong to another user.
  static let version: Int64 = 4
  /// The text "Lull" in a file's first bytes, so that another program's database is not taken for a
  /// cache.
  static let application: Int64 = 0x4c75_6c6c

  enum State {
    case ready
    case empty
    case older(Int64)
    case newer
    case ofOthers
  }

  static func state(of database: SQLiteConnection) throws(SQLiteError) -> State {
    let application = try database.integer("PRAGMA application_id")
    let version = try database.integer("PRAGMA user_version")
    if application == self.application {
      if version == self.version { return .ready }
      guard version < self.version else { return .newer }
      if version > 0 { return .older(version) }
      throw SQLiteError.damaged("its version is \(version)")
    }
    let isEmpty = try database.integer("SELECT count(*) FROM sqlite_master") == 0
    return isEmpty && application == 0 && version == 0 ? .empty : .ofOthers
  }

  /// Creates the tables. Contents are separate from their metadata, which is read and changed far
  /// more often.
  static func create(in database: SQLiteConnection) throws(SQLiteError) {
    // Must be set while the file is empty.
    try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    try database.execute("PRAGMA journal_mode = WAL")
    try database.transaction { () throws(SQLiteError) in
      try database.execute(
        """
        CREATE TABLE entry (
          id INTEGER PRIMARY KEY, url TEXT NOT NULL, stage TEXT NOT NULL, version INTEGER NOT NULL,
          identity BLOB NOT NULL, variant BLOB NOT NULL, host TEXT NOT NULL, timestamp REAL NOT NULL, used REAL NOT NULL,
          size INTEGER NOT NULL, kind INTEGER NOT NULL, headers BLOB NOT NULL, charset TEXT,
          status INTEGER, final_url TEXT, elapsed REAL, checksum INTEGER NOT NULL, stale_at REAL,
          UNIQUE (url, stage, version, identity, variant));
        CREATE INDEX entry_by_use ON entry (used);
        CREATE TABLE content (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        PRAGMA application_id = \(application);
        PRAGMA user_version = \(version);
        """)
    }
  }

  /// Adds the missing column to a file of version 3. Processes that have the file open can continue
  /// to use it. Returns whether the file has the current version now.
  static func migrate(_ database: SQLiteConnection) throws(SQLiteError) -> Bool {
    try database.transaction { () throws(SQLiteError) -> Bool in
      let found = try database.integer("PRAGMA user_version")
      guard found == 3 else { return found == version }
      try database.execute(
        "ALTER TABLE entry ADD COLUMN stale_at REAL; PRAGMA user_version = \(version)")
      return true
    }
  }

  /// Sets up each connection. A power failure may lose the last entries, but does not damage the
  /// file.
  static func configure(_ database: SQLiteConnection) throws(SQLiteError) {
    try database.execute(
      """
      PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;
      """)
    try boundLog(of: database, maxSize: .max)
  }

  /// Adds the table of stale marks to a file that an earlier release has created. That release
  /// ignores the table, so the file's version stays the same.
  ///
  /// A mark is the time at which a write has made an address stale: a URL, or `URL *` for its
  /// queries. It applies to entries that are written later, from responses to requests that were
  /// sent before.
  static func addMarks(to database: SQLiteConnection) throws(SQLiteError) {
    try database.execute(
      "CREATE TABLE IF NOT EXISTS mark (address TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID")
  }

  /// Limits the write-ahead log to a sixteenth of `maxSize` bytes, at most 2 MB. When the log
  /// exceeds its limit, its content is written to the file and the log starts again.
  static func boundLog(of database: SQLiteConnection, maxSize: Int) throws(SQLiteError) {
    let pages = max(4, min(512, maxSize / 4096 / 16))
    try database.execute(
      "PRAGMA wal_autocheckpoint = \(pages); PRAGMA journal_size_limit = \(pages * 4096)")
  }
}

/// The cache files that this process uses.
enum CacheStore {
  private struct Known {
    weak var jobs: FileJobs<CacheFile>?
  }

  private static let known = Mutex<[String: Known]>([:])

  /// Returns the queue in which this process runs its jobs for the file.
  static func shared(at path: String) -> FileJobs<CacheFile> {
    known.withLock { known in
      if let jobs = known[path]?.jobs { return jobs }
      known = known.filter { $0.value.jobs != nil }
      let jobs = jobs(at: path, warn: warn)
      known[path] = Known(jobs: jobs)
      return jobs
    }
  }

  /// Creates a separate job queue for a file. No other code of this process uses the queue.
  static func jobs(
    at path: String, warn: @escaping @Sendable (String) -> Void
  ) -> FileJobs<CacheFile> {
    FileJobs(CacheFile(path: path, warn: warn)) { $0.noteReads() }
  }

  static func warn(_ sentence: String) {
    StandardError.write("lull: warning: \(sentence)\n")
  }
}

/// Selects one variant of an entity. An entity has variants if the response depends on request
/// headers, which its `Vary` header names. (RFC 9111, section 4.1)
enum CacheVariant: Sendable {
  /// The variant for requests with these headers.
  case answering(Headers)
  /// The variant that has this digest in the file.
  case known([UInt8])

  /// Returns the digest that identifies the entity's variant in the file. It is a digest because
  /// request headers may be confidential. Empty if the entity depends on no header; nil if no
  /// digest can be computed.
  static func of(_ entity: Entity) -> [UInt8]? {
    guard let variant = entity.exchange?.variant else { return [] }
    return digest(of: variant)
  }

  private static func digest(of variant: Variant) -> [UInt8]? {
    Digest.sha256.of("variant\n" + variant.text)
  }

  /// Whether the entry with this digest is the selected variant.
  ///
  /// - Parameter headers: The stored headers of the response.
  func isOne(_ digest: [UInt8], headers: @autoclosure () -> [UInt8]) -> Bool {
    switch self {
    case .known(let known): return known == digest
    case .answering(let request):
      guard !digest.isEmpty else { return true }
      let variant = Variant(of: StoredEntity.headers(of: headers()), to: request)
      return variant.flatMap(CacheVariant.digest) == digest && variant?.answers(request) == true
    }
  }

  /// Returns the variant to which a response with these headers belongs. Returns nil if the variant
  /// was selected by its digest instead of a request.
  func variant(of answer: Headers) -> Variant? {
    guard case .answering(let request) = self else { return nil }
    return Variant(of: answer, to: request)
  }
}
