import LullCore
import LullSystem

/// JSON over several lines, for people.
struct ColouredJSON {
  private let style: OutputStyle

  init(_ style: OutputStyle) { self.style = style }

  func write(_ text: JSONText, to output: inout [UInt8]) {
    let bytes = text.bytes
    var depth = 0
    var place = text.range.lowerBound
    while place < text.range.upperBound {
      let end = JSONScan.tokenEnd(bytes, place)
      let next = JSONScan.token(bytes, end)
      let token = bytes[place..<end]
      switch bytes[place] {
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        output += token
        depth += 1
        if !ColouredJSON.isEnd(bytes[next]) { breakLine(depth, &output) }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth -= 1
        let isEmpty = output.last == UInt8(ascii: "[") || output.last == UInt8(ascii: "{")
        if !isEmpty { breakLine(depth, &output) }
        output += token
      case UInt8(ascii: ","):
        output += token
        breakLine(depth, &output)
      case UInt8(ascii: ":"):
        output += ": ".utf8
      default:
        let isKey = next < text.range.upperBound && bytes[next] == UInt8(ascii: ":")
        output += style.painted(ColouredJSON.visible(token), isKey ? "34" : colour(token)).utf8
      }
      place = next
    }
  }

  private func colour(_ token: ArraySlice<UInt8>) -> String {
    switch token.first {
    case UInt8(ascii: "\""): "32"
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): "35"
    default: "36"
    }
  }

  private func breakLine(_ depth: Int, _ output: inout [UInt8]) {
    output.append(10)
    for _ in 0..<depth { output += "  ".utf8 }
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
  }

  /// What a server has sent must not move the cursor or change colours: the control characters that
  /// JSON need not escape are escaped here.
  private static func visible(_ token: ArraySlice<UInt8>) -> String {
    var json: [UInt8] = []
    JSONText.write(token, to: &json)
    return String(decoding: visible(json), as: UTF8.self)
  }

  /// JSON that stays what it is.
  static func visible(_ json: [UInt8]) -> [UInt8] {
    let text = String(decoding: json, as: UTF8.self)
    guard text.unicodeScalars.contains(where: ControlCharacters.contains) else { return json }
    var result = ""
    for scalar in text.unicodeScalars {
      guard ControlCharacters.contains(scalar) else {
        result.unicodeScalars.append(scalar)
        continue
      }
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return Array(result.utf8)
  }
}
