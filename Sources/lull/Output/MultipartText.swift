import LullCore

/// A multipart body for people: its parts with their heads, credentials masked, and of what is no text the
/// number of bytes.
struct MultipartText {
  private(set) var lines: [String] = []

  /// - Parameter bytes: a whole body, or its beginning.
  init(_ bytes: [UInt8], _ boundary: String) {
    let delimiter = Array("--\(boundary)".utf8)
    var rest = bytes[...]
    while let place = rest.firstRange(of: delimiter) {
      add(rest[..<place.lowerBound])
      lines.append("--\(boundary)\(rest[place.upperBound...].starts(with: "--".utf8) ? "--" : "")")
      rest = rest[place.upperBound...]
    }
    if !rest.starts(with: "--".utf8) { add(rest) }
  }

  /// What stands between two delimiters: the end of a line, a head, an empty line and a value.
  private mutating func add(_ part: ArraySlice<UInt8>) {
    guard !part.allSatisfy({ $0 == 13 || $0 == 10 }) else { return }
    let emptyLine = part.firstRange(of: [13, 10, 13, 10])
    let head = String(escaping: part[..<(emptyLine?.lowerBound ?? part.endIndex)])
    let headLines = head.split(whereSeparator: \.isNewline)
    lines += headLines.map(String.init)
    guard let emptyLine else { return }
    var value = part[emptyLine.upperBound...]
    if value.suffix(2).elementsEqual([13, 10]) { value = value.dropLast(2) }
    lines.append("")
    if let name = MultipartText.name(in: headLines), CredentialName.names(name) {
      lines.append(Masking.mark)
    } else if !value.contains(0), let text = String(validating: value, as: UTF8.self) {
      lines += CredentialMask.body(text)
        .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    } else {
      lines.append("(\(value.count) bytes)")
    }
  }

  private static func name(in head: [Substring]) -> String? {
    let line = head.first { $0.lowercased().hasPrefix("content-disposition:") }
    guard let line, let start = line.firstRange(of: " name=\"")?.upperBound else { return nil }
    return String(line[start...].prefix { $0 != "\"" })
  }
}
