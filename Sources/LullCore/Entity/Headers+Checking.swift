extension Headers {
  /// Whether HTTP allows headers of that name: whether it is a token. (RFC 9110, 5.1)
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isNameByte)
  }

  /// The characters of a token. (RFC 9110, 5.6.2)
  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// Why bytes cannot be the value of a header, in words to put behind what they are called; nil if
  /// they can. (RFC 9110, 5.5)
  ///
  /// A line break would make a header of its own on the wire; other control characters may be dropped
  /// or refused by whoever passes them on, and space around a value never arrives.
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

  /// The same of an answer that a script makes: a server may send everything else.
  package static func answerProblem(_ name: String, _ value: some Sequence<UInt8>) -> String? {
    guard isName(name), value.contains(where: isBreak) else {
      return problem(name, EmptyCollection())
    }
    return "header '\(name)' \(breakProblem)"
  }

  private static let breakProblem = "must not contain line breaks or zero bytes"

  private static func isBreak(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 || byte == 0 }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  /// What is wrong with a header of a request, in words; nil if nothing is.
  package static func problem(_ name: String, _ value: some Sequence<UInt8>) -> String? {
    guard isName(name) else {
      return "'\(LogText.part(name, limit: 80))' is not a valid header name"
    }
    return valueProblem(value).map { "header '\(name)' \($0)" }
  }

  /// Whether a condition can be made of them. (RFC 9110, 8.8)
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
