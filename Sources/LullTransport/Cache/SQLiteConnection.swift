import CSQLite
import LullCore
import LullLibC
import LullSystem

/// A connection to a database, with its compiled statements. Must be used on one thread at a time.
final class SQLiteConnection {
  private let handle: OpaquePointer
  private var statements: [String: OpaquePointer] = [:]

  /// The reason why SQLite cannot be used; nil if it can.
  static var problem: String? {
    // The text is a constant of the program.
    csqlite_load().map { String(cString: $0) }
  }

  /// Opens an existing file. Must only be called if `problem` is nil.
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
    // The statements were compiled for this connection and are used nowhere else.
    for statement in statements.values { csqlite_finalize(statement) }
    csqlite_close(handle)
  }

  /// Sets how long a statement waits for other processes before it fails as busy.
  func wait(milliseconds: Int32) { csqlite_wait_when_busy(handle, milliseconds) }

  /// The number of rows that the last statement changed.
  var changeCount: Int { Int(csqlite_changes(handle)) }

  /// Runs statements without values. Their rows are ignored.
  func execute(_ sql: String) throws(SQLiteError) {
    try check(csqlite_execute(handle, sql))
  }

  /// Runs one statement, which is compiled at its first use, and passes its rows to `row` one by
  /// one.
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

  /// Returns the first column of the first row, or 0 if there is no row.
  func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Int64 {
    var result: Int64 = 0
    try run(sql, values) { (row) throws(SQLiteError) in result = row.integer(0) }
    return result
  }

  /// Runs `body` as one transaction: either all its changes take effect, or none. No other process
  /// writes to the database meanwhile.
  func transaction<Result>(
    _ body: () throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteError) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // After some errors, SQLite has already rolled back the transaction.
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

/// A value for a `?` in a statement.
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

  /// Binds the value to a parameter of a statement. Parameters are numbered from 1.
  ///
  /// - Returns: SQLite's result code.
  func bind(to statement: OpaquePointer, _ number: Int32) -> Int32 {
    switch self {
    case .integer(let value): return csqlite_bind_integer(statement, number, value)
    case .real(let value): return csqlite_bind_real(statement, number, value)
    case .text(var value):
      // SQLite copies texts and bytes.
      return value.withUTF8 { csqlite_bind_text(statement, number, $0.baseAddress, $0.count) }
    case .bytes(let value):
      return value.withUnsafeBytes {
        csqlite_bind_bytes(statement, number, $0.baseAddress, $0.count)
      }
    case .null: return csqlite_bind_null(statement, number)
    }
  }
}

/// One row of a result. It may only be read inside the call that receives it. Columns are numbered
/// from 0.
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
    // The memory belongs to SQLite and is valid until the next step.
    let bytes = csqlite_bytes(statement, column, &count)?.assumingMemoryBound(to: UInt8.self)
    return body(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
  }
}

/// An error of SQLite.
struct SQLiteError: Error, Sendable {
  enum Kind {
    /// A temporary error: another process uses the file, or memory is short.
    case passing
    /// The file is not a valid database.
    case corrupt
    /// The disk is full.
    case full
    /// The name of the file now refers to another file.
    case moved
    /// The file cannot be used for another reason, for example because access is denied.
    case unusable
  }

  var code: Int32
  var message: String

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  /// The error of the last call on a connection; `connection` may be nil.
  init(_ code: Int32, _ connection: OpaquePointer?) {
    var code = code
    // The messages belong to SQLite and the C library, so they are copied immediately.
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

  /// An error in the file's content that SQLite itself does not detect.
  static func damaged(_ message: String) -> SQLiteError {
    SQLiteError(code: Int32(CSQLITE_CORRUPT), message: message)
  }

  /// An error for a file that must not be changed.
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
    // The statements are correct, so an error in one means that the tables are wrong.
    case Int(CSQLITE_CORRUPT), Int(CSQLITE_NOTADB), Int(CSQLITE_ERROR): return .corrupt
    case Int(CSQLITE_FULL): return .full
    default: return .unusable
    }
  }
}
