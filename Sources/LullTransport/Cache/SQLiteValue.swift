import CSQLite
import LullCore

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
