import LullCore

/// What stands in paths.
package enum PercentText {
  /// With escapes undone; `+` stands for itself.
  package static func decoded(_ text: some StringProtocol) -> String {
    guard text.contains("%") else { return String(text) }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let first = rest.first, let high = Hexadecimal.value(first),
        let second = rest.dropFirst().first, let low = Hexadecimal.value(second)
      {
        bytes.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
