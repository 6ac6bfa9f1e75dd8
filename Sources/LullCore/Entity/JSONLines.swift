/// Bodies with one JSON value per line (NDJSON, JSON Lines), parsed as one list. (JSN-20)
package enum JSONLines {
  /// Parses a body as one list. Empty lines and a byte-order mark are ignored. A value must end on
  /// the line on which it begins.
  ///
  /// - Parameter areValues: Whether the body has consecutive values, which may begin and end on any
  ///   line. (RFC 7464)
  package static func document(
    _ bytes: UnsafeBufferPointer<UInt8>, areValues: Bool = false
  ) throws(JSONError) -> JSONDocument {
    guard MemoryLedger.allows(bytes.count) else { throw JSONError("not enough memory") }
    // The list must be valid JSON, and each line must hold exactly one value.
    let lines = ranges(bytes, areValues: areValues)
    if areValues || lines.allSatisfy({ isWhole(bytes[$0]) }),
      let document = try? list(of: bytes, areValues: areValues)
        .withUnsafeBufferPointer(JSONDocument.init(lines:)),
      document.root.count == lines.count
    {
      return document
    }
    throw problem(bytes, lines)
  }

  /// Parses a body that consists of one value or of several values. Several values become a list.
  /// Kubernetes watches and Docker events send several values with the content type of JSON.
  /// (JSN-92)
  static func documentOrLines(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONDocument
  {
    do throws(JSONError) {
      return try JSONDocument(parsing: bytes)
    } catch {
      // Reports the error of the malformed value, instead of an error about text after the first
      // value.
      if isSequence(bytes) { return try document(bytes, areValues: true) }
      guard areLines(bytes), let document = try? self.document(bytes) else { throw error }
      return document
    }
  }

  /// Whether the body has at least two values, either all objects or all lists, and each value
  /// except the last is followed by a line break.
  private static func isSequence(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var scan = JSONValueScan()
    var (start, place) = (0, 0)
    var last: Range<Int>?
    var count = 0
    // The scan ends at the first value that doesn't fit. In a malformed body, that is usually the
    // first value.
    while let value = scan.next(in: bytes, start: &start, place: &place) {
      guard follows(value, last, in: bytes) else { return false }
      last = value
      count += 1
      start = value.upperBound
    }
    guard start < bytes.count else { return count > 1 }
    // The last value is truncated.
    return count > 0 && follows(start..<bytes.count, last, in: bytes)
  }

  /// Whether `value` is an object or list of the same kind as the previous value `last`, and begins
  /// on another line. If `last` is nil, whether `value` is an object or list.
  private static func follows(
    _ value: Range<Int>, _ last: Range<Int>?, in bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    let first = bytes[value.lowerBound]
    guard let last else { return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") }
    return first == bytes[last.lowerBound] && bytes[last.upperBound..<value.lowerBound].contains(10)
  }

  /// Whether the first line is an object and other lines follow.
  private static func areLines(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var seen = lines(bytes).makeIterator()
    guard let first = seen.next(), seen.next() != nil, isWhole(bytes[first]) else { return false }
    return bytes[first].first { $0 != 32 && $0 != 9 } == UInt8(ascii: "{")
  }

  private static func ranges(
    _ bytes: UnsafeBufferPointer<UInt8>, areValues: Bool
  ) -> [Range<Int>] {
    areValues ? JSONValueScan.values(bytes) : Array(lines(bytes))
  }

  /// Returns the lines or values of a body as one JSON list, in brackets and separated by commas.
  package static func list(
    of bytes: UnsafeBufferPointer<UInt8>, areValues: Bool = false
  ) -> [UInt8] {
    var list: [UInt8] = [UInt8(ascii: "[")]
    list.reserveCapacity(bytes.count + 2)
    for line in ranges(bytes, areValues: areValues) {
      if list.count > 1 { list.append(UInt8(ascii: ",")) }
      list += bytes[line]
    }
    list.append(UInt8(ascii: "]"))
    return list
  }

  /// Returns the elements of a document whose root is a list, each encoded as JSON on its own line.
  package static func text(_ document: JSONDocument) -> String {
    var text: [UInt8] = []
    for element in document.root.elements {
      element.encode(into: &text)
      text.append(10)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The error of the first line that is not JSON, with its offset from the start of the body.
  private static func problem(
    _ bytes: UnsafeBufferPointer<UInt8>, _ lines: [Range<Int>]
  ) -> JSONError {
    for line in lines {
      do throws(JSONError) {
        _ = try JSONDocument(parsing: UnsafeBufferPointer(rebasing: bytes[line]))
      } catch {
        var error = error
        error.offset = line.lowerBound + (error.offset ?? 0)
        return error
      }
    }
    return JSONError("malformed")
  }

  /// The lines that aren't empty.
  private static func lines(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) -> some Sequence<Range<Int>> {
    sequence(state: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0) { place -> Range<Int>? in
      while place < bytes.count {
        let rest = UnsafeBufferPointer(rebasing: bytes[place...])
        let line = place..<(place + RawBytes.count(before: 10, in: rest))
        place = line.upperBound + 1
        if bytes[line].contains(where: { $0 != 32 && $0 != 9 && $0 != 13 }) { return line }
      }
      return nil
    }
  }

  /// Whether every bracket and every string that is opened in a line is also closed in that line.
  private static func isWhole(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var depth = 0
    var isInside = false
    var isEscaped = false
    for byte in line {
      if isEscaped {
        isEscaped = false
      } else if isInside {
        if byte == UInt8(ascii: "\\") { isEscaped = true }
        if byte == UInt8(ascii: "\"") { isInside = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInside = true
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
          depth -= 1
          if depth < 0 { return false }
        default: break
        }
      }
    }
    return depth == 0 && !isInside
  }
}
