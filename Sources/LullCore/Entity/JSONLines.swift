/// Bodies of a value of JSON on each line (NDJSON, JSON Lines), as one list of them. (JSN-20)
package enum JSONLines {
  /// Empty lines do not count, nor does a byte-order mark; a value ends on the line it begins on.
  package static func document(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError)
    -> JSONDocument
  {
    guard MemoryLedger.allows(bytes.count) else { throw JSONError("not enough memory") }
    // As a list it is JSON, and each line holds as many values as there are: one.
    let areWhole = lines(bytes).allSatisfy { isWhole(bytes[$0]) }
    if areWhole,
      let document = try? list(of: bytes).withUnsafeBufferPointer(JSONDocument.init(lines:)),
      document.root.count == lines(bytes).reduce(0, { count, _ in count + 1 })
    {
      return document
    }
    throw problem(bytes)
  }

  /// The lines with brackets around them and commas between.
  package static func list(of bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var list: [UInt8] = [UInt8(ascii: "[")]
    list.reserveCapacity(bytes.count + 2)
    for line in lines(bytes) {
      if list.count > 1 { list.append(UInt8(ascii: ",")) }
      list += bytes[line]
    }
    list.append(UInt8(ascii: "]"))
    return list
  }

  /// The elements of such a list, each on a line, as JSON is written anew.
  package static func text(_ document: JSONDocument) -> String {
    var text: [UInt8] = []
    for element in document.root.elements {
      element.encode(into: &text)
      text.append(10)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The first line that is no JSON, where its trouble is in the whole.
  private static func problem(_ bytes: UnsafeBufferPointer<UInt8>) -> JSONError {
    for line in lines(bytes) {
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

  /// Those that are not empty.
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

  /// Whether every bracket and string of a line that may be JSON ends on it.
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
