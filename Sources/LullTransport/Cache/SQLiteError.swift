import CSQLite
import LullLibC
import LullSystem

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
