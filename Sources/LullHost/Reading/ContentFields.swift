import CLullBridge
import LullCore

/// Reads single fields of content: of parsed JSON, and of tables that transformers have made.
struct ContentFields {
  private let bridge: BridgeRuntime

  init(_ bridge: BridgeRuntime) { self.bridge = bridge }

  /// What the path leads to.
  func value(_ path: FieldPath, in content: Content) -> FieldValue {
    for way in path.ways {
      let value =
        switch content {
        case .json(let document): ContentFields.field(way, in: document.root)
        case .foreign(let foreign): field(way, in: foreign)
        default: FieldValue.nothing
        }
      if value != .nothing { return value }
    }
    return .nothing
  }

  /// Whether parsed JSON has a member of that name, whatever it is; of other content it is not known, and
  /// said to be so.
  func has(_ path: FieldPath, in content: Content) -> Bool {
    guard case .json(let document) = content else { return true }
    return path.ways.contains { way in
      var element: JSONElement? = document.root
      for name in way { element = element?[name] }
      return element != nil
    }
  }

  private static func field(_ way: [String], in root: JSONElement) -> FieldValue {
    var element = root
    for name in way {
      guard let next = element[name] else { return .nothing }
      element = next
    }
    switch element.kind {
    case .null: return .nothing
    case .bool: return element.bool == true ? .other("true") : .nothing
    case .int: return element.int.map { .text(String($0)) } ?? .nothing
    case .double:
      // From 2^53 on a double stands for more than one whole number.
      return element.double.map { abs($0) < 0x1p53 ? .text(String($0)) : .inexact } ?? .nothing
    case .string: return element.string.flatMap { $0.isEmpty ? nil : .text($0) } ?? .nothing
    case .array: return .list(count: element.count)
    case .object: return .object
    }
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
