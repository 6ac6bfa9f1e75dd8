import LullCore

/// What a 304 does to an entry, which another process may have replaced meanwhile.
extension CacheFile {
  /// Makes the entity there young if it is what the 304 is about; else it stays as it is. The content is not
  /// looked at, but for its sum. (CACHE-40)
  func confirm(
    _ confirmation: EntityConfirmation, at place: CachePlace, _ wanted: CacheVariant, now: Double
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
      // The headers may make it another variant than it was.
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

  /// Whether something is there that is older.
  func hasOlder(than timestamp: Double, at place: CachePlace, _ wanted: CacheVariant) -> Bool {
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

  /// An entry that a 304 is about.
  private struct Confirmed {
    let id: Int64
    /// As it is from now on; nil: it must not be kept.
    var stored: StoredEntity?
    var variant: [UInt8] = []

    /// nil if it is about another one.
    init?(
      _ row: SQLiteRow, at place: CachePlace, _ wanted: CacheVariant,
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
      // It gets another sum, which must not make whole what is not.
      let sum = row.withBytes(10) {
        StoredEntity.checksum(at: place, row.bytes(1), kind: kind, headers: headers, content: $0)
      }
      guard sum == row.integer(9) else {
        throw .damaged("an entry has been changed by somebody else")
      }
      guard let variant = CacheVariant.of(entity) else { return }
      self.variant = variant
      stored = StoredEntity(entity, at: place)
      stored?.kind = kind
      stored?.content = row.bytes(10)
    }
  }
}
