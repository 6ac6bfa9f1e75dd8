/// Lines of a response's head, read as bytes.
enum HeadLine {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  /// Returns the status of `HTTP/1.1 200 OK` or `HTTP/2 200`, or nil for any other line. curl
  /// accepts more, such as lower-case letters. (RFC 9112, 4)
  static func status(in line: Bytes) -> Int? {
    guard line.count > 5, line[0] == UInt8(ascii: "H"), line[1] == UInt8(ascii: "T"),
      line[2] == UInt8(ascii: "T"), line[3] == UInt8(ascii: "P"), line[4] == UInt8(ascii: "/"),
      let space = line.firstIndex(of: 32)
    else { return nil }
    let version = line[5..<space]
    guard version.count == 1 || (version.count == 3 && version[6] == UInt8(ascii: ".")),
      version.allSatisfy({ $0 == UInt8(ascii: ".") || (48...57).contains($0) })
    else { return nil }
    let rest = line[(space + 1)...]
    guard let end = rest.dropFirst(3).first, end == 32 || end == 13 || end == 10 else { return nil }
    return number(rest.prefix(3))
  }

  /// Parses a number. Returns nil if the text does not consist of digits only, or if the number is
  /// too large.
  static func number(_ digits: Slice<Bytes>) -> Int? {
    guard !digits.isEmpty else { return nil }
    var number = 0
    for digit in digits {
      guard digit >= 48, digit <= 57 else { return nil }
      let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, isStillTooLarge) = tens.addingReportingOverflow(Int(digit - 48))
      guard !isTooLarge, !isStillTooLarge else { return nil }
      number = sum
    }
    return number
  }

  /// Returns the length of one Content-Length header: a number, or the same number several times
  /// separated by commas. Returns nil if it is invalid. (RFC 9112, 6.3)
  static func length(_ value: Slice<Bytes>) -> Int? {
    if let number = number(value) { return number }
    var length: Int?
    for part in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let number = number(trim(part)), length == nil || length == number else { return nil }
      length = number
    }
    return length
  }

  /// Returns the trimmed value if `line` is a header with that lower-case name, which consists of
  /// letters and hyphens.
  static func value(of name: StaticString, in line: Bytes) -> Slice<Bytes>? {
    let count = name.utf8CodeUnitCount
    guard line.count > count, line[count] == UInt8(ascii: ":") else { return nil }
    // Bit 0x20 makes letters lower-case, and is set in a hyphen.
    for index in 0..<count where line[index] | 0x20 != name.utf8Start[index] { return nil }
    return trim(line[(count + 1)...])
  }

  static func trim(_ text: Slice<Bytes>) -> Slice<Bytes> {
    var text = text
    while let first = text.first, first <= 32 { text = text.dropFirst() }
    while let last = text.last, last <= 32 { text = text.dropLast() }
    return text
  }

  /// Returns a short text for messages, with visible ASCII characters only.
  static func visible(_ value: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in value {
      guard text.utf8.count < 40 else { return text + "…" }
      text.unicodeScalars.append(byte > 31 && byte < 127 ? Unicode.Scalar(byte) : "?")
    }
    return text
  }
}
