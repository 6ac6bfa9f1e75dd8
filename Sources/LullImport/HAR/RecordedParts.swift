/// The parts of a recorded form, by name.
enum RecordedParts {
  /// nil if there are none.
  static func parts(_ text: String, type: String) -> [SeenRequest.Part]? {
    guard let start = type.firstRange(of: "boundary=")?.upperBound else { return nil }
    let boundary = type[start...].prefix { $0 != ";" }.filter { $0 != "\"" && !$0.isWhitespace }
    guard !boundary.isEmpty else { return nil }
    var parts: [SeenRequest.Part] = []
    let plain = text.replacing("\r\n", with: "\n")
    for piece in plain.split(separator: "--\(boundary)").prefix(1000) {
      guard let end = piece.firstRange(of: "\n\n") else { continue }
      let head = piece[..<end.lowerBound]
      guard let name = head.firstMatch(of: /[ ;]name="([^"]*)"/)?.1, !name.isEmpty else { continue }
      var value = piece[end.upperBound...]
      if value.hasSuffix("\n") { value = value.dropLast() }
      let isFile = head.contains("filename=")
      parts.append(
        SeenRequest.Part(
          name: Blank.without(name), value: isFile ? nil : Blank.without(value), isFile: isFile))
    }
    return parts.isEmpty ? nil : parts
  }
}
