import LullCore

/// A head as it went over the wire.
struct WireHead {
  private let lines: [String]
  private let hasVersion2: Bool
  let contentType: String

  init(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 10).map { line in
      String(escaping: line.last == 13 ? line.dropLast() : line)
    }.filter { !$0.isEmpty }
    self.lines = lines
    let first = lines.first ?? ""
    // Of a request it stands at the end.
    hasVersion2 = first.hasSuffix(" HTTP/2") || first.hasSuffix(" HTTP/3")
    contentType =
      lines.dropFirst().lazy.compactMap(WireHead.field)
      .first { $0.name.lowercased() == "content-type" }?.value ?? ""
  }

  func text(mark: String, _ style: OutputStyle) -> String {
    shown(style).map { "\(mark) \($0)\n" }.joined()
  }

  /// Without marks.
  func text(_ style: OutputStyle) -> String { shown(style).map { $0 + "\n" }.joined() }

  private func shown(_ style: OutputStyle) -> [String] {
    lines.enumerated().map { $0.offset == 0 ? first($0.element, style) : line($0.element, style) }
  }

  /// A request's, a status', or of what follows a body a header.
  private func first(_ line: String, _ style: OutputStyle) -> String {
    if line.hasPrefix("HTTP/") { return style.painted(CredentialMask.text(line), "1") }
    // There are blanks in the masks of secrets, which its URL may have.
    guard let method = line.firstIndex(of: " "),
      let version = line.ranges(of: " HTTP/").last?.lowerBound, method < version
    else { return self.line(line, style) }
    let url = String(line[line.index(after: method)..<version])
    return style.painted("\(line[..<method]) \(CredentialMask.url(url))\(line[version...])", "1")
  }

  private func line(_ line: String, _ style: OutputStyle) -> String {
    guard let field = WireHead.field(line) else { return CredentialMask.text(line) }
    var name = field.name
    // libcurl tells of those as it would write them in lines, and sends them like this.
    // (RFC 9113, 8.2 and 8.3.1)
    if hasVersion2 { name = name.lowercased() == "host" ? ":authority" : name.lowercased() }
    return "\(style.painted(name, "34")): \(CredentialMask.header(name, field.value))"
  }

  private static func field(_ line: String) -> (name: String, value: String)? {
    guard let colon = line.firstIndex(of: ":") else { return nil }
    let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    return (String(line[..<colon]), String(value))
  }
}
