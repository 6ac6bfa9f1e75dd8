/// Detects JSON in a body whose type is not JSON. (JSN-91)
package enum JSONRecognition {
  case document(JSONDocument)
  /// The body begins like JSON but is truncated or malformed. (JSN-103)
  case malformed(JSONError)
  case other

  package init(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard JSONRecognition.beginsWithBracket(bytes) else {
      self = .other
      return
    }
    do throws(JSONError) {
      self = .document(try JSONLines.documentOrLines(bytes))
    } catch {
      self = JSONOpening(bytes).isOfJSON ? .malformed(error) : .other
    }
  }

  /// Whether the body begins with a bracket, in any encoding allowed for JSON. In UTF-16 and
  /// UTF-32, zeros or a byte-order mark precede the bracket.
  private static func beginsWithBracket(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let first = bytes.first { byte in
      switch byte {
      case 32, 9, 10, 13, 0, 0xEF, 0xBB, 0xBF, 0xFE, 0xFF: false
      default: true
      }
    }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }
}

/// The first tokens of a text that is not valid JSON. They distinguish truncated or malformed JSON
/// from other text that begins with a bracket, such as `[INFO] started` or
/// `[2026-01-31 10:00] started`.
private struct JSONOpening {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var place: Int

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    place = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// Whether the tokens at the beginning of the text are JSON. This is the case for an object that
  /// is empty or has a member, and for a list that doesn't end after its first scalar. A list of
  /// one scalar followed by text is the beginning of a log line, such as `[1234] started`.
  var isOfJSON: Bool {
    var opening = self
    return opening.read()
  }

  private mutating func read() -> Bool {
    var depth = 0
    while let byte = next() {
      switch byte {
      case UInt8(ascii: "["):
        place += 1
        depth += 1
        if next() == UInt8(ascii: "]") { return true }
      case UInt8(ascii: "{"):
        place += 1
        switch next() {
        case UInt8(ascii: "}"): return true
        case UInt8(ascii: "\""): return string() && (isAtEnd || next() == UInt8(ascii: ":"))
        default: return false
        }
      default: return scalar() && hasMore(depth)
      }
    }
    return false
  }

  /// Whether a list continues after its first scalar, or the text is truncated there.
  private mutating func hasMore(_ depth: Int) -> Bool {
    var depth = depth
    while let byte = next() {
      if byte == UInt8(ascii: ",") { return true }
      guard byte == UInt8(ascii: "]"), depth > 1 else { return false }
      place += 1
      depth -= 1
    }
    return true
  }

  /// Advances to the next byte that is not white space, and returns this byte.
  private mutating func next() -> UInt8? {
    while place < bytes.count {
      let byte = bytes[place]
      guard byte == 32 || byte == 9 || byte == 10 || byte == 13 else { return byte }
      place += 1
    }
    return nil
  }

  private var isAtEnd: Bool { place == bytes.count }

  /// Skips a string, which may be truncated. Returns false if it contains a line break.
  private mutating func string() -> Bool {
    place += 1
    while place < bytes.count {
      let byte = bytes[place]
      if byte < 32 { return false }
      place = min(place + (byte == UInt8(ascii: "\\") ? 2 : 1), bytes.count)
      if byte == UInt8(ascii: "\"") { return true }
    }
    return true
  }

  /// Skips a string, number or word. Returns false if it is not a valid JSON value.
  private mutating func scalar() -> Bool {
    if bytes[place] == UInt8(ascii: "\"") { return string() }
    let start = place
    while place < bytes.count, JSONOpening.isOfScalar(bytes[place]) { place += 1 }
    let token = UnsafeBufferPointer(rebasing: bytes[start..<place])
    guard !token.isEmpty else { return false }
    if isAtEnd {
      // A number or word may be truncated.
      let isOfWord = ["true", "false", "null"].contains { $0.utf8.starts(with: token) }
      if isOfWord || token.elementsEqual("-".utf8) { return true }
    }
    return (try? JSONDocument(parsing: token)) != nil
  }

  private static func isOfScalar(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."): true
    default: false
    }
  }
}

/// Finds the tokens of a text that is known to be valid JSON.
package enum JSONScan {
  /// Whether JSON text is in UTF-8. UTF-8 text contains no zero byte. In UTF-16 and UTF-32, every
  /// bracket has a zero byte next to it.
  package static func isUTF8(_ bytes: [UInt8]) -> Bool { !bytes.contains(0) }

  /// The index of the first token in `bytes`, after a byte-order mark.
  package static func start(_ bytes: [UInt8]) -> Int {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return token(bytes, bytes.starts(with: mark) ? mark.count : 0)
  }

  /// The index of the next token at or after index `place`. White space is skipped.
  package static func token(_ bytes: [UInt8], _ place: Int) -> Int {
    var place = place
    while place < bytes.count, isSpace(bytes[place]) { place += 1 }
    return place
  }

  /// The index after the token that begins at index `place`. A token is a bracket, comma, colon,
  /// string, number or word.
  package static func tokenEnd(_ bytes: [UInt8], _ place: Int) -> Int {
    guard place < bytes.count else { return place }
    if bytes[place] == UInt8(ascii: "\"") { return stringEnd(bytes, place) }
    if isMark(bytes[place]) { return place + 1 }
    var end = place + 1
    while end < bytes.count, !isMark(bytes[end]), !isSpace(bytes[end]) { end += 1 }
    return end
  }

  /// The index after the value that begins at index `place`.
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

  /// Whether a token with this first byte is a number.
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
