import LullCore

/// JSON over several lines, for people.
struct ColouredJSON {
  private let style: OutputStyle

  init(_ style: OutputStyle) { self.style = style }

  func write(_ element: JSONElement, to output: inout [UInt8]) {
    write(element, indent: 0, &output)
  }

  private func write(_ element: JSONElement, indent: Int, _ output: inout [UInt8]) {
    switch element.kind {
    case .array:
      let elements = Array(element.elements)
      guard !elements.isEmpty else { return output += "[]".utf8 }
      output += "[".utf8
      for (position, element) in elements.enumerated() {
        breakLine(position > 0, indent + 1, &output)
        write(element, indent: indent + 1, &output)
      }
      breakLine(false, indent, &output)
      output += "]".utf8
    case .object:
      let pairs = element.pairs
      guard !pairs.isEmpty else { return output += "{}".utf8 }
      output += "{".utf8
      for (position, pair) in pairs.enumerated() {
        breakLine(position > 0, indent + 1, &output)
        output += style.painted(ColouredJSON.text(of: pair.key), "34").utf8
        output += ": ".utf8
        write(pair.value, indent: indent + 1, &output)
      }
      breakLine(false, indent, &output)
      output += "}".utf8
    default:
      var bytes: [UInt8] = []
      element.encode(into: &bytes)
      let code =
        switch element.kind {
        case .string: "32"
        case .int, .double: "36"
        default: "35"
        }
      output += style.painted(ColouredJSON.visible(bytes), code).utf8
    }
  }

  private func breakLine(_ hasComma: Bool, _ indent: Int, _ output: inout [UInt8]) {
    if hasComma { output.append(UInt8(ascii: ",")) }
    output.append(10)
    output += String(repeating: "  ", count: indent).utf8
  }

  private static func text(of key: String) -> String {
    visible((try? JSONValue.string(key).encode()) ?? [])
  }

  /// What a server has sent must not move the cursor or change colours: the control characters that
  /// JSON need not escape are escaped here.
  private static func visible(_ json: [UInt8]) -> String {
    let text = String(decoding: json, as: UTF8.self)
    guard text.unicodeScalars.contains(where: { (0x7F...0x9F).contains($0.value) }) else {
      return text
    }
    var result = ""
    for scalar in text.unicodeScalars {
      guard (0x7F...0x9F).contains(scalar.value) else {
        result.unicodeScalars.append(scalar)
        continue
      }
      result += "\\u00" + String(scalar.value, radix: 16)
    }
    return result
  }
}
