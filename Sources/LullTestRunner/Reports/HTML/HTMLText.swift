import LullSystem

/// Escapes texts for HTML.
enum HTMLText {
  /// Escapes a text for the content of an element or for a quoted attribute. Control characters are
  /// made visible.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in ControlCharacters.shown(in: text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      // Replace noncharacters, which HTML does not allow. (HTML, 13.2.3.5)
      case _ where scalar.value & 0xFFFE == 0xFFFE: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  static func tag(_ name: String, _ text: String) -> String {
    "<\(name)>\(escaped(text))</\(name)>"
  }

  static func tag(_ name: String, _ kind: String, _ text: String) -> String {
    "<\(name) class=\"\(kind)\">\(escaped(text))</\(name)>"
  }

  /// Escapes a long name and allows line breaks in it.
  static func breaking(_ text: String) -> String {
    escaped(text).replacing("/", with: "/<wbr>").replacing("_", with: "_<wbr>")
  }

  /// Returns a duration as text, such as `3 ms`, `1.25 s`, `2 min 5 s` or `24 h`.
  static func span(_ seconds: Double) -> String {
    guard seconds < 1e12 else { return "an eternity" }
    if seconds < 0.9995 {
      return seconds > 0 && seconds < 0.0005
        ? "< 1 ms" : "\(Int((seconds * 1000).rounded())) ms"
    }
    if seconds < 59.995 {
      let hundredths = Int((seconds * 100).rounded())
      let rest = hundredths % 100
      return "\(hundredths / 100)" + (rest == 0 ? "" : ".\(rest < 10 ? "0" : "")\(rest)") + " s"
    }
    let whole = Int(seconds.rounded())
    let parts = [(whole / 3600, "h"), (whole / 60 % 60, "min"), (whole % 60, "s")]
    return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }

  /// Returns a fraction as a percentage for CSS.
  static func percent(_ share: Double) -> String {
    let hundredths = Int((max(0, min(1, share.isFinite ? share : 0)) * 10000).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)%"
  }

  /// Returns a text that is cut off after `most` bytes.
  static func bounded(_ text: String, _ most: Int = 65536) -> String {
    guard text.utf8.count > most else { return text }
    let kept = String(decoding: text.utf8.prefix(most), as: UTF8.self)
    return kept + "\n… and \(text.utf8.count - most) more bytes, not shown in this report\n"
  }
}
