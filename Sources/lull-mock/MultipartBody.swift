import LullCore

/// The parts of a received form. (RFC 7578; RFC 2046, section 5.1)
struct MultipartBody {
  struct Part {
    let name: String
    let content: [UInt8]
  }

  let parts: [Part]

  /// Parses a form. nil if the form is not valid.
  init?(_ body: [UInt8], contentType: String) {
    guard contentType.lowercased().hasPrefix("multipart/form-data"),
      let mark = contentType.lowercased().firstRange(of: "boundary=")
    else { return nil }
    var boundary = contentType[mark.upperBound...].prefix { $0 != ";" }.trimmingBlanks
    if boundary.hasPrefix("\""), boundary.hasSuffix("\""), boundary.count > 1 {
      boundary = boundary.dropFirst().dropLast()
    }
    guard !boundary.isEmpty else { return nil }
    // The first boundary may have no line break before it.
    let bytes = Array("\r\n".utf8) + body
    let line = Array("\r\n--\(boundary)".utf8)
    var sections: [ArraySlice<UInt8>] = []
    var rest = bytes[...]
    while let place = rest.firstRange(of: line) {
      sections.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    // Text before the first boundary is ignored; the last boundary is followed by `--`.
    guard !sections.isEmpty, rest.starts(with: "--".utf8) else { return nil }
    var parts: [Part] = []
    for section in sections.dropFirst() {
      guard let part = MultipartBody.part(section) else { return nil }
      parts.append(part)
    }
    self.parts = parts
  }

  private static func part(_ section: ArraySlice<UInt8>) -> Part? {
    guard let end = section.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let head = String(decoding: section[..<end.lowerBound], as: UTF8.self)
    for line in head.split(separator: "\r\n") {
      guard line.lowercased().hasPrefix("content-disposition:"),
        let mark = line.firstRange(of: "; name=\"")
      else { continue }
      let name = line[mark.upperBound...].prefix { $0 != "\"" }
      // Browsers escape these characters in names.
      let plain = name.replacing("%22", with: "\"").replacing("%0D", with: "\r").replacing(
        "%0A", with: "\n")
      return Part(name: String(plain), content: Array(section[end.upperBound...]))
    }
    return nil
  }
}
