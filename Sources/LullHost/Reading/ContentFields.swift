import CLullBridge
import LullCore

/// Reads single fields of content. The content is parsed JSON, or a table that a transformer
/// created.
struct ContentFields: ContentFieldReader {
  private let bridge: BridgeRuntime

  init(_ bridge: BridgeRuntime) { self.bridge = bridge }

  /// Returns the value at a path in content.
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

  func value(
    _ path: FieldPath, ofLastElementOf list: FieldPath, in content: Content
  ) -> FieldValue {
    guard case .foreign(let foreign) = content else {
      return JSONFields().value(path, ofLastElementOf: list, in: content)
    }
    for start in list.ways {
      for way in path.ways {
        let value = field(start + way, in: foreign, list: start.count)
        if value != .nothing { return value }
      }
    }
    return .nothing
  }

  func isMissing(_ path: FieldPath, in content: Content) -> Bool {
    guard case .foreign(let foreign) = content else {
      return JSONFields().isMissing(path, in: content)
    }
    return path.ways.allSatisfy { way in
      read(way, in: foreign, list: -1) { value in Int(value.kind) == Int(LULL_NIL) } ?? true
    }
  }

  func isFalse(_ path: FieldPath, in content: Content) -> Bool {
    guard case .foreign(let foreign) = content else {
      return JSONFields().isFalse(path, in: content)
    }
    return path.ways.contains { way in
      read(way, in: foreign, list: -1) { value in
        Int(value.kind) == Int(LULL_BOOLEAN) && value.integer == 0
      } ?? false
    }
  }

  /// Returns the value at a path in a table.
  ///
  /// - Parameter list: the index in `way` at which a list is reached. The names from that index on
  ///   are looked up in the last element of the list. -1 if the path contains no such list.
  private func field(_ way: [String], in foreign: ForeignContent, list: Int = -1) -> FieldValue {
    read(way, in: foreign, list: list) { value in ContentFields.field(value) } ?? .nothing
  }

  /// Calls `body` with the value at a path and returns its result. Returns nil if there is not
  /// enough memory.
  private func read<T>(
    _ way: [String], in foreign: ForeignContent, list: Int, _ body: (lull_value) -> T
  ) -> T? {
    let mark = lull_arena_mark(bridge.pointer)
    defer { lull_arena_release(bridge.pointer, mark) }
    var value = lull_value()
    var keys: [CChar] = []
    for name in way { keys += name.utf8CString }
    keys.append(0)
    guard
      lull_value_field(
        bridge.pointer, foreign.id, keys, Int32(way.count), Int32(list), &value) == 0
    else { return nil }
    return body(value)
  }

  private static func field(_ value: lull_value) -> FieldValue {
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
