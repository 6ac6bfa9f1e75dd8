/// Finds the values of JSON that follow each other in bytes, which may come in pieces.
///
/// Between two values stand white space, RS (RFC 7464) or nothing. It knows brackets and strings only:
/// whether a value is JSON, its parser tells. No byte is looked at twice.
package struct JSONValueScan {
  private enum Part {
    case between
    case scalar
    case inside
  }

  private var part = Part.between
  private var depth = 0
  private var isString = false
  private var isEscaped = false
  private var hasFound = false

  private static let separator: UInt8 = 0x1E

  package init() {}

  /// The next value; nil if it does not end here.
  ///
  /// - Parameters:
  ///   - start: Where the value begins, or what is between values ends.
  ///   - place: Up to where the bytes have been looked at.
  package mutating func next(
    in bytes: UnsafeBufferPointer<UInt8>, start: inout Int, place: inout Int
  ) -> Range<Int>? {
    while place < bytes.count {
      let byte = bytes[place]
      switch part {
      case .between:
        if isBetween(byte) {
          place += 1
          start = place
          continue
        }
        start = place
        place += 1
        hasFound = true
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): (part, depth) = (.inside, 1)
        case UInt8(ascii: "\""): (part, depth, isString) = (.inside, 0, true)
        default: part = .scalar
        }
      case .scalar:
        let isNext =
          byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "\"")
        guard isNext || isBetween(byte) else {
          place += 1
          continue
        }
        return end(start..<place)
      case .inside:
        if byte == JSONValueScan.separator { return end(start..<place) }
        place += 1
        if isEscaped {
          isEscaped = false
        } else if isString {
          if byte == UInt8(ascii: "\\") { isEscaped = true }
          guard byte == UInt8(ascii: "\"") else { continue }
          isString = false
          if depth == 0 { return end(start..<place) }
        } else {
          switch byte {
          case UInt8(ascii: "\""): isString = true
          case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
          case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            if depth == 0 { return end(start..<place) }
          default: break
          }
        }
      }
    }
    return nil
  }

  private mutating func end(_ range: Range<Int>) -> Range<Int> {
    (part, depth, isString, isEscaped) = (.between, 0, false, false)
    return range
  }

  private func isBetween(_ byte: UInt8) -> Bool {
    switch byte {
    case 32, 9, 10, 13, JSONValueScan.separator: true
    // A byte-order mark.
    case 0xEF, 0xBB, 0xBF: !hasFound
    default: false
    }
  }

  /// The values of a whole body, the last one with or without its end.
  package static func values(_ bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var scan = JSONValueScan()
    var (start, place) = (0, 0)
    var values: [Range<Int>] = []
    while let value = scan.next(in: bytes, start: &start, place: &place) {
      values.append(value)
      start = value.upperBound
    }
    if start < bytes.count { values.append(start..<bytes.count) }
    return values
  }
}
