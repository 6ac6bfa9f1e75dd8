extension Headers {
  /// Whether the text is a valid header name, which is a token. (RFC 9110, 5.1)
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isNameByte)
  }

  /// Whether the byte is a character of a token. (RFC 9110, 5.6.2)
  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// Why bytes can't be the value of a header, as a phrase to put after the header's name; nil if
  /// the bytes are a valid value. (RFC 9110, 5.5)
  ///
  /// A line break would start another header on the wire. Intermediaries may drop or refuse other
  /// control characters. Space around a value is lost.
  package static func valueProblem(_ bytes: some Sequence<UInt8>) -> String? {
    var first: UInt8?
    var last: UInt8 = 0
    var hasControls = false
    for byte in bytes {
      if isBreak(byte) { return breakProblem }
      if byte < 32 && byte != 9 || byte == 127 { hasControls = true }
      if first == nil { first = byte }
      last = byte
    }
    if hasControls { return "must not contain control characters" }
    guard let first, isBlank(first) || isBlank(last) else { return nil }
    return "must not begin or end with a space or tab"
  }

  /// Why a header can't be part of a response that a script makes; nil if the header is valid. Only
  /// names and line breaks are checked, because responses of real servers may contain anything else
  /// too.
  package static func answerProblem(_ name: String, _ value: some Sequence<UInt8>) -> String? {
    guard isName(name), value.contains(where: isBreak) else {
      return problem(name, EmptyCollection())
    }
    return "header '\(name)' \(breakProblem)"
  }

  private static let breakProblem = "must not contain line breaks or zero bytes"

  private static func isBreak(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 || byte == 0 }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  /// Why a header can't be part of a request; nil if the header is valid.
  package static func problem(_ name: String, _ value: some Sequence<UInt8>) -> String? {
    guard isName(name) else {
      return "'\(LogText.part(name, limit: 80))' is not a valid header name"
    }
    return valueProblem(value).map { "header '\(name)' \($0)" }
  }

  /// Whether the headers contain a validator for a conditional request. (RFC 9110, 8.8)
  package var hasValidator: Bool {
    lines.withUnsafeBufferPointer { all in
      var start = 0
      while start < all.count {
        let line = UnsafeBufferPointer(rebasing: all[start...])
        if line[0] == UInt8(ascii: "e"), line.starts(with: "etag:".utf8) { return true }
        if line[0] == UInt8(ascii: "l"), line.starts(with: "last-modified:".utf8) { return true }
        start += Headers.lineLength(line) + 1
      }
      return false
    }
  }
}
