/// Finding the tokens of a text that is known to be valid JSON.
package enum JSONScan {
  /// Whether JSON text is in UTF-8: in UTF-16 and UTF-32 every bracket has a zero byte beside it, and no
  /// JSON in UTF-8 has any.
  package static func isUTF8(_ bytes: [UInt8]) -> Bool { !bytes.contains(0) }

  /// The place of the first token, behind a byte-order mark.
  package static func start(_ bytes: [UInt8]) -> Int {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return token(bytes, bytes.starts(with: mark) ? mark.count : 0)
  }

  /// The place of the next token at or behind `place`: what is no space.
  package static func token(_ bytes: [UInt8], _ place: Int) -> Int {
    var place = place
    while place < bytes.count, isSpace(bytes[place]) { place += 1 }
    return place
  }

  /// Behind the token that begins there: a bracket, comma, colon, string, number or word.
  package static func tokenEnd(_ bytes: [UInt8], _ place: Int) -> Int {
    guard place < bytes.count else { return place }
    if bytes[place] == UInt8(ascii: "\"") { return stringEnd(bytes, place) }
    if isMark(bytes[place]) { return place + 1 }
    var end = place + 1
    while end < bytes.count, !isMark(bytes[end]), !isSpace(bytes[end]) { end += 1 }
    return end
  }

  /// Behind the value that begins there.
  package static func end(_ bytes: [UInt8], _ place: Int) -> Int {
    var depth = 0
    var place = place
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      place = tokenEnd(bytes, place)
      if depth <= 0 { break }
      place = token(bytes, place)
    }
    return place
  }

  /// Whether the token that begins so is a number.
  package static func beginsNumber(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func stringEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    var place = start + 1
    while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(place + 1, bytes.count)
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"),
      UInt8(ascii: ","), UInt8(ascii: ":"):
      true
    default: false
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 32 || byte == 10 || byte == 13 || byte == 9
  }
}
