import LullCore
import LullHost

/// Content as it is written: the text of a format.
struct ContentText {
  let format: OutputFormat?
  let columns: [String]
  let style: OutputStyle

  /// The bytes to write; nothing is added to those of a body.
  func bytes(of content: CallContent) -> [UInt8] {
    switch content {
    case .bytes(let bytes): return bytes
    case .text(let text):
      guard format == .json || format == .ndjson else {
        // A prompt begins on a line of its own.
        let ends = text.isEmpty || text.hasSuffix("\n") || !style.isTerminal
        return Array((ends ? text : text + "\n").utf8)
      }
      return (try? JSONValue.string(text).encode()).map { $0 + [10] } ?? []
    case .json(let element): return json(element)
    }
  }

  private func json(_ element: JSONElement) -> [UInt8] {
    switch format ?? .json {
    case .json, .raw:
      var bytes: [UInt8] = []
      if style.isTerminal {
        ColouredJSON(style).write(element, to: &bytes)
      } else {
        element.encode(into: &bytes)
      }
      return bytes + [10]
    case .ndjson: return lines(element) { $0.encode(into: &$1) }
    case .lines: return lines(element) { $1 += ContentText.plain($0).utf8 }
    case .csv: return Array(ContentTable(element, columns: columns).csv.utf8)
    case .table: return Array(ContentTable(element, columns: columns).text(style).utf8)
    }
  }

  private func lines(_ element: JSONElement, _ write: (JSONElement, inout [UInt8]) -> Void)
    -> [UInt8]
  {
    var bytes: [UInt8] = []
    for line in element.kind == .array ? Array(element.elements) : [element] {
      write(line, &bytes)
      bytes.append(10)
    }
    return bytes
  }

  /// A value on one line: text without quotes, nothing for null, anything else as JSON.
  static func plain(_ element: JSONElement) -> String {
    if let text = element.string { return text }
    if element.isNull { return "" }
    var bytes: [UInt8] = []
    element.encode(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
