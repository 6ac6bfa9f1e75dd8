import LullClients
import LullCore
import LullHost

/// Differences as they are written: lines in colours on a terminal, or JSON.
struct DifferenceText {
  let style: OutputStyle
  /// nil: lines.
  let format: OutputFormat?

  func bytes(of difference: ContentDifference) -> [UInt8] {
    guard let format else {
      let lines = difference.text { line, kind in
        let shown = String(
          decoding: ColouredJSON.visible(Array(line.utf8)), as: UTF8.self)
        return style.painted(style.isTerminal ? shown : line, DifferenceText.colour(kind))
      }
      return Array(lines.map { $0 + "\n" }.joined().utf8)
    }
    return ContentText(format: format, columns: [], style: format == .ndjson ? .plain : style)
      .bytes(of: JSONText(valid: difference.json))
  }

  /// What there is before any difference.
  func bytes(ofFirst content: ComparedContent) -> [UInt8] {
    var json = Array("{\"first\":".utf8)
    content.described.write(to: &json)
    return ContentText(format: format, columns: [], style: format == .ndjson ? .plain : style)
      .bytes(of: JSONText(valid: json + Array("}".utf8)))
  }

  private static func colour(_ kind: ContentDifference.Kind) -> String {
    switch kind {
    case .added: "32"
    case .removed: "31"
    case .changed: "33"
    }
  }
}
