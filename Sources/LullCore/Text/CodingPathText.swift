/// Writes coding paths as text, such as `users[3].name`. A key that is not an identifier is written
/// as in `["a b"]`.
enum CodingPathText {
  static func text(_ path: [any CodingKey]) -> String {
    var text = ""
    // A path may have a thousand levels. Only the beginning and the end of a long path are shown.
    let isLong = path.count > 40
    for (number, key) in path.enumerated() {
      if isLong, number >= 20, number < path.count - 20 {
        if number == 20 { text += "…" }
        continue
      }
      if let position = key.intValue {
        text += "[\(position)]"
      } else if isName(key.stringValue) {
        text += text.isEmpty ? key.stringValue : "." + key.stringValue
      } else {
        text += "[\"\(shown(key.stringValue))\"]"
      }
    }
    return text
  }

  private static func isName(_ key: String) -> Bool {
    guard let first = key.utf8.first, !(48...57).contains(first), key.utf8.count <= 60 else {
      return false
    }
    return key.utf8.allSatisfy {
      switch $0 {
      case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "$"):
        true
      default: false
      }
    }
  }

  /// Returns a key from a server in a form for messages: shortened, and with control characters
  /// escaped.
  static func shown(_ key: String) -> String {
    var text = ""
    for (number, scalar) in key.unicodeScalars.enumerated() {
      guard number < 60 else { return text + "…" }
      let isControl = scalar.properties.generalCategory == .control
      text += isControl || scalar == "\"" ? scalar.escaped(asASCII: false) : String(scalar)
    }
    return text
  }
}
