import LullCore
import LullHost
import LullLuaSource

extension TableLayout {
  /// Returns the JSON of a table, with the members of its objects in the order of this layout.
  func ordering(_ json: [UInt8]) -> [UInt8] {
    var writer = JSONWriter()
    TableLayout.write(JSONText(valid: json), self, to: &writer)
    return writer.output
  }

  private static func write(_ text: JSONText, _ layout: TableLayout?, to writer: inout JSONWriter) {
    guard let layout else { return text.write(to: &writer) }
    switch text.kind {
    case .array:
      writer.begin("[")
      for (index, element) in text.lines.enumerated() {
        write(element, index < layout.elements.count ? layout.elements[index] : nil, to: &writer)
      }
      writer.end("]")
    case .object:
      let positions = layout.positions
      let members = text.members.enumerated().sorted { one, other in
        (positions[one.element.key] ?? .max, one.offset)
          < (positions[other.element.key] ?? .max, other.offset)
      }
      writer.begin("{")
      for (_, member) in members {
        writer.write(key: member.key)
        write(member.value, layout[member.key], to: &writer)
      }
      writer.end("}")
    default: text.write(to: &writer)
    }
  }
}

/// The layout of the calls in the source of an API file. Only the parts for requested calls are
/// read.
final class DeclaredLayout {
  private static let mostSearches = 4

  private let source: [UInt8]
  private var searches = 0
  private lazy var calls: [String: TableLayout] = {
    let fields = TableLayout(resultOf: source)?["calls"]?.fields ?? []
    let tables = fields.compactMap { field in field.table.map { (field.name, $0) } }
    return Dictionary(tables) { _, last in last }
  }()

  init(_ source: [UInt8]) { self.source = source }

  /// Returns the layout of a call's parameters. nil if the source does not contain them as a table
  /// constructor.
  func parameters(of call: String) -> TableLayout? {
    // For the first few calls, search the source without parsing all of it.
    searches += 1
    let found =
      searches > DeclaredLayout.mostSearches
      ? nil : TableLayout(ofOnlyKey: call, in: source)
    return (found ?? calls[call])?["params"]
  }
}
