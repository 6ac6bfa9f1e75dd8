import CSQLite
import LullCore
import LullLibC
import LullSystem

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

/// What a statement is given in place of a `?`.
enum SQLiteValue {
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  case null

  static func optional(_ text: String?) -> SQLiteValue { text.map { .text($0) } ?? .null }

  static func optional(_ number: Double?) -> SQLiteValue { number.map { .real($0) } ?? .null }

  static func optional(_ number: Int?) -> SQLiteValue {
    number.map { .integer(Int64($0)) } ?? .null
  }

  /// - Returns: SQLite's code.
  func bind(to statement: OpaquePointer, _ number: Int32) -> Int32 {
    switch self {
    case .integer(let value): return csqlite_bind_integer(statement, number, value)
    case .real(let value): return csqlite_bind_real(statement, number, value)
    case .text(var value):
      // SQLite copies both kinds.
      return value.withUTF8 { csqlite_bind_text(statement, number, $0.baseAddress, $0.count) }
    case .bytes(let value):
      return value.withUnsafeBytes {
        csqlite_bind_bytes(statement, number, $0.baseAddress, $0.count)
      }
    case .null: return csqlite_bind_null(statement, number)
    }
  }
}

/// One row of a result, to be read inside the call that it is given to. Columns are numbered from 0.
struct SQLiteRow {
  let statement: OpaquePointer

  func integer(_ column: Int32) -> Int64 { csqlite_integer(statement, column) }

  func real(_ column: Int32) -> Double { csqlite_real(statement, column) }

  func isNull(_ column: Int32) -> Bool { csqlite_is_null(statement, column) != 0 }

  func text(_ column: Int32) -> String {
    withBytes(column) { String(escaping: $0) }
  }

  func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { Array($0) } }

  func withBytes<Result>(_ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result
  {
    var count = 0
    // SQLite's own, until the next step.
    let bytes = csqlite_bytes(statement, column, &count)?.assumingMemoryBound(to: UInt8.self)
    return body(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
  }
}

/// What SQLite could not do.
struct SQLiteError: Error, Sendable {
  enum Kind {
    /// Somebody else is at it, or memory is short: another time it may work.
    case passing
    /// The file holds no database that makes sense.
    case corrupt
    /// The disk is full.
    case full
    /// There is another file of that name now.
    case moved
    /// Neither the file nor its folder can be used.
    case unusable
  }

  var code: Int32
  var message: String

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// What SQLite says of the last call on a connection; `connection` may be nil.
  init(_ code: Int32, _ connection: OpaquePointer?) {
    var code = code
    // Texts of SQLite and of the C library, copied at once.
    var text = String(cString: csqlite_code_message(code))
    if let connection {
      let extended = csqlite_extended_code(connection)
      if extended & 0xff == code & 0xff { code = extended }
      text = String(cString: csqlite_message(connection))
      let system = csqlite_system_error(connection)
      let isOfDisk = [Int(CSQLITE_IOERR), Int(CSQLITE_CANTOPEN)].contains(Int(code & 0xff))
      if system != 0, isOfDisk { text += ": " + ErrorText.of(system) }
    }
    self.init(code: code, message: text)
  }

  /// Of what is in the file, where SQLite itself sees nothing wrong.
  static func damaged(_ message: String) -> SQLiteError {
    SQLiteError(code: Int32(CSQLITE_CORRUPT), message: message)
  }

  /// Of a file that is to stay as it is.
  static func unusable(_ message: String) -> SQLiteError {
    SQLiteError(code: Int32(CSQLITE_CANTOPEN), message: message)
  }

  static let busy = SQLiteError(code: Int32(CSQLITE_BUSY), message: "it is locked")

  var isBusy: Bool { Int(code & 0xff) == Int(CSQLITE_BUSY) }

  var kind: Kind {
    switch Int(code) {
    case Int(CSQLITE_IOERR_SHORT_READ): return .corrupt
    case Int(CSQLITE_READONLY_DBMOVED): return .moved
    default: break
    }
    switch Int(code & 0xff) {
    case Int(CSQLITE_BUSY), Int(CSQLITE_LOCKED), Int(CSQLITE_INTERRUPT), Int(CSQLITE_NOMEM),
      Int(CSQLITE_PROTOCOL), Int(CSQLITE_SCHEMA):
      return .passing
    // The statements are right, so it is the tables that are not.
    case Int(CSQLITE_CORRUPT), Int(CSQLITE_NOTADB), Int(CSQLITE_ERROR): return .corrupt
    case Int(CSQLITE_FULL): return .full
    default: return .unusable
    }
  }
}
