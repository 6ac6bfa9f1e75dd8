import LullCore

/// A part of a path, with its escapes and without: where one ends, the other does.
struct EscapedText {
  let decoded: String
  private let bytes: [UInt8]
  /// Where each byte of the decoded text begins, and where the last one ends.
  private let starts: [Int]

  init(_ text: String) {
    bytes = Array(text.utf8)
    var starts: [Int] = []
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
      starts.append(index)
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = Hexadecimal.value(bytes[index + 1]),
        let low = Hexadecimal.value(bytes[index + 2])
      {
        plain.append(high << 4 | low)
        index += 3
      } else {
        plain.append(bytes[index])
        index += 1
      }
    }
    starts.append(bytes.count)
    decoded = String(decoding: plain, as: UTF8.self)
    self.starts = starts
  }

  /// What stands there for a part of the decoded text.
  func escaped(_ part: Substring) -> String {
    let text = decoded.utf8
    let start = text.distance(from: text.startIndex, to: part.startIndex)
    let end = text.distance(from: text.startIndex, to: part.endIndex)
    // What was no UTF-8 has other lengths.
    guard text.count == starts.count - 1 else { return String(part).replacing("%", with: "%25") }
    return String(decoding: bytes[starts[start]..<starts[end]], as: UTF8.self)
  }
}
