extension Headers {
  /// Whether HTTP allows headers of that name: whether it is a token. (RFC 9110, 5.1)
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isNameByte)
  }

  /// Whether a value stays on its line: a break in it would make a header of its own on the wire.
  /// (RFC 9110, 5.5)
  package static func isValue(_ bytes: some Sequence<UInt8>) -> Bool {
    !bytes.contains { $0 == 10 || $0 == 13 || $0 == 0 }
  }

  /// What is wrong with a header of a request, in words; nil if nothing is.
  package static func problem(_ name: String, _ value: some Sequence<UInt8>) -> String? {
    guard isName(name) else {
      return "'\(LogText.part(name, limit: 80))' is not a valid header name"
    }
    guard isValue(value) else {
      return "header '\(name)' must not contain line breaks or zero bytes"
    }
    return nil
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
