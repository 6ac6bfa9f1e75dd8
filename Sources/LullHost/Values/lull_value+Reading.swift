import CLullBridge
import LullCore

// Converts the values that the bridge has read to Swift types. If copying a string would exceed the
// memory limit, the string reads as nil and the run ends.
extension lull_value {
  /// The value as a string for display, with invalid UTF-8 escaped; nil if the value is not a
  /// string. `requireText` rejects invalid UTF-8, and `bytes` returns it unchanged.
  package var string: String? {
    // The bytes are on the Lua stack until the call in which they were read has ended.
    mayBeCopied ? String(escaping: UnsafeRawBufferPointer(start: pointer, count: Int(extra))) : nil
  }

  package var bytes: [UInt8]? {
    mayBeCopied ? Array(UnsafeRawBufferPointer(start: pointer, count: Int(extra))) : nil
  }

  /// The decimal digits of an integer that does not fit into 64 bits; nil for any other value.
  package var digits: String? {
    guard kind == Int32(LULL_DIGITS) else { return nil }
    // The bytes are on the Lua stack until the call in which they were read has ended.
    return String(escaping: UnsafeRawBufferPointer(start: pointer, count: Int(extra)))
  }

  /// The value as text, if it is a string or a number; otherwise nil.
  package var text: String? {
    switch Int(kind) {
    case Int(LULL_STRING): string
    case Int(LULL_DIGITS): digits
    case Int(LULL_INTEGER): String(integer)
    case Int(LULL_NUMBER): String(number)
    default: nil
    }
  }

  /// The bytes of a string, which need not be valid UTF-8, or the bytes of the text of a number. It
  /// is nil for any other value.
  var textBytes: [UInt8]? { bytes ?? text.map { Array($0.utf8) } }

  /// The value as a URL, with invalid UTF-8 percent-encoded; nil if the value is not a string.
  var urlText: String? { withBytes { ResourceURL.text(ofBytes: $0) } }

  /// Calls `body` with the bytes of a string. The bytes are on the Lua stack until the end of the
  /// call in which they were read. Returns nil if the value is not a string.
  func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R? {
    guard mayBeCopied else { return nil }
    let raw = UnsafeRawBufferPointer(start: pointer, count: Int(extra))
    return raw.withMemoryRebound(to: UInt8.self, body)
  }

  /// Whether the value is a string and there is enough memory to copy the string. For small
  /// strings, the memory is not checked.
  private var mayBeCopied: Bool {
    kind == Int32(LULL_STRING) && (extra < 4096 || MemoryLedger.allows(Int(extra)))
  }

  /// Whether the value, which must be a string, is valid UTF-8.
  var isValidUTF8: Bool {
    let raw = UnsafeRawBufferPointer(start: pointer, count: Int(extra))
    return raw.withMemoryRebound(to: UInt8.self) { UTF8Validation.isValid($0) }
  }

  /// The value as a `Double`, if it is an integer or a float; otherwise nil.
  package var double: Double? {
    switch Int(kind) {
    case Int(LULL_INTEGER): Double(integer)
    case Int(LULL_NUMBER): number
    default: nil
    }
  }

  /// The value as an integer, rounded if the value has a fraction. It is nil if the value is not a
  /// number or does not fit into 64 bits.
  var wholeNumber: Int? {
    if kind == Int32(LULL_INTEGER) { return Int(integer) }
    return double.flatMap { Int(exactly: $0.rounded()) }
  }

  package var bool: Bool? { kind == Int32(LULL_BOOLEAN) ? integer != 0 : nil }

  /// Whether Lua treats the value as true.
  var isTruthy: Bool { kind != Int32(LULL_NIL) && bool != false }

  /// The value, if it is a boolean, a number or a string; otherwise nil.
  var scalar: RaisedValue? {
    switch Int(kind) {
    case Int(LULL_BOOLEAN): .boolean(integer != 0)
    case Int(LULL_INTEGER): .integer(integer)
    case Int(LULL_NUMBER): .number(number)
    case Int(LULL_STRING): bytes.map { .string(ByteString($0)) }
    default: nil
    }
  }

  /// The name of the value's type in messages.
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

  /// The value as text in messages. A boolean, a number or a string is shown itself, with a string
  /// shortened to 40 characters. For any other value, the name of its type is shown.
  package var described: String {
    switch Int(kind) {
    case Int(LULL_BOOLEAN): integer != 0 ? "true" : "false"
    case Int(LULL_INTEGER), Int(LULL_NUMBER), Int(LULL_DIGITS): text ?? "number"
    case Int(LULL_STRING): "'\(LogText.part(string, limit: 40))'"
    default: typeName
    }
  }

  // MARK: Required types

  /// Throws if the value is a string that is not valid UTF-8. Code that can't keep invalid UTF-8
  /// unchanged must call this method first.
  package func requireText(_ what: @autoclosure () -> String) throws(Misuse) {
    guard kind == Int32(LULL_STRING), !isValidUTF8 else { return }
    throw .message("\(what()) is not valid UTF-8: '\(LogText.part(string, limit: 100))'")
  }

  /// Returns the value of the option `name`, which must be a string.
  package func text(_ name: String) throws(Misuse) -> String {
    guard let string else {
      throw .message("'\(name)' must be a string, got \(typeName)")
    }
    try requireText("'\(name)'")
    return string
  }

  /// Returns the value of the option `name`, which must be a string that is not empty and has no
  /// zero bytes, so that it can be passed to C functions.
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

  /// Returns the value of the option `name`, which must be a string that can be used as a header
  /// value.
  func headerText(_ name: String) throws(Misuse) -> String {
    let text = try text(name)
    if let problem = Headers.valueProblem(text.utf8) { throw .message("'\(name)' \(problem)") }
    return text
  }

  /// Returns the value of the option `name`, which must be a boolean.
  func flag(_ name: String) throws(Misuse) -> Bool {
    guard let bool else {
      throw .message("'\(name)' must be true or false, got \(described)")
    }
    return bool
  }

  /// Returns the value as a number of seconds. The value must be a finite number that is 0 or more.
  func seconds(orRaise misuse: (String) -> Misuse) throws(Misuse) -> Double {
    guard let double, double >= 0, double.isFinite else {
      throw misuse("a number of seconds, 0 or more, expected, got \(described)")
    }
    return double
  }
}

extension String {
  /// Copies a C string of `length` bytes for display. The C string must be valid during the call.
  init(escaping start: UnsafePointer<CChar>?, _ length: Int) {
    guard let start else {
      self = ""
      return
    }
    self.init(escaping: UnsafeRawBufferPointer(start: UnsafeRawPointer(start), count: length))
  }
}
