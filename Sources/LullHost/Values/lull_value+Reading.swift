import CLullBridge
import LullCore

// Conversion of values read by the bridge to Swift types. A string that the memory ledger does not
// allow to be copied reads as nil, and the run ends.
extension lull_value {
  /// A string for display, with invalid UTF-8 escaped. (`requireText` rejects that; `bytes` returns
  /// it unchanged.)
  package var string: String? {
    // The bytes stay on Lua's stack during the call they were read in.
    mayBeCopied ? String(escaping: UnsafeRawBufferPointer(start: pointer, count: Int(extra))) : nil
  }

  package var bytes: [UInt8]? {
    mayBeCopied ? Array(UnsafeRawBufferPointer(start: pointer, count: Int(extra))) : nil
  }

  /// The digits of an integer that does not fit into 64 bits.
  package var digits: String? {
    guard kind == Int32(LULL_DIGITS) else { return nil }
    // The bytes stay on Lua's stack during the call they were read in.
    return String(escaping: UnsafeRawBufferPointer(start: pointer, count: Int(extra)))
  }

  /// A string, or a number converted to a string.
  package var text: String? {
    switch Int(kind) {
    case Int(LULL_STRING): string
    case Int(LULL_DIGITS): digits
    case Int(LULL_INTEGER): String(integer)
    case Int(LULL_NUMBER): String(number)
    default: nil
    }
  }

  /// The bytes of a string or number; they need not be valid UTF-8.
  var textBytes: [UInt8]? { bytes ?? text.map { Array($0.utf8) } }

  /// A string as a URL, with invalid UTF-8 percent-encoded.
  var urlText: String? { withBytes { ResourceURL.text(ofBytes: $0) } }

  /// Calls `body` with the bytes of a string, which stay on Lua's stack during the call they were
  /// read in.
  func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R? {
    guard mayBeCopied else { return nil }
    let raw = UnsafeRawBufferPointer(start: pointer, count: Int(extra))
    return raw.withMemoryRebound(to: UInt8.self, body)
  }

  /// Whether it is a string for which there is enough memory. Small strings are not checked.
  private var mayBeCopied: Bool {
    kind == Int32(LULL_STRING) && (extra < 4096 || MemoryLedger.allows(Int(extra)))
  }

  /// For strings only.
  var isValidUTF8: Bool {
    let raw = UnsafeRawBufferPointer(start: pointer, count: Int(extra))
    return raw.withMemoryRebound(to: UInt8.self) { UTF8Validation.isValid($0) }
  }

  /// An integer or a float.
  package var double: Double? {
    switch Int(kind) {
    case Int(LULL_INTEGER): Double(integer)
    case Int(LULL_NUMBER): number
    default: nil
    }
  }

  /// A number rounded to an integer; nil if it is not a number or does not fit into 64 bits.
  var wholeNumber: Int? {
    if kind == Int32(LULL_INTEGER) { return Int(integer) }
    return double.flatMap { Int(exactly: $0.rounded()) }
  }

  package var bool: Bool? { kind == Int32(LULL_BOOLEAN) ? integer != 0 : nil }

  /// Whether Lua treats it as true.
  var isTruthy: Bool { kind != Int32(LULL_NIL) && bool != false }

  /// A boolean, number or string; nil for any other value.
  var scalar: RaisedValue? {
    switch Int(kind) {
    case Int(LULL_BOOLEAN): .boolean(integer != 0)
    case Int(LULL_INTEGER): .integer(integer)
    case Int(LULL_NUMBER): .number(number)
    case Int(LULL_STRING): bytes.map { .string(ByteString($0)) }
    default: nil
    }
  }

  /// The name of its type in messages.
  package var typeName: String {
    switch Int(kind) {
    case Int(LULL_NIL): "nil"
    case Int(LULL_BOOLEAN): "boolean"
    case Int(LULL_INTEGER), Int(LULL_NUMBER): "number"
    case Int(LULL_DIGITS): "Integer"
    case Int(LULL_STRING): "string"
    case Int(LULL_NULL): "lull.null"
    case Int(LULL_TABLE): "table"
    case Int(LULL_FUNCTION): "function"
    case Int(LULL_OBJECT): HandleKind(rawValue: aux)?.name ?? "userdata"
    default: "userdata"
    }
  }

  /// The value in messages: itself if it is short, otherwise its type.
  package var described: String {
    switch Int(kind) {
    case Int(LULL_BOOLEAN): integer != 0 ? "true" : "false"
    case Int(LULL_INTEGER), Int(LULL_NUMBER), Int(LULL_DIGITS): text ?? "number"
    case Int(LULL_STRING): "'\(LogText.part(string, limit: 40))'"
    default: typeName
    }
  }

  // MARK: Required types

  /// Throws if a string is not valid UTF-8, where it could not be kept unchanged.
  package func requireText(_ what: @autoclosure () -> String) throws(Misuse) {
    guard kind == Int32(LULL_STRING), !isValidUTF8 else { return }
    throw .message("\(what()) is not valid UTF-8: '\(LogText.part(string, limit: 100))'")
  }

  /// Returns a string option.
  package func text(_ name: String) throws(Misuse) -> String {
    guard let string else {
      throw .message("'\(name)' must be a string, got \(typeName)")
    }
    try requireText("'\(name)'")
    return string
  }

  /// Returns a string option that is not empty and can be passed to C functions.
  func nonEmptyText(_ name: String) throws(Misuse) -> String {
    let expected = "'\(name)' must be a non-empty string, got"
    guard let string else { throw .message("\(expected) \(typeName)") }
    guard !string.isEmpty else { throw .message("\(expected) an empty string") }
    guard !string.utf8.contains(0) else {
      throw .message("'\(name)' must be a string without zero bytes")
    }
    try requireText("'\(name)'")
    return string
  }

  /// Returns a string option that becomes a `content-type` header.
  func headerText(_ name: String) throws(Misuse) -> String {
    let text = try text(name)
    if let problem = Headers.valueProblem(text.utf8) { throw .message("'\(name)' \(problem)") }
    return text
  }

  /// Returns a boolean setting.
  func flag(_ name: String) throws(Misuse) -> Bool {
    guard let bool else {
      throw .message("'\(name)' must be true or false, got \(described)")
    }
    return bool
  }

  /// Returns a number of seconds, 0 or more.
  func seconds(orRaise misuse: (String) -> Misuse) throws(Misuse) -> Double {
    guard let double, double >= 0, double.isFinite else {
      throw misuse("a number of seconds, 0 or more, expected, got \(described)")
    }
    return double
  }
}

extension String {
  /// Copies a C string of that length for display. It must be valid during the call.
  init(escaping start: UnsafePointer<CChar>?, _ length: Int) {
    guard let start else {
      self = ""
      return
    }
    self.init(escaping: UnsafeRawBufferPointer(start: UnsafeRawPointer(start), count: length))
  }
}
