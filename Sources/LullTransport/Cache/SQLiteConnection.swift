import CSQLite

/// One connection to a database, with the statements that it has compiled; for one thread at a time.
final class SQLiteConnection {
  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  /// Why SQLite is not to be had; nil if it is.
  static var problem: String? {
    // A text of the program.
    csqlite_load().map { String(cString: $0) }
  }

  /// Opens a file that is there; `problem` must be nil.
  init(path: String) throws(SQLiteError) {
    var opened: OpaquePointer?
    let code = csqlite_open(path, &opened)
    guard code == CSQLITE_OK, let opened else {
      let error = SQLiteError(code, opened)
      csqlite_close(opened)
      throw error
    }
    handle = opened
  }

  deinit {
    // Each was compiled for this connection and is used nowhere else.
    for statement in statements.values { csqlite_finalize(statement) }
    csqlite_close(handle)
  }

  /// How long a statement waits for other processes before it fails as busy.
  func wait(milliseconds: Int32) { csqlite_wait_when_busy(handle, milliseconds) }

  /// Of the last statement, in rows.
  var changeCount: Int { Int(csqlite_changes(handle)) }

  /// Runs statements that have no values and whose rows are of no interest.
  func execute(_ sql: String) throws(SQLiteError) {
    try check(csqlite_execute(handle, sql))
  }

  /// Runs one statement, compiled at its first use, and gives its rows to `row` one by one.
  func run(
    _ sql: String, _ values: [SQLiteValue] = [],
    row: (SQLiteRow) throws(SQLiteError) -> Void = { (_) throws(SQLiteError) in }
  ) throws(SQLiteError) {
    let statement = try statement(sql)
    defer { csqlite_reset(statement) }
    for (index, value) in values.enumerated() {
      try check(value.bind(to: statement, Int32(index + 1)))
    }
    while true {
      let code = csqlite_step(statement)
      if code == CSQLITE_DONE { return }
      guard code == CSQLITE_ROW else { throw SQLiteError(code, handle) }
      try row(SQLiteRow(statement: statement))
    }
  }

  /// The first column of the first row, 0 without one.
  func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int64 {
    var result: Int64 = 0
    try run(sql, values) { (row) throws(SQLiteError) in result = row.integer(0) }
    return result
  }

  /// All that `body` does, or nothing of it; no other process writes meanwhile.
  func transaction<Result>(
    _ body: () throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // Some errors have rolled it back already.
      if csqlite_is_idle(handle) == 0 { _ = csqlite_execute(handle, "ROLLBACK") }
      throw error
    }
  }

  private func statement(_ sql: String) throws(SQLiteError) -> OpaquePointer {
    if let known = statements[sql] { return known }
    var made: OpaquePointer?
    try check(csqlite_prepare(handle, sql, &made))
    guard let made else { throw SQLiteError.damaged("there is no statement") }
    statements[sql] = made
    return made
  }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == CSQLITE_OK else { throw SQLiteError(code, handle) }
  }
}
