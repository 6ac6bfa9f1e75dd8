internal import CSimdjson

/// Writes JSON text, compact or pretty; what stands between values, it knows. Without memory the process
/// ends, as with any array.
package struct JSONWriter: ~Copyable {
  private var writer: csj_writer

  /// How numbers with a fraction, or beyond integers, are spelled; both read back the same.
  package enum Digits: Sendable {
    /// As Swift writes them: `1000000000000000.0`.
    case shortest
    /// As C writes them, in as few digits of 15 to 17 as will do: `1e+15`.
    case printf
  }

  package init(pretty: Bool = false, digits: Digits = .shortest) {
    writer = csj_writer_make(
      pretty ? 1 : 0, digits == .shortest ? CSJ_SHORTEST_DIGITS : CSJ_PRINTF_DIGITS, Int.max,
      Int.max)
  }

  deinit {
    var writer = writer
    csj_writer_release(&writer)
  }

  /// What has been written so far.
  package var output: [UInt8] {
    precondition(writer.problem == CSJ_WRITER_FINE, "out of memory")
    return Array(UnsafeRawBufferPointer(start: writer.bytes, count: writer.length))
  }

  /// Expects `[` or `{`; the caller keeps begin and end in pairs.
  package mutating func begin(_ bracket: Unicode.Scalar) {
    csj_write_begin(&writer, CChar(bitPattern: UInt8(ascii: bracket)))
  }

  /// Expects `]` or `}`.
  package mutating func end(_ bracket: Unicode.Scalar) {
    csj_write_end(&writer, CChar(bitPattern: UInt8(ascii: bracket)))
  }

  /// A key of an object; its value follows.
  package mutating func write(key: String) {
    write(key)
    csj_write_colon(&writer)
  }

  package mutating func writeNull() { csj_write_null(&writer) }

  package mutating func write(_ value: Bool) { csj_write_bool(&writer, value ? 1 : 0) }

  package mutating func write(_ value: Int) { csj_write_int(&writer, Int64(value)) }

  /// Expects a finite number.
  package mutating func write(_ value: Double) { csj_write_double(&writer, value) }

  package mutating func write(_ value: String) {
    var value = value
    value.withUTF8 { bytes in
      // Read during the call only; a string of Swift's is UTF-8.
      bytes.withMemoryRebound(to: CChar.self) {
        _ = csj_write_string(&writer, $0.baseAddress, $0.count, 1)
      }
    }
  }

  /// Expects JSON, which is written as it is.
  package mutating func write(raw json: some Sequence<UInt8>) {
    let isWritten: Void? = json.withContiguousStorageIfAvailable { write($0) }
    if isWritten == nil { Array(json).withUnsafeBufferPointer { write($0) } }
  }

  private mutating func write(_ json: UnsafeBufferPointer<UInt8>) {
    // Read during the call only.
    json.withMemoryRebound(to: CChar.self) {
      csj_write_raw(&writer, $0.baseAddress, $0.count)
    }
  }

  /// The next token of a text that is known to be JSON. Spaces between tokens are the writer's own.
  package mutating func write(token: ArraySlice<UInt8>) {
    switch token.first {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      csj_write_begin(&writer, CChar(bitPattern: token[token.startIndex]))
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      csj_write_end(&writer, CChar(bitPattern: token[token.startIndex]))
    case UInt8(ascii: ":"): csj_write_colon(&writer)
    // What stands between values is written with the next one.
    case UInt8(ascii: ","): break
    default: write(raw: token)
    }
  }

  // MARK: Members

  /// An object with the members that are written by `members`; itself a member of that key, if there is one.
  package mutating func writeObject(
    key: String? = nil, _ members: (inout JSONWriter) -> Void
  ) {
    if let key { write(key: key) }
    begin("{")
    members(&self)
    end("}")
  }

  /// The same of a list and its elements.
  package mutating func writeList(
    key: String? = nil, _ elements: (inout JSONWriter) -> Void
  ) {
    if let key { write(key: key) }
    begin("[")
    elements(&self)
    end("]")
  }

  package mutating func write(key: String, _ value: Bool) {
    write(key: key)
    write(value)
  }

  package mutating func write(key: String, _ value: Int) {
    write(key: key)
    write(value)
  }

  package mutating func write(key: String, _ value: String) {
    write(key: key)
    write(value)
  }

  package mutating func write(key: String, _ values: [String]) {
    writeList(key: key) { for value in values { $0.write(value) } }
  }

  package mutating func write(key: String, _ value: JSONElement) {
    write(key: key)
    write(value)
  }

  /// Expects JSON, which is written as it is.
  package mutating func write(key: String, raw json: some Sequence<UInt8>) {
    write(key: key)
    write(raw: json)
  }

  // MARK: Documents

  /// A value of a document, with numbers as they were spelled, if that is known.
  package mutating func write(_ element: JSONElement, spelledBy spelling: JSONSpelling? = nil) {
    guard let spelling else {
      return element.withView { csj_write_value(&writer, $0, element.index, nil, nil) }
    }
    spelling.withSpelling { function, context in
      element.withView { csj_write_value(&writer, $0, element.index, function, context) }
    }
  }
}
