import LullCore
import LullHost

/// Formats content for output.
struct ContentText {
  let format: OutputFormat?
  let columns: [String]
  var style: OutputStyle
  /// Whether strings are written unquoted, and lists of scalars with one element on each line.
  var isRaw = false
  /// Whether CSV fields that a spreadsheet would treat as formulas are prefixed with `'`.
  var guardsFormulas = false

  /// Formats JSON.
  func bytes(of json: JSONText) -> [UInt8] {
    if isRaw, json.kind == .string || json.kind == .array,
      json.lines.allSatisfy({ $0.kind != .array && $0.kind != .object })
    {
      return lines(json) { $1 += $0.isNull ? "null".utf8 : $0.plain.utf8 }
    }
    switch format ?? .json {
    case .json, .raw:
      var bytes: [UInt8] = []
      if style.isTerminal {
        ColouredJSON(style).write(json, to: &bytes)
      } else {
        json.write(to: &bytes)
      }
      return bytes + [10]
    case .ndjson:
      return lines(json) { line, bytes in
        var text: [UInt8] = []
        line.write(to: &text)
        bytes += style.isTerminal ? ColouredJSON.visible(text) : text
      }
    case .lines: return lines(json) { $1 += $0.plain.utf8 }
    case .csv:
      return ContentTable(json, columns: columns).csv(guardsFormulas: guardsFormulas)
    case .table:
      // For an empty list, scripts get no output, and users get a message.
      if style.isTerminal, json.kind == .array, json.lines.isEmpty {
        return Array("no rows\n".utf8)
      }
      let table = ContentTable(json, columns: columns)
      return Array(
        table.text(width: style.width, isTerminal: style.isTerminal) { style.painted($0, "1") }.utf8
      )
    }
  }

  /// Formats text.
  func bytes(of text: String) -> [UInt8] {
    guard format == .json || format == .ndjson else {
      // End the line, so that the shell prompt starts on a new one.
      let ends = text.isEmpty || text.hasSuffix("\n") || !style.isTerminal
      return Array((ends ? text : text + "\n").utf8)
    }
    return (try? JSONValue.string(text).encode()).map { $0 + [10] } ?? []
  }

  private func lines(_ json: JSONText, _ write: (JSONText, inout [UInt8]) -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in json.lines {
      write(line, &bytes)
      bytes.append(10)
    }
    return bytes
  }
}

/// Body bytes that were not parsed as text, for a terminal.
///
/// Behaviours: SHOW-01 to SHOW-161.
enum ShownText {
  private static let kinds = ["*/xml", "*/*+xml", "*/json", "*/*+json", "*/*+yaml", "text/*"]
    .map { ContentTypePattern($0) }
  private static let texts = [
    "application/toml", "application/graphql", "application/sql", "application/x-sh",
    "application/xml-dtd", "application/typescript", "application/pgp-signature",
    "application/pem-certificate-chain", "application/json-seq", "application/n-triples",
    "application/n-quads", "application/trig", "application/sparql-query", "message/*",
  ].map { ContentTypePattern($0) }
  private static let unknown = ContentTypePattern("application/octet-stream")

  /// Returns the body for output if it is text, otherwise `nil`. A body is text if its type is a
  /// text type, or if it has no specific type and looks like text. The caller escapes bytes that
  /// are invalid in the charset.
  static func bytes(_ bytes: [UInt8], in entity: Entity) -> [UInt8]? {
    let type = entity.contentType
    let isText =
      (kinds + texts + ContentTypePattern.lineTypes).contains { $0.matches(type) }
      || unknown.matches(type) && !bytes.contains(where: isControl)
        && String(validating: bytes, as: UTF8.self) != nil
    // End the line, so that the shell prompt starts on a new one.
    return isText ? bytes + (bytes.last == 10 ? [] : [10]) : nil
  }

  /// Whether a byte is a control character that does not occur in text. White space, and the escape
  /// character that starts a colour sequence, do occur.
  private static func isControl(_ byte: UInt8) -> Bool {
    byte == 0x7F || byte < 0x20 && !(9...13).contains(byte) && byte != 0x1B
  }
}
