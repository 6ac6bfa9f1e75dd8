import LullCore
import LullSystem

/// Formats a value as text, on one line if the text fits. Otherwise each element is on its own
/// line, and a list of objects with the same keys becomes a table.
package struct ShownValueText {
  package let width: Int
  /// Whether the escape sequences for colours are added.
  package let colours: Bool

  package init(width: Int, colours: Bool) {
    self.width = max(20, width)
    self.colours = colours
  }

  /// Returns a value on one line without colours, regardless of its length.
  static func plain(_ value: ShownValue) -> String {
    ShownValueText(width: 80, colours: false).line(value)
  }

  package func text(_ value: ShownValue) -> String {
    switch value {
    case .titled(let title, let below): return painted(title, .object) + "\n" + text(below)
    case .list(let elements, let more):
      if let table = ShownTable(elements, more: more, width: width) { return table.text(self) }
    default: break
    }
    return block(value, indent: 0, before: 0)
  }

  /// Returns a value on one line if the text fits, otherwise on several lines.
  ///
  /// - Parameter before: the number of columns that are already used on the first line.
  private func block(_ value: ShownValue, indent: Int, before: Int) -> String {
    let line = line(value)
    if case .atom = value { return line }
    if ShownValueText.plain(value).count + before <= width { return line }
    let margin = String(repeating: " ", count: indent + 2)
    var parts: [String] = []
    switch value {
    case .atom, .titled: return line
    case .list(let elements, let more) where elements.allSatisfy(\.isAtom):
      return filled(elements, more, margin: margin, indent: indent)
    case .list(let elements, let more):
      parts = elements.map { block($0, indent: indent + 2, before: indent + 3) }
      if let rest = more.text { parts.append(painted(rest, .faint)) }
    case .map(let fields, let more):
      parts = fields.map { field in
        let key = field.key.isEmpty ? "" : field.key + " = "
        return key + block(field.value, indent: indent + 2, before: indent + 3 + key.count)
      }
      if let rest = more.text { parts.append(painted(rest, .faint)) }
    }
    return "{\n" + parts.map { margin + $0 }.joined(separator: ",\n") + "\n"
      + String(repeating: " ", count: indent) + "}"
  }

  /// Returns the elements of a list on several lines, with as many elements on each line as fit.
  private func filled(
    _ elements: [ShownValue], _ more: ShownValue.Rest, margin: String, indent: Int
  ) -> String {
    var lines: [String] = []
    var current = ""
    var columns = 0
    var words = elements.map { (line($0), ShownValueText.plain($0).count) }
    if let rest = more.text { words.append((painted(rest, .faint), rest.count)) }
    for (index, (text, count)) in words.enumerated() {
      if columns > 0, margin.count + columns + count + 2 > width {
        lines.append(current)
        current = ""
        columns = 0
      }
      current += (columns > 0 ? " " : "") + text + (index < words.count - 1 ? "," : "")
      columns += count + 2
    }
    lines.append(current)
    return "{\n" + lines.map { margin + $0 }.joined(separator: "\n") + "\n"
      + String(repeating: " ", count: indent) + "}"
  }

  /// Returns a value on one line, with colours if they are enabled.
  func line(_ value: ShownValue) -> String {
    switch value {
    case .atom(let text, let style): return painted(text, style)
    case .titled(let title, _): return painted(title, .object)
    case .list(let elements, let more):
      return braces(elements.map(line), more)
    case .map(let fields, let more):
      return braces(
        fields.map { ($0.key.isEmpty ? "" : $0.key + " = ") + line($0.value) }, more)
    }
  }

  private func braces(_ parts: [String], _ more: ShownValue.Rest) -> String {
    "{ " + (parts + (more.text.map { [painted($0, .faint)] } ?? [])).joined(separator: ", ") + " }"
  }

  package func painted(_ text: String, _ style: ShownValue.Style) -> String {
    guard colours, !text.isEmpty else { return text }
    let colour =
      switch style {
      case .string: "32"
      case .number: "36"
      case .word: "35"
      case .object: "33"
      case .faint: "2"
      }
    return TerminalText.painted(text, "\(colour)")
  }
}
