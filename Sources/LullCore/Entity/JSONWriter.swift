internal import CSimdjson

/// Writes JSON text, compact or pretty. The writer adds commas and colons. If memory runs out, the
/// process ends, as with a Swift array.
package struct JSONWriter: ~Copyable {
  private var writer: csj_writer

  /// The format of numbers that have a fraction or are beyond the range of integers. Both formats
  /// are read back as the same number.
  package enum Digits: Sendable {
    /// The format of Swift: `1000000000000000.0`.
    case shortest
    /// The format of `printf` in C, with the fewest digits from 15 to 17 that identify the number:
    /// `1e+15`.
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

  /// The text written so far.
  package var output: [UInt8] {
    precondition(writer.problem == CSJ_WRITER_FINE, "out of memory")
    return Array(UnsafeRawBufferPointer(start: writer.bytes, count: writer.length))
  }

  /// Begins a list or an object. `bracket` must be `[` or `{`. Each `begin` needs a matching `end`.
  package mutating func begin(_ bracket: Unicode.Scalar) {
    csj_write_begin(&writer, CChar(bitPattern: UInt8(ascii: bracket)))
  }

  /// Ends a list or an object. `bracket` must be `]` or `}`.
  package mutating func end(_ bracket: Unicode.Scalar) {
    csj_write_end(&writer, CChar(bitPattern: UInt8(ascii: bracket)))
  }

  /// Writes the key of a member. Write the value of the member next.
  package mutating func write(key: String) {
    write(key)
    csj_write_colon(&writer)
  }

  package mutating func writeNull() { csj_write_null(&writer) }

  package mutating func write(_ value: Bool) { csj_write_bool(&writer, value ? 1 : 0) }

  package mutating func write(_ value: Int) { csj_write_int(&writer, Int64(value)) }

  /// Writes a number, which must be finite.
  package mutating func write(_ value: Double) { csj_write_double(&writer, value) }

  package mutating func write(_ value: String) {
    var value = value
    value.withUTF8 { bytes in
      // The bytes are only read during the call. A Swift string is UTF-8.
      bytes.withMemoryRebound(to: CChar.self) {
        _ = csj_write_string(&writer, $0.baseAddress, $0.count, 1)
      }
    }
  }

  /// Writes JSON text unchanged.
  package mutating func write(raw json: some Sequence<UInt8>) {
    let isWritten: Void? = json.withContiguousStorageIfAvailable { write($0) }
    if isWritten == nil { Array(json).withUnsafeBufferPointer { write($0) } }
  }

  private mutating func write(_ json: UnsafeBufferPointer<UInt8>) {
    // The bytes are only read during the call.
    json.withMemoryRebound(to: CChar.self) {
      csj_write_raw(&writer, $0.baseAddress, $0.count)
    }
  }

  /// Writes the next token of a valid JSON text. The writer chooses the spaces between tokens.
  package mutating func write(token: ArraySlice<UInt8>) {
    switch token.first {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      csj_write_begin(&writer, CChar(bitPattern: token[token.startIndex]))
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      csj_write_end(&writer, CChar(bitPattern: token[token.startIndex]))
    case UInt8(ascii: ":"): csj_write_colon(&writer)
    // The comma is written with the next value.
    case UInt8(ascii: ","): break
    default: write(raw: token)
    }
  }

  // MARK: Members

  /// Writes an object. `members` writes the members of this object. If `key` is given, the object
  /// is the value of a member with this key.
  package mutating func writeObject(
    key: String? = nil, _ members: (inout JSONWriter) -> Void
  ) {
    if let key { write(key: key) }
    begin("{")
    members(&self)
    end("}")
  }

  /// Writes a list. `elements` writes the elements of this list. If `key` is given, the list is the
  /// value of a member with this key.
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

  /// Writes a member with the value `json`, which is JSON text and is written unchanged.
  package mutating func write(key: String, raw json: some Sequence<UInt8>) {
    write(key: key)
    write(raw: json)
  }

  // MARK: Documents

  /// Writes a value of a document. If `spelling` is given, numbers are written in their original
  /// spelling.
  package mutating func write(_ element: JSONElement, spelledBy spelling: JSONSpelling? = nil) {
    guard let spelling else {
      return element.withView { csj_write_value(&writer, $0, element.index, nil, nil) }
    }
    spelling.withSpelling { function, context in
      element.withView { csj_write_value(&writer, $0, element.index, function, context) }
    }
  }
}

/// The original spelling of numbers in a document. Contains only the numbers that would otherwise
/// be written differently, because a document stores only 64-bit integers and doubles. (JSN-12)
package struct JSONSpelling: Sendable {
  private let text: [UInt8]
  /// The range of the original digits in `text`, for each number, by the tape position of the
  /// number.
  private let ranges: [Int: Range<Int>]

  /// Finds the numbers of `document` in `text`, the text from which the document was parsed.
  /// Returns nil if the text doesn't match the document, or if no number would be written
  /// differently.
  package init?(of document: JSONDocument, in text: [UInt8]) {
    guard JSONScan.isUTF8(text) else { return nil }
    var ranges: [Int: Range<Int>] = [:]
    var next = JSONScan.start(text)
    let view = document.view
    var place = Int(CSJ_ROOT)
    while place < view.tape_length {
      let type = csj_type_at(view, place)
      guard type == CSJ_INT || type == CSJ_DOUBLE else {
        place += 1
        continue
      }
      guard let range = JSONSpelling.number(in: text, from: &next) else { return nil }
      let digits = String(decoding: text[range], as: UTF8.self)
      var isWrittenSo: Bool
      if type == CSJ_INT {
        let number = csj_int_at(view, place)
        isWrittenSo = digits == String(number)
        guard isWrittenSo || digits == "-0" && number == 0 else { return nil }
      } else {
        let number = csj_double_at(view, place)
        guard Double(digits) == number else { return nil }
        // The spelling of numbers with many digits depends on the writer.
        isWrittenSo = digits == number.description && (1e-4..<1e15).contains(number.magnitude)
      }
      if !isWrittenSo { ranges[place] = range }
      place += 2
    }
    guard JSONSpelling.number(in: text, from: &next) == nil, !ranges.isEmpty else { return nil }
    self.text = text
    self.ranges = ranges
  }

  /// The original digits of the number at a tape position; nil if the number would be written with
  /// the same digits anyway.
  package func digits(at place: Int) -> ArraySlice<UInt8>? { ranges[place].map { text[$0] } }

  /// Calls `body` with two arguments: a C function that returns the original digits of a number,
  /// and the context to pass to that function.
  func withSpelling(_ body: (csj_spelling, UnsafeMutableRawPointer) -> Void) {
    text.withUnsafeBufferPointer { bytes in
      var spelled = Spelled(bytes: bytes, ranges: ranges)
      withUnsafeMutablePointer(to: &spelled) { pointer in
        body(
          { context, index, length in
            // `context` points to the local variable `spelled`, which is valid during the call.
            guard let spelled = context?.assumingMemoryBound(to: Spelled.self).pointee,
              let range = spelled.ranges[index], let start = spelled.bytes.baseAddress
            else { return nil }
            length?.pointee = range.count
            return UnsafeRawPointer(start + range.lowerBound).assumingMemoryBound(to: CChar.self)
          }, pointer)
      }
    }
  }

  private struct Spelled {
    let bytes: UnsafeBufferPointer<UInt8>
    let ranges: [Int: Range<Int>]
  }

  /// Returns the range of the next number in `text`, starting with the token at index `place`.
  /// Moves `place` past the number.
  private static func number(in text: [UInt8], from place: inout Int) -> Range<Int>? {
    while place < text.count {
      let start = place
      let end = JSONScan.tokenEnd(text, start)
      place = JSONScan.token(text, end)
      if JSONScan.beginsNumber(text[start]) { return start..<end }
    }
    return nil
  }
}
