/// Keeping the file within its bounds: what has not been used for longest goes, a little at a time, so
/// that others wait for no more than a moment.
extension CacheFile {
  private static let entriesPerStep = 64
  private static let pagesPerStep = 256

  /// One step, if the file is larger than `maxSize`, in bytes.
  ///
  /// - Returns: whether another is needed.
  func makeRoom(maxSize: Int) -> Bool {
    let needsMore = perform { (database) throws(SQLiteError) -> Bool in
      let page = try Int(database.integer("PRAGMA page_size"))
      let limit = maxSize / page
      let free = try Int(database.integer("PRAGMA freelist_count"))
      let count = try Int(database.integer("PRAGMA page_count"))
      // Some more than is needed, so that not every write has to remove something.
      let excess = count - free - limit
      if excess > 0 {
        return try removeOldest(toFree: (excess + limit / 16) * page, from: database)
      }
      guard count > limit else { return false }
      return try shrink(database)
    }
    return needsMore ?? false
  }

  /// One step of giving back to the disk what the file does not need.
  ///
  /// - Returns: whether there may be more.
  func giveBackRoom() -> Bool {
    perform { (database) throws(SQLiteError) in try shrink(database) } ?? false
  }

  private func shrink(_ database: SQLiteConnection) throws(SQLiteError) -> Bool {
    let count = try database.integer("PRAGMA page_count")
    try database.execute("PRAGMA incremental_vacuum(\(CacheFile.pagesPerStep))")
    return try database.integer("PRAGMA page_count") < count
  }

  /// - Returns: whether there was anything to remove.
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
        // Bounded: a damaged one must not end the program.
        freed += Int(max(0, min(row.integer(1), 1 << 40)))
      }
      try CacheFile.remove(ids, from: database)
      return !ids.isEmpty
    }
  }
}
