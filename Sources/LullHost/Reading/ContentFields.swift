import CLullBridge
import LullCore

/// Reads single fields of content: of parsed JSON, and of tables that transformers have made.
struct ContentFields: ContentFieldReader {
  private let bridge: BridgeRuntime

  init(_ bridge: BridgeRuntime) { self.bridge = bridge }

  /// What the path leads to.
  func value(_ path: FieldPath, in content: Content) -> FieldValue {
    for way in path.ways {
      let value =
        switch content {
        case .json(let document): JSONFields.field(way, in: document.root)
        case .foreign(let foreign): field(way, in: foreign)
        default: FieldValue.nothing
        }
      if value != .nothing { return value }
    }
    return .nothing
  }

  private func field(_ way: [String], in foreign: ForeignContent) -> FieldValue {
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    var value = lull_value()
    var keys: [CChar] = []
    for name in way { keys += name.utf8CString }
    keys.append(0)
    guard lull_value_field(bridge.pointer, foreign.id, keys, Int32(way.count), &value) == 0 else {
      return .nothing
    }
    switch Int(value.kind) {
    case Int(LULL_NIL), Int(LULL_NULL): return .nothing
    case Int(LULL_BOOLEAN): return value.integer != 0 ? .other("true") : .nothing
    case Int(LULL_TABLE):
      return value.integer > 0 || value.aux == 0 ? .list(count: Int(value.integer)) : .object
    default:
      guard let text = value.text else { return .other(value.typeName) }
      return text.isEmpty ? .nothing : .text(text)
    }
  }
}
