import LullCore
import LullSystem

/// Summarizes an HTML page whose text would not help the user, such as an error page.
enum HTMLPage {
  private static let types = ["text/html", "application/xhtml+xml"].map { ContentTypePattern($0) }
  private static let longestTitle = 200
  /// The number of bytes at the beginning of a page in which a title is searched for.
  private static let head = 64 * 1024

  /// The title and size of an error page. `nil` if the entity is not HTML.
  static func summary(of entity: Entity?) -> String? {
    guard let entity, types.contains(where: { $0.matches(entity.contentType) }) else { return nil }
    let bytes: [UInt8]
    switch entity.content {
    case .text(let text): bytes = Array(text.utf8)
    case .bytes(let raw): bytes = raw
    default: return nil
    }
    guard !bytes.isEmpty else { return nil }
    let name = title(bytes).map { "'\($0)'" } ?? "without a title"
    return "a page of HTML, \(ByteCount.text(bytes.count)), \(name)"
  }

  /// The title on one line. `nil` without a title.
  static func title(_ bytes: [UInt8]) -> String? {
    let text = bytes.prefix(head)
    // Lower-casing ASCII keeps byte offsets.
    let lower = text.map { (65...90).contains($0) ? $0 | 0x20 : $0 }
    guard let tag = lower.firstRange(of: Array("<title".utf8)),
      let start = lower[tag.upperBound...].firstIndex(of: UInt8(ascii: ">")),
      let end = lower[start...].firstRange(of: Array("</title".utf8))
    else { return nil }
    let raw = String(decoding: text[(start + 1)..<end.lowerBound], as: UTF8.self)
    let title = withoutReferences(raw).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    guard !title.isEmpty else { return nil }
    return title.count > longestTitle ? title.prefix(longestTitle) + "…" : title
  }

  private static let named: [Substring: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–",
    "mdash": "—", "hellip": "…", "middot": "·", "bull": "•", "raquo": "»", "laquo": "«",
    "copy": "©",
  ]

  /// Decodes the character references that are common in titles. (HTML, 13.1.4)
  private static func withoutReferences(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let mark = rest.firstIndex(of: "&") {
      result += rest[..<mark]
      rest = rest[mark...]
      guard let end = rest.prefix(12).firstIndex(of: ";"),
        let character = character(rest[rest.index(after: mark)..<end])
      else {
        result.append(rest.removeFirst())
        continue
      }
      result += character
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  private static func character(_ name: Substring) -> String? {
    guard name.hasPrefix("#") else { return named[name] }
    let digits = name.dropFirst()
    let isHexadecimal = digits.hasPrefix("x") || digits.hasPrefix("X")
    let value = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.flatMap { Unicode.Scalar($0) }.map { String($0) }
  }
}
