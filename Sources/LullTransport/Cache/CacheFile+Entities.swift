import LullCore

/// Reads and writes entities in the cache file.
extension CacheFile {
  /// If an entity is used several times within this number of seconds, only one use is recorded. So
  /// most reads write nothing.
  private static let useInterval = 60.0

  /// Returns the stored entity. If the entity is older than `maxAge`, it is removed and nil is
  /// returned. An entity dated in the future has the greatest possible age.
  ///
  /// - Parameter now: The current time; nil to inspect the file without changes.
  func read(_ place: CacheKey, _ wanted: CacheVariant, now: Double?, maxAge: Double?) -> Entity? {
    let found = perform { (database) throws(SQLiteError) -> Found? in
      var found: Found?
      try database.run(
        """
        SELECT entry.id, timestamp, used, kind, headers, charset, status, final_url, elapsed,
          checksum, content.bytes, variant, stale_at
        FROM entry LEFT JOIN content ON content.id = entry.id
        WHERE url = ? AND stage = ? AND version = ? AND identity = ? ORDER BY timestamp DESC
        """, place.values
      ) { (row) throws(SQLiteError) in
        guard found == nil, wanted.isOne(row.bytes(11), headers: row.bytes(4)) else { return }
        found = try Found(row, at: place, wanted)
      }
      return found
    }
    guard let found = found ?? nil else { return nil }
    var entity = found.entity
    guard let now else { return entity }
    if entity.timestamp > StoredEntity.lastTime(now) { entity.timestamp = 0 }
    if let maxAge, now - entity.timestamp > maxAge {
      remove(place)
      return nil
    }
    if abs(now - found.used) >= CacheFile.useInterval { reads[found.id] = now }
    return entity
  }

  /// Stores the entity in place of an earlier entity. If the file has then become too large,
  /// removes some other entries.
  ///
  /// - Returns: Whether the file is still too large.
  func write(_ entity: Entity, at place: CacheKey, now: Double, maxSize: Int) -> Bool {
    guard !isFull, let stored = StoredEntity(entity, at: place),
      let variant = CacheVariant.of(entity),
      stored.size <= maxSize / 8
    else {
      // The new entity cannot be stored, and the old entry is no longer current.
      remove(place)
      return false
    }
    boundLog(maxSize: maxSize)
    change { (database) throws(SQLiteError) in
      let mark = try CacheFile.mark(of: stored, at: place, now: now, in: database)
      var id: Int64 = 0
      try database.run(
        """
        INSERT INTO entry (url, stage, version, identity, variant, host, timestamp, used, size, kind,
          headers, charset, status, final_url, elapsed, checksum, stale_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (url, stage, version, identity, variant) DO UPDATE SET
          timestamp = excluded.timestamp, used = excluded.used, size = excluded.size,
          kind = excluded.kind, headers = excluded.headers, charset = excluded.charset,
          status = excluded.status, final_url = excluded.final_url,
          elapsed = excluded.elapsed, checksum = excluded.checksum,
          stale_at = CASE WHEN stale_at > excluded.timestamp AND stale_at <= ?
            THEN max(stale_at, coalesce(excluded.stale_at, stale_at)) ELSE excluded.stale_at END
        RETURNING id
        """,
        place.values + [.bytes(variant)] + stored.values(at: place, now: now, variant)
          + [.optional(mark), .real(StoredEntity.lastTime(now))]
      ) { (row) throws(SQLiteError) in id = row.integer(0) }
      try database.run(
        "INSERT OR REPLACE INTO content (id, bytes) VALUES (?, ?)",
        [.integer(id), .bytes(stored.content)])
    }
    return makeRoom(maxSize: maxSize)
  }

  func touch(_ place: CacheKey, _ wanted: CacheVariant, timestamp: Double) {
    guard StoredEntity.isTime(timestamp) else { return remove(place) }
    change { (database) throws(SQLiteError) in
      var id: Int64?
      try database.run(
        """
        SELECT id, variant, headers FROM entry
        WHERE url = ? AND stage = ? AND version = ? AND identity = ? ORDER BY timestamp DESC
        """, place.values
      ) { (row) throws(SQLiteError) in
        if id == nil, wanted.isOne(row.bytes(1), headers: row.bytes(2)) { id = row.integer(0) }
      }
      guard let id else { return }
      try database.run(
        "UPDATE entry SET timestamp = ?1, \(CacheFile.freshening) WHERE id = ?2",
        [.real(timestamp), .integer(id)])
    }
  }

  /// SQL that removes the stale mark of an entry if the new entity is newer than the mark. The
  /// first argument is the time of the new entity.
  static let freshening = "stale_at = CASE WHEN stale_at > ?1 THEN stale_at END"

  /// How long marks are kept, in seconds. A response that takes longer is not affected by them.
  private static let markTime = 60.0

  /// Returns the stale mark of an entity that is about to be written: its request was sent before a
  /// write to the URL has succeeded, so that it may be outdated although it came later. Returns nil
  /// if there was no such write. (QUERY-74)
  private static func mark(
    of entity: StoredEntity, at place: CacheKey, now: Double, in database: SQLiteConnection
  ) throws(SQLiteError) -> Double? {
    var mark: Double?
    try database.run(
      "SELECT max(at) FROM mark WHERE address = ?1 OR address = ?2",
      [.text(place.address), .text(place.query.isEmpty ? place.address : place.url + " *")]
    ) { (row) throws(SQLiteError) in mark = row.isNull(0) ? nil : row.real(0) }
    guard let mark, mark > entity.timestamp - (entity.elapsed ?? 0),
      mark <= StoredEntity.lastTime(now)
    else { return nil }
    return max(mark, entity.timestamp)
  }

  /// Keeps a mark for entries that are written later.
  private static func keepMark(
    of address: String, asOf timestamp: Double, in database: SQLiteConnection
  ) throws(SQLiteError) {
    try database.run("DELETE FROM mark WHERE at < ?", [.real(timestamp - markTime)])
    try database.run(
      """
      INSERT INTO mark (address, at) VALUES (?1, ?2)
      ON CONFLICT (address) DO UPDATE SET at = max(at, excluded.at)
      """, [.text(address), .real(timestamp)])
  }

  /// Marks all entries of the URL as stale as of `timestamp`, with any stage, version and identity:
  /// the server has changed the resource for all requesters. Newer entries stay fresh. (AGE-07)
  func expire(_ place: CacheKey, asOf timestamp: Double) {
    guard StoredEntity.isTime(timestamp) else { return remove(place) }
    change { (database) throws(SQLiteError) in
      try CacheFile.keepMark(of: place.address, asOf: timestamp, in: database)
      try database.run(
        "UPDATE entry SET stale_at = max(coalesce(stale_at, ?1), ?1) WHERE url = ?2",
        [.real(timestamp), .text(place.address)])
    }
  }

  /// Marks the entries of all queries of the URL as stale as of `timestamp`. (QUERY-20)
  func expireQueries(of place: CacheKey, asOf timestamp: Double) {
    guard StoredEntity.isTime(timestamp) else { return }
    change { (database) throws(SQLiteError) in
      try CacheFile.keepMark(of: place.url + " *", asOf: timestamp, in: database)
      // The addresses of its queries are those after `URL ` and before `URL!`.
      try database.run(
        """
        UPDATE entry SET stale_at = max(coalesce(stale_at, ?1), ?1)
        WHERE url > ?2 || ' ' AND url < ?2 || '!'
        """, [.real(timestamp), .text(place.url)])
    }
  }

  /// Removes every variant of the entity.
  func remove(_ place: CacheKey) {
    var ids: [Int64] = []
    perform { (database) throws(SQLiteError) in
      try database.run(
        "SELECT id FROM entry WHERE url = ? AND stage = ? AND version = ? AND identity = ?",
        place.values
      ) { (row) throws(SQLiteError) in ids.append(row.integer(0)) }
    }
    guard !ids.isEmpty else { return }
    change { (database) throws(SQLiteError) in try CacheFile.remove(ids, from: database) }
  }

  /// Records in the file which entries have been read, in one transaction.
  func noteReads() {
    guard !reads.isEmpty else { return }
    let reads = reads
    self.reads = [:]
    change { (database) throws(SQLiteError) in
      for (id, time) in reads {
        try database.run("UPDATE entry SET used = ? WHERE id = ?", [.real(time), .integer(id)])
      }
    }
  }

  static func remove(_ ids: [Int64], from database: SQLiteConnection) throws(SQLiteError) {
    for id in ids {
      try database.run("DELETE FROM entry WHERE id = ?", [.integer(id)])
      try database.run("DELETE FROM content WHERE id = ?", [.integer(id)])
    }
  }

  private struct Found {
    let id: Int64
    let used: Double
    let entity: Entity

    init(_ row: SQLiteRow, at place: CacheKey, _ wanted: CacheVariant) throws(SQLiteError) {
      id = row.integer(0)
      used = row.real(2)
      let headers = row.bytes(4)
      guard let kind = StoredEntity.Kind(rawValue: row.integer(3)), !row.isNull(10) else {
        throw .damaged("an entry is incomplete")
      }
      let sum = row.withBytes(10) {
        StoredEntity.checksum(
          at: place, row.bytes(11), kind: kind, headers: headers, content: $0)
      }
      var entity = Entity(
        content: .bytes([]), charset: row.isNull(5) ? nil : row.text(5),
        headers: StoredEntity.headers(of: headers), timestamp: row.real(1))
      guard sum == row.integer(9),
        row.withBytes(10, { StoredEntity.read(kind, $0, into: &entity) })
      else { throw .damaged("an entry was changed by another program") }
      // These times are not part of the checksum, because they change without the content.
      let elapsed = row.isNull(8) ? nil : row.real(8)
      guard StoredEntity.isTime(row.real(1)), StoredEntity.isTime(used),
        elapsed.map(StoredEntity.isDuration) ?? true
      else { throw .damaged("an entry has an impossible time") }
      entity.isOutdated = !row.isNull(12) && row.real(12) >= row.real(1)
      if !row.isNull(6) {
        entity.exchange = Exchange(
          HTTPResponse(
            status: Int(row.integer(6)), url: row.isNull(7) ? place.url : row.text(7),
            elapsed: elapsed))
        let variant = wanted.variant(of: entity.headers)
        entity.exchange?.variant = variant
      }
      self.entity = entity
    }
  }
}

extension StoredEntity {
  func values(at place: CacheKey, now: Double, _ variant: [UInt8]) -> [SQLiteValue] {
    [
      .text(place.host), .real(timestamp), .real(now), .integer(Int64(size)),
      .integer(kind.rawValue), .bytes(headers), .optional(charset), .optional(status),
      .optional(finalURL), .optional(elapsed), .integer(checksum(at: place, variant)),
    ]
  }
}

/// Applies a 304 response to an entry, which another process may have replaced meanwhile.
extension CacheFile {
  /// Renews the entry if the 304 response applies to it. Otherwise, the entry stays unchanged. The
  /// content is read only to check its checksum. (CACHE-40)
  func confirm(
    _ confirmation: EntityConfirmation, at place: CacheKey, _ wanted: CacheVariant, now: Double
  ) {
    guard StoredEntity.isTime(confirmation.timestamp) else { return }
    change { (database) throws(SQLiteError) in
      var found: Confirmed?
      try database.run(
        """
        SELECT entry.id, variant, headers, timestamp, kind, charset, status, final_url, elapsed,
          checksum, content.bytes
        FROM entry LEFT JOIN content ON content.id = entry.id
        WHERE url = ? AND stage = ? AND version = ? AND identity = ? ORDER BY timestamp DESC
        """, place.values
      ) { (row) throws(SQLiteError) in
        guard found == nil, wanted.isOne(row.bytes(1), headers: row.bytes(2)) else { return }
        found = try Confirmed(row, at: place, wanted, confirmation)
      }
      guard let found else { return }
      guard confirmation.changesHeaders else {
        return try database.run(
          "UPDATE entry SET timestamp = ?1, \(CacheFile.freshening) WHERE id = ?2",
          [.real(confirmation.timestamp), .integer(found.id)])
      }
      guard let stored = found.stored else {
        return try CacheFile.remove([found.id], from: database)
      }
      // With the new headers, the entry may become another variant and replace an existing entry.
      var others: [Int64] = []
      try database.run(
        """
        SELECT id FROM entry WHERE url = ? AND stage = ? AND version = ? AND identity = ?
          AND variant = ? AND id != ?
        """, place.values + [.bytes(found.variant), .integer(found.id)]
      ) { (row) throws(SQLiteError) in others.append(row.integer(0)) }
      try CacheFile.remove(others, from: database)
      try database.run(
        """
        UPDATE entry SET variant = ?, host = ?, timestamp = ?, used = ?, size = ?, kind = ?,
          headers = ?, charset = ?, status = ?, final_url = ?, elapsed = ?, checksum = ?,
          stale_at = CASE WHEN stale_at > ? THEN stale_at END
        WHERE id = ?
        """,
        [.bytes(found.variant)] + stored.values(at: place, now: now, found.variant)
          + [.real(stored.timestamp), .integer(found.id)])
    }
  }

  /// Whether the newest matching entity in the file is older than `timestamp`. False if there is
  /// none.
  func hasOlder(than timestamp: Double, at place: CacheKey, _ wanted: CacheVariant) -> Bool {
    var newest: Double?
    perform { (database) throws(SQLiteError) in
      try database.run(
        """
        SELECT timestamp, variant, headers FROM entry
        WHERE url = ? AND stage = ? AND version = ? AND identity = ? ORDER BY timestamp DESC
        """, place.values
      ) { (row) throws(SQLiteError) in
        guard newest == nil, wanted.isOne(row.bytes(1), headers: row.bytes(2)) else { return }
        newest = row.real(0)
      }
    }
    return newest.map { $0 < timestamp } ?? false
  }

  /// An entry to which a 304 response applies.
  private struct Confirmed {
    let id: Int64
    /// The renewed entry; nil if it must not be stored.
    var stored: StoredEntity?
    var variant: [UInt8] = []

    /// Returns nil if the 304 response applies to another entity.
    init?(
      _ row: SQLiteRow, at place: CacheKey, _ wanted: CacheVariant,
      _ confirmation: EntityConfirmation
    ) throws(SQLiteError) {
      id = row.integer(0)
      let headers = row.bytes(2)
      var entity = Entity(
        content: .bytes([]), charset: row.isNull(5) ? nil : row.text(5),
        headers: StoredEntity.headers(of: headers), timestamp: row.real(3))
      if !row.isNull(6) {
        entity.exchange = Exchange(
          HTTPResponse(
            status: Int(row.integer(6)), url: row.isNull(7) ? place.url : row.text(7),
            elapsed: row.isNull(8) ? nil : row.real(8)))
        let variant = wanted.variant(of: entity.headers)
        entity.exchange?.variant = variant
      }
      guard confirmation.confirm(&entity) else { return nil }
      guard confirmation.changesHeaders else { return }
      guard let kind = StoredEntity.Kind(rawValue: row.integer(4)), !row.isNull(10) else {
        throw .damaged("an entry is incomplete")
      }
      // The new checksum must not hide existing damage.
      let sum = row.withBytes(10) {
        StoredEntity.checksum(at: place, row.bytes(1), kind: kind, headers: headers, content: $0)
      }
      guard sum == row.integer(9) else {
        throw .damaged("an entry was changed by another program")
      }
      guard let variant = CacheVariant.of(entity) else { return }
      self.variant = variant
      stored = StoredEntity(entity, at: place)
      stored?.kind = kind
      stored?.content = row.bytes(10)
    }
  }
}
