import LullCore
import LullHost
import LullSystem

/// JSON on several lines, for people.
struct ColouredJSON {
  private let style: OutputStyle

  init(_ style: OutputStyle) { self.style = style }

  func write(_ text: JSONText, to output: inout [UInt8]) {
    var writer = JSONWriter(pretty: true)
    text.forEachToken { token, next in
      guard !ColouredJSON.isMark(token) else { return writer.write(token: token) }
      let isKey = next == UInt8(ascii: ":")
      let shown = style.painted(ColouredJSON.visible(token), isKey ? "34" : colour(token))
      writer.write(raw: shown.utf8)
    }
    output += writer.output
  }

  private func colour(_ token: ArraySlice<UInt8>) -> String {
    switch token.first {
    case UInt8(ascii: "\""): "32"
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): "35"
    default: "36"
    }
  }

  /// Whether the token is a bracket, comma or colon.
  private static func isMark(_ token: ArraySlice<UInt8>) -> Bool {
    token.count == 1 && token.allSatisfy { "[]{},:".utf8.contains($0) }
  }

  /// Escapes control characters that JSON does not have to escape, so that a server can't move the
  /// cursor or change colours.
  private static func visible(_ token: ArraySlice<UInt8>) -> String {
    var json = Array(token)
    if let string = JSONText.withEscapes(token) {
      json = []
      string.encode(into: &json)
    }
    return String(decoding: visible(json), as: UTF8.self)
  }

  /// Escapes control characters without changing the meaning of the JSON.
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
