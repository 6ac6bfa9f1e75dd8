/// The parts of a form as it stands on the wire, as browsers copy and record it.
enum MultipartText {
  /// By name; nil if there are none.
  ///
  /// - Parameter hasBlanks: whether blanks in it are some, rather than characters of somebody's text.
  static func parts(_ text: String, type: String, hasBlanks: Bool = false) -> [SeenRequest.Part]? {
    guard let start = type.firstRange(of: "boundary=")?.upperBound else { return nil }
    let boundary = type[start...].prefix { $0 != ";" }.filter { $0 != "\"" && !$0.isWhitespace }
    guard !boundary.isEmpty else { return nil }
    let own = { (text: Substring) in hasBlanks ? String(text) : Blank.without(text) }
    var parts: [SeenRequest.Part] = []
    let plain = text.replacing("\r\n", with: "\n")
    for piece in plain.split(separator: "--\(boundary)").prefix(1000) {
      guard let end = piece.firstRange(of: "\n\n") else { continue }
      let head = piece[..<end.lowerBound]
      guard let name = head.firstMatch(of: /[ ;]name="([^"]*)"/)?.1, !name.isEmpty else { continue }
      var value = piece[end.upperBound...]
      if value.hasSuffix("\n") { value = value.dropLast() }
      var part = SeenRequest.Part(name: own(name))
      part.isFile = head.contains("filename=")
      if !part.isFile {
        part.value = own(value)
        part.type = head.firstMatch(of: /\n[Cc]ontent-[Tt]ype: *([^\n]+)/).map { own($0.1) }
      }
      parts.append(part)
    }
    return parts.isEmpty ? nil : parts
  }
}
