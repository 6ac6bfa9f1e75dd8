package import LullCore

/// Inspects a cache file from outside a program, and removes entries from it.
package final class CacheInspection {
  /// The reason why a file cannot be inspected or changed.
  package struct Problem: Error {
    package let message: String
  }

  package struct Summary {
    package var fileSize = 0
    package var count = 0
    /// The time of the oldest entry, in Unix seconds; nil if there are no entries.
    package var oldest: Double?
    package var hosts: [Host] = []
  }

  package struct Host {
    package let name: String
    package let count: Int
    /// The size of the entries in bytes.
    package let size: Int
  }

  package struct Entry {
    package let place: CacheKey
    package let entity: Entity
  }

  package let path: String
  private let file: CacheFile
  private let troubles: Troubles

  /// - Parameter path: The path of the file; nil for the default.
  package init(path: String?) throws(Problem) {
    do throws(CacheFolder.Failure) {
      if let path {
        self.path = CacheFolder.absolute(path)
      } else {
        self.path = try CacheFolder.defaultPath()
      }
    } catch {
      throw Problem(message: error.message)
    }
    let troubles = Troubles()
    self.troubles = troubles
    file = CacheFile(path: self.path, note: CacheStore.warn) { troubles.add($0) }
  }

  /// Whether the file exists. Inspecting does not create it.
  package var exists: Bool { CacheFolder.identity(of: path) != nil }

  package func summary() throws(Problem) -> Summary {
    guard exists else { return Summary() }
    var summary = Summary()
    try look { (database) throws(SQLiteError) in
      try database.run(
        """
        SELECT host, count(*), sum(size), min(CASE WHEN timestamp >= 0 THEN timestamp END) FROM entry
        GROUP BY host ORDER BY sum(size) DESC, host
        """
      ) { (row) throws(SQLiteError) in
        let count = Int(row.integer(1))
        summary.hosts.append(Host(name: row.text(0), count: count, size: Int(row.integer(2))))
        summary.count += count
        // An invalid time is ignored here. Reading that entry detects the damage.
        if !row.isNull(3), StoredEntity.isTime(row.real(3)) {
          summary.oldest = min(summary.oldest ?? .infinity, row.real(3))
        }
      }
    }
    summary.fileSize = CacheFolder.size(of: path) + CacheFolder.size(of: path + "-wal")
    return summary
  }

  /// Returns the entries of a URL and of its queries, with any stage, version and identity. If the
  /// text has the form `URL QUERY DIGEST`, returns only the entries of that query.
  package func entries(url: String) throws(Problem) -> [Entry] {
    guard exists else { return [] }
    var places: [(place: CacheKey, variant: [UInt8])] = []
    try look { (database) throws(SQLiteError) in
      try database.run(
        """
        SELECT stage, version, identity, variant, url FROM entry
        WHERE url = ?1 OR url > ?1 || ' ' AND url < ?1 || '!' ORDER BY url, timestamp DESC
        """,
        [.text(url)]
      ) { (row) throws(SQLiteError) in
        let place = CacheKey(
          address: row.text(4), stage: row.text(0), version: Int(row.integer(1)),
          identity: row.bytes(2))
        places.append((place, row.bytes(3)))
      }
    }
    let entries = places.compactMap { place, variant in
      file.read(place, .known(variant), now: nil, maxAge: nil).map {
        Entry(place: place, entity: $0)
      }
    }
    try complain()
    return entries
  }

  /// Returns the URLs that begin with `prefix`, sorted.
  package func urls(prefix: String) throws(Problem) -> [String] {
    guard exists else { return [] }
    var urls: [String] = []
    try look { (database) throws(SQLiteError) in
      try database.run(
        "SELECT DISTINCT url FROM entry WHERE substr(url, 1, length(?1)) = ?1 ORDER BY url",
        [.text(prefix)]
      ) { (row) throws(SQLiteError) in urls.append(row.text(0)) }
    }
    return urls
  }

  /// Removes the entries whose URLs begin with `prefix`, a few at a time, and frees their disk
  /// space. If `prefix` is nil, removes all entries and the file itself, which needs no free disk
  /// space.
  ///
  /// - Returns: The number of removed entries; nil if there was no disk space to count them.
  package func clear(prefix: String?) throws(Problem) -> Int? {
    guard exists else { return 0 }
    guard prefix == nil, CacheFolder.isPlainFile(path) else { return try remove(prefix ?? "") }
    var count: Int64?
    do throws(Problem) {
      try look { (database) throws(SQLiteError) in
        count = try database.integer("SELECT count(*) FROM entry")
      }
    } catch {
      guard CacheFolder.isCache(path) else { throw error }
    }
    do throws(CacheFolder.Failure) {
      // The lock is held, so that no other process opens or renames the file meanwhile.
      guard let lock = try CacheFileLock(of: path, isPatient: true) else {
        throw CacheFolder.Failure(message: "the cache '\(path)' cannot be used now: it is locked")
      }
      defer { lock.release() }
      try CacheFolder.remove(path)
      for version in 1..<CacheSchema.version {
        try CacheFolder.remove(CacheFolder.older(path, version: version))
      }
    } catch {
      throw Problem(message: error.message)
    }
    return count.map { Int($0) }
  }

  private func remove(_ prefix: String) throws(Problem) -> Int {
    var count = 0
    var removed: Int
    repeat {
      removed = 0
      try look { (database) throws(SQLiteError) in
        try database.transaction { () throws(SQLiteError) in
          var ids: [Int64] = []
          try database.run(
            "SELECT id FROM entry WHERE substr(url, 1, length(?1)) = ?1 LIMIT 256",
            [.text(prefix)]
          ) { (row) throws(SQLiteError) in ids.append(row.integer(0)) }
          try CacheFile.remove(ids, from: database)
          try database.run(
            "DELETE FROM mark WHERE substr(address, 1, length(?1)) = ?1", [.text(prefix)])
          removed = ids.count
        }
      }
      count += removed
    } while removed > 0
    while file.giveBackRoom() {}
    try look { (database) throws(SQLiteError) in
      try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    return count
  }

  private func look(_ body: (SQLiteConnection) throws(SQLiteError) -> Void) throws(Problem) {
    var trouble: SQLiteError?
    let isDone = file.perform { (database) throws(SQLiteError) -> Bool in
      do throws(SQLiteError) {
        try body(database)
      } catch {
        trouble = error
        throw error
      }
      return true
    }
    guard isDone == nil else { return }
    try complain()
    throw Problem(
      message: "the cache '\(path)' cannot be used now: \(trouble?.message ?? "it is locked")")
  }

  private func complain() throws(Problem) {
    if let trouble = troubles.first { throw Problem(message: trouble) }
  }
}
